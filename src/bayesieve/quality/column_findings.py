# SPDX-License-Identifier: BSD-3-Clause
"""What is found in a column and among columns: empty, constant, identifier, copies."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import Column, ColumnProfile, Scale
from bayesieve.quality.finding import Finding, quote

__all__ = ["find_absent_header", "find_copies", "find_in_profile", "find_rounded", "find_target_names"]

_MANY_MISSING = 0.5
_FEW_ROWS = 20
_FIRST = 2000  # rows that tell most columns apart
_FEW_NAMES = 3  # columns whose names may be values of them by chance
_DROP = "--drop leaves it out"


def find_in_profile(profile: ColumnProfile, n_rows: int) -> Iterator[Finding]:
    """Yield what the counts of a column show."""
    n_present = n_rows - profile.n_missing
    if not n_present:
        yield Finding("empty", profile.name, "it has no values")
    elif profile.n_distinct == 1 and not profile.n_missing:
        yield Finding("constant", profile.name, "every row has the same value")
    elif profile.is_identifier:
        yield Finding("identifier", profile.name, "every row has a different value: an identifier?", _DROP)
    elif profile.kind == "category" and profile.n_distinct > max(_FEW_ROWS, n_present // 2):
        message = f"it has {profile.n_distinct:,} different labels in {n_present:,} rows: an identifier, or text?"
        yield Finding("identifier", profile.name, message, _DROP)
    if n_present and profile.n_missing >= _MANY_MISSING * n_rows:
        yield Finding("missing", profile.name, f"{profile.n_missing / n_rows:.0%} of its values are missing")


def find_rounded(columns: Sequence[Column], n_distinct: Mapping[str, int]) -> Iterator[Finding]:
    """Yield columns of integers that float64 does not have, so that different ones are read as the same number."""
    for column in columns:
        n_numbers, n_integers = len(column.labels), n_distinct[column.name]
        if column.ordered and column.scale is Scale.numeric and n_numbers < n_integers:
            numbers = "1 number" if n_numbers == 1 else f"{n_numbers:,} numbers"
            message = f"{n_integers:,} different integers beyond 2^53 are read as {numbers}"
            yield Finding("rounded", column.name, message, f"--categorical {column.name} reads them as text")


def find_absent_header(columns: Sequence[Column]) -> Iterator[Finding]:
    """Yield that names are values of their columns, as they are if the first row of a file is read as names."""
    names = [column.name for column in columns]
    if names in [[str(j) for j in range(first, first + len(names))] for first in (0, 1)]:  # columns without names
        return
    own = [column.name for column in columns if _is_value(column.name, column)]
    if len(own) >= max(_FEW_NAMES, len(names) / 2):
        message = (
            f"The names of {len(own):,} of {len(names):,} columns, such as {quote(own[:1])} and {quote(own[1:2])}, are "
            "values of these columns: does the file begin with a row instead of the names?"
        )
        yield Finding("header", None, message, "write a line of names above it")


def _is_value(name: str, column: Column) -> bool:
    if not column.ordered:
        return name in column.labels
    try:
        return column.scale is Scale.numeric and float(name) in column.labels
    except ValueError:
        return False


def find_target_names(names: Sequence[str], target: str | None) -> Iterator[Finding]:
    """Yield columns whose name differs from that of the target in case or blanks only."""
    if not isinstance(target, str):
        return
    for name in names:
        if name != target and _folded(name) == _folded(target):
            message = f"its name differs from that of the target, {target!r}, in case or blanks only: is it the target?"
            yield Finding("name", name, message, _DROP)


def _folded(name: str) -> str:
    return "".join(name.casefold().split())


def find_copies(columns: Sequence[Column]) -> Iterator[Finding]:
    """Yield columns that are copies of an earlier one, or that differ from it in their labels only.

    Columns whose first rows agree are compared.
    """
    distinct: dict[tuple[bool, bytes, bytes], list[Column]] = {}
    recoded: dict[bytes, list[_Recoded]] = {}
    for column in columns:
        labels = column.labels.tobytes() if isinstance(column.labels, np.ndarray) else repr(column.labels).encode()
        alike = distinct.setdefault((column.ordered, labels, column.ids[:_FIRST].tobytes()), [])
        original = next((each for each in alike if np.array_equal(each.ids, column.ids)), None)
        if original is not None:
            yield Finding("duplicate", column.name, f"it is a copy of {original.name!r}", _DROP)
            continue
        alike.append(column)
        if 1 < len(column.labels) <= len(column.ids) // 10:
            own = _Recoded(column)
            same_start = recoded.setdefault(_by_appearance(column.ids[:_FIRST]).tobytes(), [])
            other = next((each.column for each in same_start if np.array_equal(each.codes, own.codes)), None)
            if other is not None:
                message = f"each of its values stands for one value of {other.name!r}, so one of the two is enough"
                yield Finding("duplicate", column.name, message, _DROP)
            else:
                same_start.append(own)


@dataclass(frozen=True)
class _Recoded:
    column: Column

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        return _by_appearance(self.column.ids)


def _by_appearance(ids: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return codes in the order in which values first appear, so that columns with other labels have the same."""
    places = np.full(ids.max(initial=-1) + 1, len(ids))
    places[ids[::-1]] = np.arange(len(ids) - 1, -1, -1)  # of several rows, the one that comes last in this order stays
    rank = np.empty(len(places), dtype=np.int32)
    rank[np.argsort(places, kind="stable")] = np.arange(len(places), dtype=np.int32)
    coded: NDArray[np.int32] = rank[ids]
    return coded
