# SPDX-License-Identifier: BSD-3-Clause
"""Contingency tables of columns for partition searches, and the intervals that follow from cuts of their rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, frexp
from typing import Any

import numpy as np

from bayesieve._typing import Ints
from bayesieve.bins.finest_bins import readable_between
from bayesieve.bins.modl.code_lengths import LARGEST_TOTAL
from bayesieve.bins.partition import Intervals
from bayesieve.bins.summary import Summary, occurring

__all__ = ["Tables", "ValueTable", "least_units", "stack"]


@dataclass(frozen=True)
class Tables:
    """Weight of each value (a row) in each class, for several columns, stacked as the compiled core expects them.

    Attributes
    ----------
    counts : int64 array of shape (offsets[-1], n_classes)
        In units, not negative. Rows without weight are ignored.
    offsets : int64 array of shape (n_tables + 1,)
        Where each table begins.
    unit : float
        A power of two: a weight is ``counts * unit``.
    """

    counts: Ints
    offsets: Ints
    unit: float = 1.0

    @staticmethod
    def stack(tables: Sequence[Ints], unit: float = 1.0) -> "Tables":
        """Stack tables with the same classes."""
        offsets = np.cumsum([0, *map(len, tables)], dtype=np.int64)
        arrays = [np.asarray(table, dtype=np.int64) for table in tables]
        counts = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
        return Tables(np.ascontiguousarray(counts), offsets, unit)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, table: int) -> Ints:
        return self.counts[self.offsets[table] : self.offsets[table + 1]]

    def check(self) -> None:
        """Refuse tables whose costs cannot be computed, with the messages of the compiled core."""
        if frexp(self.unit)[0] != 0.5:
            raise ValueError("unit must be a power of two")
        if (self.counts < 0).any():
            raise ValueError("counts must not be negative")
        for table in range(len(self)):
            total = sum(self[table].sum(axis=1, dtype=object).tolist())
            if total >= 2**62:
                raise ValueError("the counts of a table must add up to less than 2**62")
            if total * self.unit > LARGEST_TOTAL:
                raise ValueError("the weights of a table must add up to at most 2**30")


_NO_BOUNDS = np.empty(0)


@dataclass(frozen=True)
class ValueTable:
    """The contingency table of a column, missing values first if they have weight; other values may have none.

    Attributes
    ----------
    summary : Summary
        The summary of the column.
    missing : bool
        Whether the first row is that of missing values.
    counts : int64 array of shape (missing + n_labels, n_classes)
        Weight of each row in each class.
    """

    summary: Summary
    missing: bool
    counts: Ints

    @staticmethod
    def of(summary: Summary) -> "ValueTable":
        """Return the table of a summary."""
        counts, missing = summary.counts, summary.missing
        return ValueTable(summary, missing, np.roll(counts, 1, axis=0) if missing else counts[:-1])

    @property
    def has_values(self) -> bool:
        """Whether any value other than missing has weight."""
        return bool(self.counts[int(self.missing) :].any())

    def intervals(self, cuts: Ints, level: float | None = None, cost: Any = None) -> Intervals:
        """Return the intervals of an ordered column, given the number of rows to the left of each cut.

        The row to the left of a cut has weight; the first rows to its right may have none.
        """
        if not len(cuts):  # the most frequent case in wide tables
            return Intervals(_NO_BOUNDS, False, joined=0 if self.missing else None, level=level, cost=cost)
        labels = np.asarray(self.summary.labels)
        own_bin = self.missing and self._is_first(int(cuts[0]))  # a cut between missing values and the lowest number
        inner = cuts[int(own_bin) :] - self.missing
        right = [_first_occurring(self.summary.counts, cut) for cut in inner.tolist()]
        bounds = readable_between(labels[inner - 1], labels[right])
        return Intervals(bounds, own_bin, joined=0 if self.missing and not own_bin else None, level=level, cost=cost)

    def _is_first(self, cut: int) -> bool:
        """Return whether only missing values have weight to the left of a cut."""
        return cut == 1 or not self.counts[1:cut].any()


def _first_occurring(counts: Ints, begin: int) -> int:
    """Return the first row from ``begin`` on that has weight; mostly that is the row itself."""
    n_rows = 16
    while not len(found := np.flatnonzero(occurring(counts[begin : begin + n_rows]))):
        begin, n_rows = begin + n_rows, 2 * n_rows
    return begin + int(found[0])


def stack(tables: Sequence[ValueTable]) -> Tables:
    """Return the tables as one; totals above 2^30 are scaled down, which hardly changes the cuts."""
    unit = tables[0].summary.unit
    heaviest = max((int(table.counts.sum()) for table in tables), default=0)
    while heaviest * unit > LARGEST_TOTAL:
        unit /= 2
    return Tables.stack([table.counts for table in tables], unit)


def least_units(min_size: float, unit: float) -> int:
    """Return the minimum weight of a bin in units; more than 2^62, which no table has, is as much as that."""
    return ceil(min(min_size / unit, 2.0**62))
