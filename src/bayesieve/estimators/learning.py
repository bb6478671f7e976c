"""Bins and tables of every fold, learnt in one pass over the columns.

A block of columns is read once and dropped once every fold has its codes, so that a fit needs little memory beyond the
codes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding import CodeBuilder, CodingRule, Partition, Summary, sum_by_part
from bayesieve.data import Block
from bayesieve.engine import Segment
from bayesieve.estimators.sample import Fold, Sample
from bayesieve.estimators.tally import Tally
from bayesieve.models import Model, Tables

__all__ = ["Learnt", "learn"]

Ints = NDArray[np.int64]
_MOST_COUNTS = 1 << 20  # of a block: 8 MiB

Lesson = tuple[Partition, Ints]  # a partition, and the part of each label of the column


@dataclass(frozen=True)
class Learnt:
    """Partitions and tables of every column, and the scored rows coded by them."""

    partitions: list[Partition]
    tables: Tables
    segment: Segment


def learn(sample: Sample, folds: Sequence[Fold], rule: CodingRule, model: Model, n_threads: int = 1) -> list[Learnt]:
    """Learn partitions and tables of each fold from its fitting rows, and code its scored rows."""
    tally = Tally(sample, folds)
    learners = [_Learner(sample, fold) for fold in folds]
    for first, block in sample.table.blocks(n_threads, n_labels=_MOST_COUNTS // tally.n_strata):
        teacher = _Teacher(block, rule, sample.weights.unit)
        for learner, counts in zip(learners, tally.count(block), strict=True):
            learner.add(first, block, counts, teacher.teach(counts))
    return [learner.finish(model, mass) for learner, mass in zip(learners, tally.masses(sample), strict=True)]


class _Teacher:
    """What a rule makes of the columns of a block.

    A rule that asks only which values occur would mostly repeat itself from fold to fold, so its answers are kept.
    """

    def __init__(self, block: Block, rule: CodingRule, unit: float) -> None:
        self._block, self._rule, self._unit = block, rule, unit
        self._known: dict[tuple[int, bytes], Lesson] = {}

    def teach(self, counts: Ints) -> list[Lesson]:
        """Return the partition of each column, and the parts of its labels, given the counts of some rows."""
        if self._rule.needs_weights:
            return self._learn(counts, range(len(self._block.columns)))
        begins, occurs = self._block.offsets.tolist(), np.asarray(counts.any(axis=1))
        keys = [(j, occurs[a:b].tobytes()) for j, (a, b) in enumerate(pairwise(begins))]
        new = [key for key in keys if key not in self._known]
        self._known.update(zip(new, self._learn(counts, [j for j, _ in new]), strict=True))
        return [self._known[key] for key in keys]

    def _learn(self, counts: Ints, which: Sequence[int]) -> list[Lesson]:
        begins, columns = self._block.offsets, [self._block.columns[j] for j in which]
        summaries = [
            Summary(column.name, column.labels, counts[begins[j] : begins[j + 1]], self._unit)
            for j, column in zip(which, columns, strict=True)
        ]
        partitions = self._rule.learn_all(summaries, self._block.n_threads)
        return [(partition, partition.parts(column)) for partition, column in zip(partitions, columns, strict=True)]


class _Learner:
    """One fold in the making."""

    def __init__(self, sample: Sample, fold: Fold) -> None:
        self._sample = sample
        self._partitions: list[Partition] = []
        self._counts: list[Ints] = []
        self._scored = fold.scored if isinstance(fold.scored, Sample) else sample
        rows = np.arange(self._scored.table.n_rows) if fold.scored is self._scored else np.asarray(fold.scored)
        # In the order of the classes, as the engine wants them.
        self._rows = rows[np.argsort(self._scored.target.codes[rows], kind="stable")].astype(np.int64)
        self._codes = CodeBuilder(sample.table.n_columns, len(self._rows))

    def add(self, first: int, block: Block, counts: Ints, lessons: Sequence[Lesson]) -> None:
        """Learn from the next columns."""
        partitions, parts = [partition for partition, _ in lessons], [parts for _, parts in lessons]
        n_parts = [partition.n_parts for partition in partitions]
        begins = np.concatenate([[0], np.cumsum(np.array(n_parts) + 1)])
        places = np.concatenate(parts) + np.repeat(begins[:-1], np.diff(block.offsets))
        self._counts.append(sum_by_part(places, counts, int(begins[-1])))
        self._partitions += partitions
        if self._scored is not self._sample:
            block = self._scored.table.block(first, first + len(partitions), block.n_threads)
            parts = [partition.parts(column) for partition, column in zip(partitions, block.columns, strict=True)]
        self._codes.add(block, self._rows, parts, n_parts)

    def finish(self, model: Model, mass: Ints) -> Learnt:
        """Turn counts into tables."""
        codes = self._codes.build()
        tables = model.learn(np.concatenate(self._counts), codes.offsets, mass, self._sample.weights.unit)
        target, weights = self._scored.target.take(self._rows), self._scored.weights.take(self._rows)
        segment = Segment(codes, target.codes, weights.units, tables, target.n_classes)
        return Learnt(self._partitions, tables, segment)
