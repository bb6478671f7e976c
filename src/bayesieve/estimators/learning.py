"""Bins and tables of every fold, learnt in one pass over the columns.

A column is read once and dropped once every fold has its codes, so that a fit needs little memory beyond the codes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

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
    for j, column in enumerate(sample.table):
        for learner in learners:
            learner.add(j, column, rule)
    return [learner.finish(model) for learner in learners]


class _Learner:
    """One fold in the making."""

    def __init__(self, sample: Sample, fold: Fold) -> None:
        self._sample = sample
        self._fold = fold
        self._all = len(fold.fitting) == sample.table.n_rows and bool((np.diff(fold.fitting) == 1).all())
        self._target = sample.target.take(fold.fitting)
        weights = sample.weights.take(fold.fitting)
        self._weights = None if (weights.units == 1).all() else weights.units
        self._mass = np.zeros(sample.target.n_classes, dtype=np.int64)
        np.add.at(self._mass, self._target.codes, weights.units)
        self._partitions: list[Partition] = []
        self._counts: list[NDArray[np.int64]] = []
        n_scored = fold.scored.table.n_rows if isinstance(fold.scored, Sample) else len(fold.scored)
        self._codes = CodeBuilder(sample.table.n_columns, n_scored)

    def add(self, j: int, column: Column, rule: CodingRule) -> None:
        """Learn from the next column."""
        ids = column.ids if self._all else column.ids[self._fold.fitting]
        n_labels, n_classes = len(column.labels), self._sample.target.n_classes
        counts = count_labels(ids, self._target.codes, self._weights, n_labels, n_classes)
        partition = rule.learn(Summary(column.name, column.labels, counts, self._sample.weights.unit))
        parts = partition.parts(column)
        self._partitions.append(partition)
        self._counts.append(sum_by_part(parts, counts, partition.n_parts + 1))
        self._codes.add(self._coded(j, column, partition, parts), partition.n_parts)

    def _coded(self, j: int, column: Column, partition: Partition, parts: NDArray[np.intp]) -> NDArray[np.intp]:
        scored = self._fold.scored
        if isinstance(scored, Sample):
            other = scored.table.column(j)
            return partition.parts(other)[other.ids]
        return parts[column.ids[scored]]

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
