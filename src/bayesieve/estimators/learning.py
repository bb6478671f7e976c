"""Bins and tables of every fold, learnt in one pass over the columns.

A column is read once and dropped once every fold has its codes, so that a fit needs little memory beyond the codes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding import CodeBuilder, CodingRule, Partition, Summary, count_labels, sum_by_part
from bayesieve.data import Column
from bayesieve.engine import Segment
from bayesieve.estimators.sample import Fold, Sample
from bayesieve.models import Model, Tables

__all__ = ["Learnt", "learn"]


@dataclass(frozen=True)
class Learnt:
    """Partitions and tables of every column, and the scored rows coded by them."""

    partitions: list[Partition]
    tables: Tables
    segment: Segment


def learn(sample: Sample, folds: Sequence[Fold], rule: CodingRule, model: Model) -> list[Learnt]:
    """Learn partitions and tables of each fold from its fitting rows, and code its scored rows."""
    learners = [_Learner(sample, fold) for fold in folds]
    everything = _Counter(sample, np.arange(sample.table.n_rows))
    for j, column in enumerate(sample.table):
        whole = _Lesson(column, everything.count(column), sample.weights.unit, rule)
        for learner in learners:
            learner.add(j, whole)
    return [learner.finish(model) for learner in learners]


class _Lesson:
    """What a rule makes of one column's counts."""

    def __init__(self, column: Column, counts: NDArray[np.int64], unit: float, rule: CodingRule) -> None:
        self.column, self.counts, self.unit, self.rule = column, counts, unit, rule

    @cached_property
    def occurs(self) -> NDArray[np.bool_]:
        """Which labels have weight."""
        occurs: NDArray[np.bool_] = np.asarray(self.counts.any(axis=1))
        return occurs

    @cached_property
    def learnt(self) -> tuple[Partition, NDArray[np.intp]]:
        """The partition, and the part of each label."""
        partition = self.rule.learn(Summary(self.column.name, self.column.labels, self.counts, self.unit))
        return partition, partition.parts(self.column)

    def of_some_rows(self, counts: NDArray[np.int64]) -> tuple[Partition, NDArray[np.intp]]:
        """Return the partition that fewer rows teach, which may be the same."""
        some = _Lesson(self.column, counts, self.unit, self.rule)
        if not self.rule.needs_weights and np.array_equal(some.occurs, self.occurs):
            return self.learnt
        return some.learnt


class _Counter:
    """Counts the labels of some rows by class."""

    def __init__(self, sample: Sample, rows: NDArray[np.int64]) -> None:
        self._rows = np.ascontiguousarray(rows)
        self._target = sample.target.take(rows)
        weights = sample.weights.units[rows]
        self._weights = None if (weights == 1).all() else weights
        self.mass = np.zeros(sample.target.n_classes, dtype=np.int64)
        np.add.at(self.mass, self._target.codes, weights)

    def count(self, column: Column) -> NDArray[np.int64]:
        """Return the weight of each label (missing last) in each class."""
        return count_labels(column, self._rows, self._target, self._weights)


class _Learner:
    """One fold in the making.

    Where the scored rows are all that is not fitted on, as in cross-validation, only they are counted: the counts of
    the fitting rows are what is left of the whole.
    """

    def __init__(self, sample: Sample, fold: Fold) -> None:
        self._sample = sample
        self._fold = fold
        n_rows = sample.table.n_rows
        self._is_whole = np.array_equal(fold.fitting, np.arange(n_rows))
        self._is_rest = _complementary(fold, n_rows)
        rest = fold.scored if self._is_rest and not isinstance(fold.scored, Sample) else None
        self._counter = _Counter(sample, fold.fitting if rest is None else rest)
        whole = _Counter(sample, np.arange(n_rows)).mass
        self._mass = whole - self._counter.mass if self._is_rest else self._counter.mass
        self._partitions: list[Partition] = []
        self._counts: list[NDArray[np.int64]] = []
        other = fold.scored if isinstance(fold.scored, Sample) else None
        self._rows = np.arange(other.table.n_rows) if other else np.ascontiguousarray(fold.scored, dtype=np.int64)
        self._codes = CodeBuilder(sample.table.n_columns, len(self._rows))

    def add(self, j: int, whole: _Lesson) -> None:
        """Learn from the next column."""
        column, counts = whole.column, whole.counts
        if not self._is_whole:
            counted = self._counter.count(column)
            counts = counts - counted if self._is_rest else counted
        partition, parts = whole.of_some_rows(counts)
        self._partitions.append(partition)
        self._counts.append(sum_by_part(parts, counts, partition.n_parts + 1))
        if isinstance(self._fold.scored, Sample):
            column = self._fold.scored.table.column(j)
            parts = partition.parts(column)
        self._codes.add(column, self._rows, parts, partition.n_parts)

    def finish(self, model: Model) -> Learnt:
        """Turn counts into tables."""
        codes, scored = self._codes.build(), self._fold.scored
        tables = model.learn(np.concatenate(self._counts), codes.offsets, self._mass, self._sample.weights.unit)
        if not isinstance(scored, Sample):
            target, weights = self._sample.target.take(scored), self._sample.weights.take(scored)
        else:
            target, weights = scored.target, scored.weights
        segment = Segment(codes, target.codes, weights.units, tables, target.n_classes)
        return Learnt(self._partitions, tables, segment)


def _complementary(fold: Fold, n_rows: int) -> bool:
    """Tell whether each row is either fitted on or scored, once."""
    if isinstance(fold.scored, Sample) or len(fold.fitting) + len(fold.scored) != n_rows:
        return False
    times = np.zeros(n_rows, dtype=np.int64)
    np.add.at(times, fold.fitting, 1)
    np.add.at(times, fold.scored, 1)
    return bool((times == 1).all())
