"""What the columns of a batch teach: a partition each, and the weight of its parts in each class."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding.partition import Partition, on_borders, with_scale
from bayesieve.coding.rule import CodingRule
from bayesieve.coding.summary import Summary, occurring, sum_by_bin
from bayesieve.data import LabeledColumns, entries_of

__all__ = ["BinLearner", "ColumnBins"]

Ints = NDArray[np.int64]


class ColumnBins(NamedTuple):
    """What a column teaches.

    Attributes
    ----------
    partition : Partition
    parts : array of shape (n_labels + 1,)
        The part of each label, and of missing values.
    counts : array of shape (n_bins + 1, n_classes)
        The weight of each part in each class, *unseen* last.
    """

    partition: Partition
    parts: Ints
    counts: Ints


class BinLearner:
    """What a rule makes of the columns of a batch.

    A rule that asks only which values occur would mostly repeat itself from fold to fold, so its answers are kept; a
    blind rule is asked once.
    """

    def __init__(self, batch: LabeledColumns, rule: CodingRule, unit: float) -> None:
        self.batch, self._rule, self._unit = batch, rule, unit
        self._known: dict[tuple[int, bytes], tuple[Partition, Ints]] = {}

    def take(self, columns: NDArray[np.intp]) -> tuple["BinLearner", NDArray[np.intp] | slice]:
        """Return a teacher of some columns, and where their labels are among those of all columns."""
        if len(columns) == len(self.batch.columns):
            return self, slice(None)
        labels = entries_of(self.batch.offsets, columns)
        some = BinLearner(self.batch.take(columns), self._rule, self._unit)
        place = {int(j): k for k, j in enumerate(columns)}
        some._known = {(place[j], key): known for (j, key), known in self._known.items() if j in place}
        return some, labels

    def has_single_bin(self, counts: Ints) -> NDArray[np.bool_]:
        """Tell of which columns it is plain that they have one part, given the counts of some rows."""
        return self._rule.has_single_bin(counts, self.batch.offsets[:-1], self._unit)

    def teach(self, counts: Ints) -> list[ColumnBins]:
        """Return what each column teaches, given the counts of some rows."""
        begins = self.batch.offsets.tolist()
        partitions = self._partitions(counts)
        starts = [0, *accumulate(partition.n_bins + 1 for partition, _ in partitions)]
        places = np.concatenate([parts for _, parts in partitions]) + np.repeat(starts[:-1], np.diff(begins))
        whole = sum_by_bin(places, counts, starts[-1])
        sums = [whole[a:b] for a, b in pairwise(starts)]
        return [ColumnBins(*learnt, each) for learnt, each in zip(partitions, sums, strict=True)]

    def n_values(self, counts: Ints) -> Ints:
        """Return how many values of each column occur, missing as one."""
        return np.add.reduceat(occurring(counts), self.batch.offsets[:-1], dtype=np.int64)

    def _partitions(self, counts: Ints) -> list[tuple[Partition, Ints]]:
        if self._rule.blind:
            keys = [(j, b"") for j in range(len(self.batch.columns))]
        elif self._rule.needs_weights:
            return self._learn(counts, range(len(self.batch.columns)))
        else:
            begins, occurs = self.batch.offsets.tolist(), occurring(counts)
            keys = [(j, occurs[a:b].tobytes()) for j, (a, b) in enumerate(pairwise(begins))]
        new = [key for key in keys if key not in self._known]
        self._known.update(zip(new, self._learn(counts, [j for j, _ in new]), strict=True))
        return [self._known[key] for key in keys]

    def _learn(self, counts: Ints, which: Sequence[int]) -> list[tuple[Partition, Ints]]:
        begins, columns = self.batch.offsets, [self.batch.columns[j] for j in which]
        summaries = [
            Summary(column.name, column.labels, counts[begins[j] : begins[j + 1]], self._unit)
            for j, column in zip(which, columns, strict=True)
        ]
        learnt = self._rule.learn_all(summaries, self.batch.n_threads)
        partitions = [
            on_borders(with_scale(partition, column.scale), column)
            for partition, column in zip(learnt, columns, strict=True)
        ]
        return [(partition, partition.bins_of(column)) for partition, column in zip(partitions, columns, strict=True)]
