# SPDX-License-Identifier: BSD-3-Clause
"""Coding rules: each learns the partition of a column from the summary of its training rows."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Ints
from bayesieve.bins.label_weights import ColumnWeights, LabelWeights, occurring, weigh_labels
from bayesieve.bins.learned_bins import LearnedBins
from bayesieve.bins.partition import Groups, Partition, on_borders, with_scale
from bayesieve.data import LabeledColumns, Values, entries_of
from bayesieve.exceptions import PooledValuesWarning, warn_caller

__all__ = [
    "MAX_BINS",
    "BinLearner",
    "CodingRule",
    "DistinctValues",
    "Summary",
    "distinct_groups",
    "sum_by_bin",
    "sum_by_bin_numpy",
    "sum_by_bins",
    "sum_by_bins_numpy",
    "warn_of_pools",
]


@dataclass(frozen=True)
class Summary:
    """Distinct values of a column in the training rows.

    Attributes
    ----------
    name : str
        The column's name.
    labels : float64 array, or tuple
        Distinct values in increasing order, numbers as an array. Some may have no weight.
    counts : int64 array of shape (len(labels) + 1, n_classes)
        Weight of each value in each class, in units; missing values last.
    unit : float
        The unit of the weights.
    known_weights : ColumnWeights, default=None
        The weight of each value in all classes, where that is known; computed from the counts otherwise.
    """

    name: str
    labels: NDArray[np.float64] | tuple[Any, ...]
    counts: Ints
    unit: float
    known_weights: ColumnWeights | None = field(default=None, compare=False)

    @property
    def mass(self) -> Ints:
        """Weight of each value without missing values."""
        return self.weights[:-1]

    @property
    def weights(self) -> Ints:
        """Weight of each value, missing values last."""
        return self.weighed.of_label

    @cached_property
    def weighed(self) -> ColumnWeights:
        """The weight of each value, missing values last, and their summary."""
        if self.known_weights is not None:
            return self.known_weights
        offsets = np.array([0, len(self.counts)])
        return weigh_labels(self.counts, offsets).split(offsets, [0])[0]

    @property
    def missing(self) -> bool:
        """Whether missing values have weight."""
        return bool(self.counts[-1].any())


def sum_by_bin(bin_of_label: NDArray[np.intp], counts: Ints, n_codes: int) -> Ints:
    """Add up the counts of the labels of each bin."""
    if core is None:
        warn_if_missing()
        return sum_by_bin_numpy(bin_of_label, counts, n_codes)
    return core.add_by_bin(bin_of_label, np.ascontiguousarray(counts), n_codes)


def sum_by_bins(bins_of_labels: Sequence[NDArray[np.intp]], counts: Ints, offsets: Ints) -> Ints:
    """Add up the counts of the labels of each bin of each column; the bins of a column begin at its offset."""
    if core is None:
        warn_if_missing()
        return sum_by_bins_numpy(bins_of_labels, counts, offsets)
    return core.add_by_bins(list(bins_of_labels), np.ascontiguousarray(counts), offsets)


def sum_by_bins_numpy(bins_of_labels: Sequence[NDArray[np.intp]], counts: Ints, offsets: Ints) -> Ints:
    """Specification of `sum_by_bins`, and its fallback without the compiled core."""
    places = np.concatenate([bins + first for bins, first in zip(bins_of_labels, offsets.tolist(), strict=False)])
    return sum_by_bin_numpy(places, counts, int(offsets[-1]))


def sum_by_bin_numpy(bin_of_label: NDArray[np.intp], counts: Ints, n_codes: int) -> Ints:
    """Specification of `sum_by_bin`, and its fallback without the compiled core."""
    sums = np.zeros((n_codes, counts.shape[1]), dtype=np.int64)
    np.add.at(sums, bin_of_label, counts)
    return sums


MAX_BINS = 65_535  # with the code for unseen values, as many as 16 bits hold


class CodingRule:
    """Base of the rules that learn bins from distinct values and their weights: implement `learn` or `learn_all`.

    ``needs_weights`` is False if a partition depends only on which values have weight, not on how much. ``blind`` is
    True if all folds share the partition of all rows: it must not depend on the target.
    """

    needs_weights: ClassVar[bool] = True
    blind: ClassVar[bool] = False

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

    def _learn_partitions(self, counts: Ints, which: Sequence[int]) -> list[tuple[Partition, Ints]]:
        begins, columns = self.batch.offsets, [self.batch.columns[j] for j in which]
        weights = self._weigh(counts).split(begins, which)
        summaries = [
            Summary(column.name, column.labels, counts[begins[j] : begins[j + 1]], self._unit, known)
            for j, column, known in zip(which, columns, weights, strict=True)
        ]
        learned = self._rule.learn_all(summaries, self.batch.n_threads)
        partitions = [
            on_borders(with_scale(partition, column.scale), column)
            for partition, column in zip(learned, columns, strict=True)
        ]
        return [(partition, partition.bins_of(column)) for partition, column in zip(partitions, columns, strict=True)]
