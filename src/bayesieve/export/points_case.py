# SPDX-License-Identifier: BSD-3-Clause
"""The points of a column, or of a pair of columns, as a ``CASE`` expression."""

from collections.abc import Sequence
from typing import Any

from bayesieve.coding import Groups, Intervals
from bayesieve.data import Scale, is_number
from bayesieve.exceptions import ExportError
from bayesieve.export.literals import identifier, label, moment, number

__all__ = ["pair_case", "points_case"]

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
    return _case(name, partition, [number(value) for value in points])


def pair_case(names: tuple[str, str], partitions: tuple[Any, Any], points: Sequence[Sequence[float]]) -> str:
    """Return an expression for the points of the cell of each row: a ``CASE`` of one column in each bin of the other.

    ``points`` have one row per bin of the first column and one column per bin of the second; the last ones are for
    values that are unseen in training.
    """
    inner = [points_case(names[1], partitions[1], row) if len(set(row)) > 1 else number(row[0]) for row in points]
    return _case(names[0], partitions[0], inner)


def _case(name: str, partition: Any, values: Sequence[str]) -> str:
    """Return an expression that has one of these expressions as its value in each bin."""
    column = identifier(name)
    missing = values[-1] if partition.joined is None else values[partition.joined]
    if partition.missing:
        missing = values[partition.n_bins - 1]
    if isinstance(partition, Intervals):
        whens, rest = _interval_tests(name, column, partition, values)
    elif isinstance(partition, Groups):
        whens, rest = _group_tests(name, column, partition, values)
    else:
        raise ExportError(f"Column {name!r} has bins of type {type(partition).__name__}, which SQL cannot express.")
    tests = [(_missing_test(column, _is_number(partition)), missing), *whens]
    lines = [f"      WHEN {test} THEN {value}" for test, value in tests]
    return "\n".join(["CASE", *lines, f"      ELSE {rest}", "    END"])


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
    name: str, column: str, partition: Intervals, values: Sequence[str]
) -> tuple[list[tuple[str, str]], str]:
    """Return tests of special values, then of upper bounds; a bound between bins of equal values is left out."""
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
    whens = [(f"{compared} = {literal(each)}", values[n_bounds + 1 + k]) for k, each in enumerate(partition.special)]
    whens += [
        (f"{compared} <= {literal(bound)}", values[k])
        for k, bound in enumerate(partition.bounds.tolist())
        if values[k] != values[k + 1]
    ]
    return whens, values[n_bounds]


def _group_tests(name: str, column: str, partition: Groups, values: Sequence[str]) -> tuple[list[tuple[str, str]], str]:
    if partition.scale is not Scale.numeric:
        raise ExportError(f"Column {name!r} has groups of dates or times, which standard SQL cannot express.")
    kinds = {_kind(value) for group in partition.groups for value in group}
    if len(kinds) > 1:
        raise ExportError(
            f"Column {name!r} has values of several types ({', '.join(sorted(kinds))}), which a database column cannot "
            "have; make them strings before fit."
        )
    rest = values[-1] if partition.other is None else values[partition.other]
    whens = [
        (f"{column} IN ({', '.join(label(value, name) for value in group)})", values[g])
        for g, group in enumerate(partition.groups)
    ]
    return whens, rest


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    return "numbers" if is_number(value) else type(value).__name__
