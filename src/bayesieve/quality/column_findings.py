# SPDX-License-Identifier: BSD-3-Clause
"""What is found in a column and among columns: empty, constant, identifier, copies."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import Column, ColumnProfile
from bayesieve.quality.finding import Finding

__all__ = ["find_copies", "find_in_profile"]

_MANY_MISSING = 0.5
_FEW_ROWS = 20
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


def find_copies(columns: Sequence[Column]) -> Iterator[Finding]:
    """Yield columns that are copies of an earlier one, or that differ from it in their labels only."""
    copies: dict[tuple[bool, bytes, bytes], str] = {}
    recoded: dict[bytes, str] = {}
    for column in columns:
        labels = column.labels.tobytes() if isinstance(column.labels, np.ndarray) else repr(column.labels).encode()
        key = (column.ordered, labels, column.ids.tobytes())
        if key in copies:
            yield Finding("duplicate", column.name, f"it is a copy of {copies[key]!r}", _DROP)
        elif 1 < len(column.labels) <= len(column.ids) // 10:
            codes = _by_appearance(column.ids).tobytes()
            if codes in recoded:
                message = f"each of its values stands for one value of {recoded[codes]!r}, so one of the two is enough"
                yield Finding("duplicate", column.name, message, _DROP)
            recoded.setdefault(codes, column.name)
        copies.setdefault(key, column.name)


def _by_appearance(ids: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return codes in the order in which values first appear, so that columns with other labels have the same."""
    places = np.full(ids.max(initial=-1) + 1, len(ids))
    places[ids[::-1]] = np.arange(len(ids) - 1, -1, -1)  # of several rows, the one that comes last in this order stays
    rank = np.empty(len(places), dtype=np.int32)
    rank[np.argsort(places, kind="stable")] = np.arange(len(places), dtype=np.int32)
    coded: NDArray[np.int32] = rank[ids]
    return coded
