# SPDX-License-Identifier: BSD-3-Clause
"""The learned bins of several columns, with their counts in one array."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins.partition import Partition
from bayesieve.data import entries_of

__all__ = ["ColumnBins", "LearnedBins"]


class ColumnBins(NamedTuple):
    """The learned bins of a column.

    Attributes
    ----------
    partition : Partition
        The bins.
    bin_of_label : array of shape (n_labels + 1,)
        The bin of each label, and of missing values.
    counts : array of shape (n_bins + 1, n_classes)
        The weight of each bin in each class, *unseen* last.
    """

    partition: Partition
    bin_of_label: Ints
    counts: Ints

    @property
    def n_bins(self) -> int:
        """Number of bins, *unseen* not counted."""
        return len(self.counts) - 1


class LearnedBins(Sequence[ColumnBins]):
    """The bins of each column, one after another.

    A wide table has thousands of columns with a few bins each, whose counts are stacked: it would take longer to part
    and join them than to count.

    Attributes
    ----------
    partitions : list of Partition
        The bins of each column.
    bins_of_labels : list of int arrays
        For each column, the bin of each label and of missing values.
    offsets : int64 array of shape (n_columns + 1,)
        Where the counts of each column begin.
    counts : int64 array of shape (offsets[-1], n_classes)
        The weight of each bin in each class, *unseen* the last of each column.
    """

    def __init__(self, partitions: list[Partition], bins_of_labels: list[Ints], offsets: Ints, counts: Ints) -> None:
        self.partitions, self.bins_of_labels = partitions, bins_of_labels
        self.offsets, self.counts = offsets, counts

    @property
    def n_bins(self) -> Ints:
        """Number of bins of each column, *unseen* not counted."""
        return np.diff(self.offsets) - 1

    def split_counts(self) -> list[Ints]:
        """Return the counts of each column."""
        return [self.counts[a:b] for a, b in pairwise(self.offsets.tolist())]

    def take(self, which: NDArray[np.intp]) -> "LearnedBins":
        """Return some of the columns, in increasing order."""
        if len(which) == len(self):
            return self
        places = which.tolist()
        sizes = np.diff(self.offsets)[which]
        return LearnedBins(
            [self.partitions[j] for j in places],
            [self.bins_of_labels[j] for j in places],
            np.append(0, np.cumsum(sizes)).astype(np.int64),
            self.counts[entries_of(self.offsets, which)],
        )

    def __len__(self) -> int:
        return len(self.partitions)

    @overload
    def __getitem__(self, j: int) -> ColumnBins: ...
    @overload
    def __getitem__(self, j: slice) -> Sequence[ColumnBins]: ...
    def __getitem__(self, j: int | slice) -> ColumnBins | Sequence[ColumnBins]:
        if isinstance(j, slice):
            return list(self)[j]
        j = range(len(self))[j]  # from the end, too; an IndexError beyond it
        counts = self.counts[self.offsets[j] : self.offsets[j + 1]]
        return ColumnBins(self.partitions[j], self.bins_of_labels[j], counts)

    def __iter__(self) -> Iterator[ColumnBins]:
        return map(ColumnBins, self.partitions, self.bins_of_labels, self.split_counts())
