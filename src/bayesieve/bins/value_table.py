# SPDX-License-Identifier: BSD-3-Clause
"""A column's summary as a contingency table for partition searches, and their cuts as intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesieve._typing import Ints
from bayesieve.bins.binning_rule import Summary
from bayesieve.bins.finest_bins import readable_between
from bayesieve.bins.label_weights import occurring
from bayesieve.bins.modl.code_lengths import LARGEST_TOTAL
from bayesieve.bins.modl.tables import Tables
from bayesieve.bins.partition import Intervals

__all__ = ["ValueTable", "stack"]


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
