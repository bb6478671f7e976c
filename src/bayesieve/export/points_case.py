"""The points of a column as a ``CASE`` expression."""

from collections.abc import Sequence
from typing import Any

from bayesieve.coding import Groups, Intervals
from bayesieve.data import Scale, is_number
from bayesieve.exceptions import ExportError
from bayesieve.export.literals import identifier, label, moment, number

__all__ = ["points_case"]

_LARGEST = "1.7976931348623157e+308"


def points_case(name: str, partition: Any, points: Sequence[float]) -> str:
    """Return an expression for the points of the bin of each row.

    Parameters
    ----------
    name : str
        Name of the column.
    partition : Intervals or Groups
        The bins of the column.
    points : sequence of float
        The points of each bin; the last entry is for values that are unseen in training.
    """
    column = identifier(name)
    missing = points[-1] if partition.joined is None else points[partition.joined]
    if partition.missing:
        missing = points[partition.n_bins - 1]
    if isinstance(partition, Intervals):
        whens, rest = _interval_tests(name, column, partition, points)
    elif isinstance(partition, Groups):
        whens, rest = _group_tests(name, column, partition, points)
    else:
        raise ExportError(f"Column {name!r} has bins of type {type(partition).__name__}, which SQL cannot express.")
    tests = [(_missing_test(column, _is_number(partition)), missing), *whens]
    lines = [f"      WHEN {test} THEN {number(value)}" for test, value in tests]
    return "\n".join(["CASE", *lines, f"      ELSE {number(rest)}", "    END"])


def _missing_test(column: str, numeric: bool) -> str:
    """Return the test of null and NaN.

    NaN differs from itself in some databases; in others it equals itself and is larger than every number.
    """
    return f"{column} IS NULL OR {column} <> {column} OR {column} > {_LARGEST}" if numeric else f"{column} IS NULL"


def _is_number(partition: Any) -> bool:
    if isinstance(partition, Intervals):
        return partition.scale is Scale.numeric
    return any(is_number(value) for group in partition.groups for value in group)


def _interval_tests(
    name: str, column: str, partition: Intervals, points: Sequence[float]
) -> tuple[list[tuple[str, float]], float]:
    """Return tests of special values, then of upper bounds; a bound between bins of equal points is left out."""
    if partition.scale is Scale.numeric:
        compared, literal = column, number
    elif partition.special:
        raise ExportError(
            f"Column {name!r} has dates or times with a bin of their own, which standard SQL cannot express."
        )
    else:
        compared = f"REPLACE(CAST({column} AS VARCHAR), 'T', ' ')"

        def literal(value: float) -> str:
            return moment(value, partition.scale, name)

    n_bounds = len(partition.bounds)
    whens = [(f"{compared} = {literal(value)}", points[n_bounds + 1 + k]) for k, value in enumerate(partition.special)]
    whens += [
        (f"{compared} <= {literal(bound)}", points[k])
        for k, bound in enumerate(partition.bounds.tolist())
        if points[k] != points[k + 1]
    ]
    return whens, points[n_bounds]


def _group_tests(
    name: str, column: str, partition: Groups, points: Sequence[float]
) -> tuple[list[tuple[str, float]], float]:
    if partition.scale is not Scale.numeric:
        raise ExportError(f"Column {name!r} has groups of dates or times, which standard SQL cannot express.")
    kinds = {_kind(value) for group in partition.groups for value in group}
    if len(kinds) > 1:
        raise ExportError(
            f"Column {name!r} has values of several types ({', '.join(sorted(kinds))}), which a database column cannot "
            "have; make them strings before fit."
        )
    rest = points[-1] if partition.other is None else points[partition.other]
    whens = [
        (f"{column} IN ({', '.join(label(value, name) for value in group)})", points[g])
        for g, group in enumerate(partition.groups)
    ]
    return whens, rest


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    return "numbers" if is_number(value) else type(value).__name__
