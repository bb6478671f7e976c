"""Bins and tables of every fold, learnt in one pass over the columns.

A block of columns is read once and dropped once every fold has its codes, so that a fit needs little memory beyond the
codes.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding import CodeBuilder, CodingRule, Partition, Summary, occurring, sum_by_part, with_scale
from bayesieve.data import Block
from bayesieve.engine import Segment
from bayesieve.estimators.sample import Fold, Sample
from bayesieve.estimators.tally import Tally
from bayesieve.models import Model, Tables

__all__ = ["Fate", "Learnt", "Lessons", "Teacher", "learn"]

Ints = NDArray[np.int64]
_MOST_COUNTS = 1 << 20  # of a block: 8 MiB


class Fate(IntEnum):
    """What becomes of a column."""

    coded = 0
    dropped = 1
    constant = 2
    uninformative = 3


@dataclass(frozen=True)
class Learnt:
    """Partitions and tables of the coded columns, what was counted for them, and the scored rows coded by them."""

    partitions: list[Partition]
    counts: list[Ints]
    tables: Tables
    segment: Segment


@dataclass(frozen=True)
class Lessons:
    """What every fold learnt, and which columns are worth codes.

    Attributes
    ----------
    folds : list of Learnt
        One a fold.
    columns : int64 array of shape (n_coded,)
        The table's columns that were coded, in order.
    fates : int8 array of shape (n_columns,)
        What became of each column, a `Fate`.
    """

    folds: list[Learnt]
    columns: Ints
    fates: NDArray[np.int8]


def learn(
    sample: Sample,
    folds: Sequence[Fold],
    rule: CodingRule,
    model: Model,
    *,
    n_threads: int = 1,
    wanted: Collection[int] = (),
    dropped: Collection[int] = (),
) -> Lessons:
    """Learn partitions and tables of each fold from its fitting rows, and code its scored rows.

    A column that has one part in the last fold says nothing, and is coded only if it is ``wanted``.
    """
    tally = Tally(sample, folds)
    rule = rule.for_table(sample.table.n_columns)
    learners = [_Learner(sample, fold) for fold in folds]
    fates = np.zeros(sample.table.n_columns, dtype=np.int8)
    fates[list(dropped)] = Fate.dropped
    needed = np.zeros(sample.table.n_columns, dtype=bool)
    needed[list(wanted)] = True
    for first, block in sample.table.blocks(n_threads, n_labels=_MOST_COUNTS // tally.n_strata):
        undecided = first + np.flatnonzero(fates[first : first + len(block.columns)] == Fate.coded)
        if not len(undecided):
            continue
        chosen = block.take(undecided - first)
        counts, teacher = tally.count(chosen), Teacher(chosen, rule, sample.weights.unit)
        last = teacher.teach(counts[-1])
        for j, lesson in zip(undecided, last, strict=True):
            if lesson.partition.n_parts < 2 and not needed[j]:
                fates[j] = Fate.constant if lesson.n_values < 2 else Fate.uninformative
        coded = np.flatnonzero(fates[undecided] == Fate.coded)
        if not len(coded):
            continue
        teacher, labels = teacher.take(coded)
        for f, learner in enumerate(learners[:-1]):
            learner.add(undecided[coded], teacher.block, teacher.teach(counts[f][labels]))
        learners[-1].add(undecided[coded], teacher.block, [last[j] for j in coded])
    masses = tally.masses(sample)
    learnt = [learner.finish(model, mass) for learner, mass in zip(learners, masses, strict=True)]
    return Lessons(learnt, np.flatnonzero(fates == Fate.coded), fates)


@dataclass(frozen=True)
class Lesson:
    """What a column teaches.

    Attributes
    ----------
    partition : Partition
    parts : array of shape (n_labels + 1,)
        The part of each label, and of missing values.
    counts : array of shape (n_parts + 1, n_classes)
        The weight of each part in each class, *unseen* last.
    n_values : int
        Number of values that occur, missing as one.
    """

    partition: Partition
    parts: Ints
    counts: Ints
    n_values: int


class Teacher:
    """What a rule makes of the columns of a block.

    A rule that asks only which values occur would mostly repeat itself from fold to fold, so its answers are kept.
    """

    def __init__(self, block: Block, rule: CodingRule, unit: float) -> None:
        self.block, self._rule, self._unit = block, rule, unit
        self._known: dict[tuple[int, bytes], tuple[Partition, Ints]] = {}

    def take(self, columns: NDArray[np.intp]) -> tuple["Teacher", NDArray[np.intp] | slice]:
        """Return a teacher of some columns, and where their labels are among those of all columns."""
        if len(columns) == len(self.block.columns):
            return self, slice(None)
        begins = self.block.offsets
        labels = np.concatenate([np.arange(begins[j], begins[j + 1]) for j in columns])
        return Teacher(self.block.take(columns), self._rule, self._unit), labels

    def teach(self, counts: Ints) -> list[Lesson]:
        """Return what each column teaches, given the counts of some rows."""
        begins = self.block.offsets.tolist()
        partitions = self._partitions(counts)
        sizes = np.array([partition.n_parts + 1 for partition, _ in partitions])
        ends = np.cumsum(sizes)
        places = np.concatenate([parts for _, parts in partitions]) + np.repeat(ends - sizes, np.diff(begins))
        sums = np.split(sum_by_part(places, counts, int(ends[-1])), ends[:-1])
        n_values = np.add.reduceat(occurring(counts), begins[:-1], dtype=np.int64).tolist()
        return [Lesson(*learnt, *each) for learnt, *each in zip(partitions, sums, n_values, strict=True)]

    def _partitions(self, counts: Ints) -> list[tuple[Partition, Ints]]:
        if self._rule.needs_weights:
            return self._learn(counts, range(len(self.block.columns)))
        begins, occurs = self.block.offsets.tolist(), occurring(counts)
        keys = [(j, occurs[a:b].tobytes()) for j, (a, b) in enumerate(pairwise(begins))]
        new = [key for key in keys if key not in self._known]
        self._known.update(zip(new, self._learn(counts, [j for j, _ in new]), strict=True))
        return [self._known[key] for key in keys]

    def _learn(self, counts: Ints, which: Sequence[int]) -> list[tuple[Partition, Ints]]:
        begins, columns = self.block.offsets, [self.block.columns[j] for j in which]
        summaries = [
            Summary(column.name, column.labels, counts[begins[j] : begins[j + 1]], self._unit)
            for j, column in zip(which, columns, strict=True)
        ]
        learnt = self._rule.learn_all(summaries, self.block.n_threads)
        partitions = [with_scale(partition, column.scale) for partition, column in zip(learnt, columns, strict=True)]
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
        self._codes = CodeBuilder(len(self._rows))

    def add(self, columns: Ints, block: Block, lessons: Sequence[Lesson]) -> None:
        """Code the next columns; ``columns`` are their positions in the table."""
        self._partitions += [lesson.partition for lesson in lessons]
        self._counts += [lesson.counts for lesson in lessons]
        parts, n_parts = [lesson.parts for lesson in lessons], [lesson.partition.n_parts for lesson in lessons]
        if self._scored is not self._sample:
            first = int(columns[0])
            block = self._scored.table.block(first, int(columns[-1]) + 1, block.n_threads).take(columns - first)
            parts = [lesson.partition.parts(column) for lesson, column in zip(lessons, block.columns, strict=True)]
        self._codes.add(block, self._rows, parts, n_parts)

    def finish(self, model: Model, mass: Ints) -> Learnt:
        """Turn counts into tables."""
        codes = self._codes.build()
        counts = np.concatenate([np.empty((0, len(mass)), dtype=np.int64), *self._counts])
        tables = model.learn(counts, codes.offsets, mass, self._sample.weights.unit)
        target, weights = self._scored.target.take(self._rows), self._scored.weights.take(self._rows)
        segment = Segment(codes, target.codes, weights.units, tables, target.n_classes)
        return Learnt(self._partitions, self._counts, tables, segment)
