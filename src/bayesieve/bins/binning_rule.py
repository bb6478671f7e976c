# SPDX-License-Identifier: BSD-3-Clause
"""Coding rules, which learn the partition of a column from the summary of its training rows; bins of many columns."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import ClassVar, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins.partition import Groups, Partition, on_borders, on_days, with_levels, with_scale
from bayesieve.bins.summary import LabelWeights, Summary, occurring, sum_by_bins, weigh_labels
from bayesieve.data import LabeledColumns, Values, entries_of
from bayesieve.exceptions import PooledValuesWarning, warn_caller

__all__ = [
    "MAX_BINS",
    "BinLearner",
    "CodingRule",
    "ColumnBins",
    "DistinctValues",
    "LearnedBins",
    "distinct_groups",
    "warn_of_pools",
]


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


MAX_BINS = 65_535  # with the code for unseen values, as many as 16 bits hold


class CodingRule:
    """Base of the rules that learn bins from distinct values and their weights: implement `learn` or `learn_all`.

    ``needs_weights`` is False if a partition depends only on which values have weight, not on how much. ``blind`` is
    True if all folds share the partition of all rows: it must not depend on the target. ``reads_order`` is False if
    ordered categories are learned like others.
    """

    needs_weights: ClassVar[bool] = True
    blind: ClassVar[bool] = False
    reads_order: ClassVar[bool] = True

    def for_table(self, n_columns: int) -> "CodingRule":
        """Return the rule for a table of `n_columns` columns, if it depends on their number."""
        return self

    def has_single_bin(self, weights: LabelWeights, unit: float) -> NDArray[np.bool_]:
        """Return which columns certainly have a single bin, given the weights of all labels.

        This test of a whole batch saves the cost of learning each column, which matters in wide tables.
        """
        return np.zeros(len(weights.total), dtype=bool)

    def learn(self, summary: Summary) -> Partition:
        """Return the partition of a column; values without weight are ignored."""
        return self.learn_all([summary])[0]

    def learn_all(self, summaries: Sequence[Summary], n_threads: int = 1) -> list[Partition]:
        """Return the partition of each column."""
        return [self.learn(summary) for summary in summaries]


class DistinctValues(CodingRule):
    """Each distinct value is a code."""

    needs_weights = False
    reads_order = False

    def learn(self, summary: Summary) -> Partition:
        """Return one group per value."""
        return distinct_groups(summary)


def distinct_groups(summary: Summary) -> Groups:
    """Return one group per value that occurs; beyond 65,535 values the rarest share the last group."""
    mass, missing = summary.mass, summary.missing
    occurring = np.flatnonzero(mass).tolist()
    labels = summary.labels.tolist() if isinstance(summary.labels, np.ndarray) else summary.labels
    room = MAX_BINS - missing
    if len(occurring) <= room:
        return Groups(tuple([(labels[i],) for i in occurring]), missing)
    rare = set(np.argsort(-mass[occurring], kind="stable")[room - 1 :].tolist())
    kept = tuple((labels[i],) for place, i in enumerate(occurring) if place not in rare)
    pooled = tuple(labels[i] for place, i in enumerate(occurring) if place in rare)
    return Groups((*kept, pooled), missing)


def warn_of_pools(names: Iterable[str], partitions: Iterable[Partition]) -> None:
    """Warn of columns whose rarest values share a code; not part of learning, which is repeated for each fold."""
    for name, partition in zip(names, partitions, strict=True):
        if partition.n_bins == MAX_BINS and isinstance(partition, Groups) and len(partition.groups[-1]) > 1:
            n_pooled = len(partition.groups[-1])
            n_values = len(partition.groups) - 1 + n_pooled
            warn_caller(
                f"Column {name!r} has {n_values} distinct values and at most {MAX_BINS} are expected; the {n_pooled} "
                "rarest share a bin.",
                PooledValuesWarning,
            )


class _Layout(NamedTuple):
    """Partitions and bins of labels of each column, and where its bins begin among all."""

    partitions: list[Partition]
    bins_of_labels: list[Ints]
    offsets: Ints


_MOST_COMPARED = 1024


def _values_key(column: Values, occurs: bytes) -> Hashable:
    """Return what decides the partition of a column by a rule that needs no weights."""
    labels, borders = column.labels, column.borders
    if isinstance(labels, np.ndarray) and len(labels) <= _MOST_COMPARED:
        return labels.tobytes(), None if borders is None else borders.tobytes(), column.scale, occurs
    # Labels that are equal may differ in type, as 1 and True do; and of too many the rarest are pooled.
    return column.name, occurs


def _summary_of_levels(column: Values, counts: Ints, unit: float) -> Summary:
    """Return the summary of ordered categories, which are learned as numbers: their places."""
    ranks = column.ranks
    order = np.argsort(ranks)
    return Summary(column.name, ranks[order], counts[np.append(order, len(order))], unit)


class BinLearner:
    """Applies a coding rule to the columns of a batch.

    Partitions of a rule that depends only on which values occur are cached, since most are the same in all folds; a
    blind rule learns once.
    """

    def __init__(self, batch: LabeledColumns, rule: CodingRule, unit: float) -> None:
        self.batch, self._rule, self._unit = batch, rule, unit
        self._cache: dict[tuple[int, bytes], tuple[Partition, Ints]] = {}
        self._last: tuple[bytes, _Layout] | None = None
        self._weighed: tuple[Ints, LabelWeights] | None = None

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
        return self._rule.has_single_bin(self._weigh(counts), self._unit)

    def _weigh(self, counts: Ints) -> LabelWeights:
        """Return the weights of labels; of the same counts they are asked for several times in turn."""
        if self._weighed is None or self._weighed[0] is not counts:
            self._weighed = counts, weigh_labels(counts, self.batch.offsets)
        return self._weighed[1]

    def learn(self, counts: Ints) -> LearnedBins:
        """Return the bins of each column, given the counts of the training rows."""
        layout = self._layout(counts)
        sums = sum_by_bins(layout.bins_of_labels, counts, layout.offsets)
        return LearnedBins(layout.partitions, layout.bins_of_labels, layout.offsets, sums)

    def _layout(self, counts: Ints) -> "_Layout":
        """Return the partitions, and where their bins are: the same for all folds in which the same values occur."""
        if self._rule.needs_weights and not self._rule.blind:
            return self._lay_out(self._learn_partitions(counts, range(len(self.batch.columns))))
        key = b"" if self._rule.blind else occurring(counts).tobytes()
        if self._last is None or self._last[0] != key:
            self._last = key, self._lay_out(self._cached_partitions(counts, key))
        return self._last[1]

    def _lay_out(self, partitions: Sequence[tuple[Partition, Ints]]) -> "_Layout":
        n_codes = {id(partition): partition.n_bins + 1 for partition, _ in partitions}  # many columns may share one
        sizes = [n_codes[id(partition)] for partition, _ in partitions]
        offsets = np.append(0, np.cumsum(sizes)).astype(np.int64)
        return _Layout([partition for partition, _ in partitions], [bins for _, bins in partitions], offsets)

    def n_values(self, counts: Ints) -> Ints:
        """Return the number of values of each column that occur, missing values as one."""
        return self._weigh(counts).n_values

    def _cached_partitions(self, counts: Ints, occurs: bytes) -> list[tuple[Partition, Ints]]:
        """Return what was learned of each column; ``occurs`` has a byte per label, or none if the rule is blind."""
        keys = [(j, occurs[a:b]) for j, (a, b) in enumerate(pairwise(self.batch.offsets.tolist()))]
        new = [key for key in keys if key not in self._cache]
        self._cache.update(zip(new, self._learn_distinct(counts, new), strict=True))
        return [self._cache[key] for key in keys]

    def _learn_distinct(self, counts: Ints, keys: Sequence[tuple[int, bytes]]) -> list[tuple[Partition, Ints]]:
        """Learn the partitions of some columns by a rule for which all columns with the same values are the same.

        A wide table of indicators has two values in each column, and one partition is learned.
        """
        if self._rule.needs_weights:
            return self._learn_partitions(counts, [j for j, _ in keys])
        alike = [_values_key(self.batch.columns[j], occurs) for j, occurs in keys]
        first = {value: j for value, (j, _) in zip(reversed(alike), reversed(keys), strict=True)}
        learned = dict(zip(first, self._learn_partitions(counts, list(first.values())), strict=True))
        return [learned[value] for value in alike]

    def _reads_order(self, column: Values) -> bool:
        """Return whether the labels of a column are learned as places in an order."""
        return column.levels is not None and self._rule.reads_order

    def _learn_partitions(self, counts: Ints, which: Sequence[int]) -> list[tuple[Partition, Ints]]:
        begins, columns = self.batch.offsets, [self.batch.columns[j] for j in which]
        weights = self._weigh(counts).split(begins, which)
        summaries = [
            _summary_of_levels(column, counts[begins[j] : begins[j + 1]], self._unit)
            if self._reads_order(column)
            else Summary(column.name, column.labels, counts[begins[j] : begins[j + 1]], self._unit, known)
            for j, column, known in zip(which, columns, weights, strict=True)
        ]
        learned = self._rule.learn_all(summaries, self.batch.n_threads)
        partitions = [
            with_levels(partition, column)
            if self._reads_order(column)
            else on_days(on_borders(with_scale(partition, column.scale), column), column)
            for partition, column in zip(learned, columns, strict=True)
        ]
        return [(partition, partition.bins_of(column)) for partition, column in zip(partitions, columns, strict=True)]
