"""Bins and tables of every fold, learnt in one pass over the columns.

A block of columns is read once and dropped once every fold has its codes, so that a fit needs little memory beyond the
codes.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding import BinLearner, CodeBuilder, CodingRule, ColumnBins, Partition
from bayesieve.data import ColumnBatch, LabeledColumns
from bayesieve.engine import Segment
from bayesieve.models import Model, Tables
from bayesieve.training.block_rows import TrainingRows
from bayesieve.training.fold_counts import FoldCounter, FoldCounts
from bayesieve.training.memory_rows import Fold, MemoryRows

__all__ = ["ColumnStatus", "FoldLearner", "LearnedColumns", "LearnedFold", "learn", "learn_columns"]

Ints = NDArray[np.int64]
_MOST_COUNTS = 1 << 20  # of a block: 8 MiB


class ColumnStatus(IntEnum):
    """What becomes of a column."""

    coded = 0
    dropped = 1
    constant = 2
    uninformative = 3


@dataclass(frozen=True)
class LearnedFold:
    """Partitions and tables of the coded columns, what was counted for them, and the scored rows coded by them.

    Rows in blocks are coded where they are: there is no segment here.
    """

    partitions: list[Partition]
    counts: list[Ints]
    tables: Tables
    segment: Segment | None = None


@dataclass(frozen=True)
class LearnedColumns:
    """What every fold learnt, and which columns are worth codes.

    Attributes
    ----------
    folds : list of Learnt
        One a fold.
    columns : int64 array of shape (n_coded,)
        The table's columns that were coded, in order.
    fates : int8 array of shape (n_columns,)
        What became of each column, a `ColumnStatus`.
    evidence : float64 array of shape (n_columns,)
        Log Bayes factor of each column against none, where the model tells; -inf where the column cannot speak.
    ordered : bool array of shape (n_columns,)
        Whether each column's values have an order.
    """

    folds: list[LearnedFold]
    columns: Ints
    statuses: NDArray[np.int8]
    evidence: NDArray[np.float64]
    ordered: NDArray[np.bool_]


def learn(
    sample: MemoryRows,
    folds: Sequence[Fold],
    rule: CodingRule,
    model: Model,
    *,
    n_threads: int = 1,
    wanted: Collection[int] = (),
    dropped: Collection[int] = (),
) -> LearnedColumns:
    """Learn partitions and tables of each fold from its fitting rows, and code its scored rows.

    A column that has one part in the last fold, or too little to say there, is coded only if it is ``wanted``.
    """
    tally = FoldCounter(sample, folds)
    masses = tally.masses(sample)
    learners = [_Coder(sample, fold, model, mass, n_threads) for fold, mass in zip(folds, masses, strict=True)]
    batches = sample.table.batches(n_threads, n_labels=_MOST_COUNTS // tally.n_strata)
    return learn_columns(sample, batches, tally, learners, rule, wanted=wanted, dropped=dropped)


class Counter(Protocol):
    """Counts labels by class among the fitting rows of each fold."""

    def count(self, batch: LabeledColumns) -> FoldCounts:
        """Count the weight of each label of each column in each class, for each fold."""
        ...


def learn_columns(
    sample: TrainingRows,
    batches: Iterable[tuple[int, LabeledColumns]],
    tally: Counter,
    learners: Sequence["FoldLearner"],
    rule: CodingRule,
    *,
    wanted: Collection[int],
    dropped: Collection[int],
) -> LearnedColumns:
    """Let each fold learn the columns of one block after another; the last fold says which are worth codes."""
    n_columns = len(sample.names)
    rule = rule.for_table(n_columns)
    statuses = np.zeros(n_columns, dtype=np.int8)
    statuses[list(dropped)] = ColumnStatus.dropped
    needed = np.zeros(n_columns, dtype=bool)
    needed[list(wanted)] = True
    evidence = np.full(n_columns, -np.inf)
    ordered = np.ones(n_columns, dtype=bool)
    for first, batch in batches:
        end = first + len(batch.columns)
        ordered[first:end] = [column.ordered for column in batch.columns]
        undecided = first + np.flatnonzero(statuses[first:end] == ColumnStatus.coded)
        if not len(undecided):
            continue
        chosen = batch.take(undecided - first)
        counts, teacher = tally.count(chosen), BinLearner(chosen, rule, sample.unit)
        # All have one part, until they are found to have more to say.
        statuses[undecided] = np.where(
            teacher.n_values(counts[-1]) < 2, ColumnStatus.constant, ColumnStatus.uninformative
        )
        varied = np.flatnonzero(needed[undecided] | ~teacher.has_single_bin(counts[-1]))
        if not len(varied):
            continue
        undecided, (teacher, labels) = undecided[varied], teacher.take(varied)
        counts = counts.take(labels)
        last = teacher.learn(counts[-1])
        several = np.flatnonzero(needed[undecided] | [lesson.partition.n_bins > 1 for lesson in last])
        tables, idle = learners[-1].learn([last[j] for j in several])
        if tables.log_bayes_factor is not None:
            evidence[undecided[several]] = tables.log_bayes_factor
        speaking = np.flatnonzero(needed[undecided[several]] | ~idle)
        if not len(speaking):
            continue
        coded = several[speaking]
        statuses[undecided[coded]] = ColumnStatus.coded
        teacher, labels = teacher.take(coded)
        fitting: dict[int, tuple[list[ColumnBins], Tables]] = {}  # folds may share their fitting rows
        for f, learner in enumerate(learners[:-1]):
            rows = learner.fitting
            fitting[rows] = fitting.get(rows) or learner.learn_columns(teacher, counts[f][labels])
            learner.add(undecided[coded], teacher.batch, *fitting[rows])
        learners[-1].add(undecided[coded], teacher.batch, [last[j] for j in coded], tables.take(speaking))
    return LearnedColumns(
        [learner.finish() for learner in learners],
        np.flatnonzero(statuses == ColumnStatus.coded),
        statuses,
        evidence,
        ordered,
    )


class FoldLearner:
    """One fold in the making: ``fitting`` names its fitting rows, ``mass`` is their weight in each class."""

    def __init__(self, fitting: int, unit: float, model: Model, mass: Ints, n_threads: int) -> None:
        self.fitting, self._unit, self._model, self._mass, self._n_threads = fitting, unit, model, mass, n_threads
        self._partitions: list[Partition] = []
        self._counts: list[Ints] = []
        self._tables: list[Tables] = []

    def learn(self, lessons: Sequence[ColumnBins]) -> tuple[Tables, NDArray[np.bool_]]:
        """Return the tables of some columns, and which of them have nothing to say."""
        counts = np.concatenate([np.empty((0, len(self._mass)), dtype=np.int64), *(each.counts for each in lessons)])
        offsets = np.append(0, np.cumsum([len(each.counts) for each in lessons])).astype(np.int64)
        partitions = [each.partition for each in lessons]
        tables = self._model.learn(counts, offsets, self._mass, self._unit, partitions, self._n_threads)
        return tables, self._model.idle(tables, counts, self._unit)

    def learn_columns(self, teacher: BinLearner, counts: Ints) -> tuple[list[ColumnBins], Tables]:
        """Return what the columns of a teacher teach, and their tables."""
        lessons = teacher.learn(counts)
        return lessons, self.learn(lessons)[0]

    def add(self, columns: Ints, batch: LabeledColumns, lessons: Sequence[ColumnBins], tables: Tables) -> None:
        """Note what the next columns taught; ``columns`` are their positions in the table."""
        self._partitions += [lesson.partition for lesson in lessons]
        self._counts += [lesson.counts for lesson in lessons]
        self._tables.append(tables)

    def finish(self) -> LearnedFold:
        """Join the blocks."""
        tables = Tables.join(self._model.start(self._mass, self._unit), self._tables)
        self._model.refuse(tables)
        return LearnedFold(self._partitions, self._counts, tables)


class _Coder(FoldLearner):
    """A fold that codes its scored rows as it learns."""

    def __init__(self, sample: MemoryRows, fold: Fold, model: Model, mass: Ints, n_threads: int) -> None:
        super().__init__(id(fold.fitting), sample.unit, model, mass, n_threads)
        self._sample = sample
        self._scored = fold.scored if isinstance(fold.scored, MemoryRows) else sample
        rows = np.arange(self._scored.table.n_rows) if fold.scored is self._scored else np.asarray(fold.scored)
        # In the order of the classes, as the engine wants them.
        self._rows = rows[np.argsort(self._scored.target.codes[rows], kind="stable")].astype(np.int64)
        self._codes = CodeBuilder(len(self._rows))

    def add(self, columns: Ints, batch: LabeledColumns, lessons: Sequence[ColumnBins], tables: Tables) -> None:
        """Code the next columns; ``columns`` are their positions in the table."""
        assert isinstance(batch, ColumnBatch)
        super().add(columns, batch, lessons, tables)
        parts, n_bins = [lesson.bin_of_label for lesson in lessons], [lesson.partition.n_bins for lesson in lessons]
        if self._scored is not self._sample:
            first = int(columns[0])
            batch = self._scored.table.batch(first, int(columns[-1]) + 1, batch.n_threads).take(columns - first)
            parts = [lesson.partition.bins_of(column) for lesson, column in zip(lessons, batch.columns, strict=True)]
        self._codes.add(batch, self._rows, parts, n_bins)

    def finish(self) -> LearnedFold:
        """Join the blocks."""
        learnt = super().finish()
        target, weights = self._scored.target.take(self._rows), self._scored.weights.take(self._rows)
        benefits = self._scored.benefits
        if benefits is not None and len(benefits) > 1:
            benefits = benefits[self._rows]
        codes = self._codes.build()
        segment = Segment(codes, target.codes, weights.units, learnt.tables, target.n_classes, benefits)
        return replace(learnt, segment=segment)
