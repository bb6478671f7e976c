"""Learn the bins of a batch of columns: a partition per column, and the weight of its bins in each class."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.coding.partition import Partition, on_borders, with_scale
from bayesieve.coding.rule import CodingRule, Summary, occurring, sum_by_bin
from bayesieve.data import LabeledColumns, entries_of

__all__ = ["BinLearner", "ColumnBins"]


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


class BinLearner:
    """Applies a coding rule to the columns of a batch.

    Partitions of a rule that depends only on which values occur are cached, since most are the same in all folds; a
    blind rule learns once.
    """

    def __init__(self, batch: LabeledColumns, rule: CodingRule, unit: float) -> None:
        self.batch, self._rule, self._unit = batch, rule, unit
        self._cache: dict[tuple[int, bytes], tuple[Partition, Ints]] = {}

    def take(self, columns: NDArray[np.intp]) -> tuple["BinLearner", NDArray[np.intp] | slice]:
        """Return the learner of some columns, and the positions of their labels among those of all columns."""
        if len(columns) == len(self.batch.columns):
            return self, slice(None)
        labels = entries_of(self.batch.offsets, columns)
        some = BinLearner(self.batch.take(columns), self._rule, self._unit)
        place = {int(j): k for k, j in enumerate(columns)}
        some._cache = {(place[j], key): partition for (j, key), partition in self._cache.items() if j in place}
        return some, labels

    def has_single_bin(self, counts: Ints) -> NDArray[np.bool_]:
        """Return which columns certainly have a single bin, given the counts of some rows."""
        return self._rule.has_single_bin(counts, self.batch.offsets[:-1], self._unit)

    def learn(self, counts: Ints) -> list[ColumnBins]:
        """Return the bins of each column, given the counts of the training rows."""
        begins = self.batch.offsets.tolist()
        partitions = self._partitions(counts)
        starts = [0, *accumulate(partition.n_bins + 1 for partition, _ in partitions)]
        places = np.concatenate([bin_of_label for _, bin_of_label in partitions]) + np.repeat(
            starts[:-1], np.diff(begins)
        )
        all_sums = sum_by_bin(places, counts, starts[-1])
        sums = [all_sums[a:b] for a, b in pairwise(starts)]
        return [ColumnBins(*partition, each) for partition, each in zip(partitions, sums, strict=True)]

    def n_values(self, counts: Ints) -> Ints:
        """Return the number of values of each column that occur, missing values as one."""
        return np.add.reduceat(occurring(counts), self.batch.offsets[:-1], dtype=np.int64)

    def _partitions(self, counts: Ints) -> list[tuple[Partition, Ints]]:
        if self._rule.blind:
            keys = [(j, b"") for j in range(len(self.batch.columns))]
        elif self._rule.needs_weights:
            return self._learn_partitions(counts, range(len(self.batch.columns)))
        else:
            begins, occurs = self.batch.offsets.tolist(), occurring(counts)
            keys = [(j, occurs[a:b].tobytes()) for j, (a, b) in enumerate(pairwise(begins))]
        new = [key for key in keys if key not in self._cache]
        self._cache.update(zip(new, self._learn_partitions(counts, [j for j, _ in new]), strict=True))
        return [self._cache[key] for key in keys]

    def _learn_partitions(self, counts: Ints, which: Sequence[int]) -> list[tuple[Partition, Ints]]:
        begins, columns = self.batch.offsets, [self.batch.columns[j] for j in which]
        summaries = [
            Summary(column.name, column.labels, counts[begins[j] : begins[j + 1]], self._unit)
            for j, column in zip(which, columns, strict=True)
        ]
        learned = self._rule.learn_all(summaries, self.batch.n_threads)
        partitions = [
            on_borders(with_scale(partition, column.scale), column)
            for partition, column in zip(learned, columns, strict=True)
        ]
        return [(partition, partition.bins_of(column)) for partition, column in zip(partitions, columns, strict=True)]
