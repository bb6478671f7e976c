# SPDX-License-Identifier: BSD-3-Clause
"""The points of a column, or of a pair of columns, as a ``CASE`` expression."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from bayesieve.bins import Groups, Intervals
from bayesieve.data import Scale, is_number
from bayesieve.exceptions import ExportError
from bayesieve.export.bin_tests import bin_tests, kind_of_values
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
    *tests, rest = bin_tests(name, partition, values, "SQL")
    column = identifier(name)
    compared, literal = _group_values(name, partition) if isinstance(partition, Groups) else _numbers(name, partition)
    lines = []
    for test in tests:
        if test.kind == "missing":
            condition = _missing_test(column, _is_number(partition))
        elif test.kind == "at most":
            condition = f"{compared} <= {literal(test.values[0])}"
        elif isinstance(partition, Groups):
            condition = f"{compared} IN ({', '.join(map(literal, test.values))})"
        else:
            condition = f"{compared} = {literal(test.values[0])}"
        lines.append(f"      WHEN {condition} THEN {values[test.code]}")
    return "\n".join(["CASE", *lines, f"      ELSE {values[rest.code]}", "    END"])


def _missing_test(column: str, numeric: bool) -> str:
    """Return the test of null and NaN.

    NaN differs from itself in some databases; in others it equals itself and is larger than every number.
    """
    return f"{column} IS NULL OR {column} <> {column} OR {column} > {_LARGEST}" if numeric else f"{column} IS NULL"


def _is_number(partition: Any) -> bool:
    if isinstance(partition, Intervals):
        return partition.scale is Scale.numeric
    return any(is_number(value) for group in partition.groups for value in group)


def _numbers(name: str, partition: Intervals) -> tuple[str, Callable[[float], str]]:
    """Return what is compared with the bounds of a column, and how a bound is written."""
    column = identifier(name)
    if partition.scale is Scale.numeric:
        return column, number
    if partition.special:
        raise ExportError(
            f"Column {name!r} has dates or times with a bin of their own, which standard SQL cannot express."
        )
    return f"REPLACE(CAST({column} AS VARCHAR), 'T', ' ')", partial(moment, scale=partition.scale, column=name)


def _group_values(name: str, partition: Groups) -> tuple[str, Callable[[Any], str]]:
    if partition.scale is not Scale.numeric:
        raise ExportError(f"Column {name!r} has groups of dates or times, which standard SQL cannot express.")
    kind_of_values(name, partition, "a database column")
    return identifier(name), partial(label, column=name)
