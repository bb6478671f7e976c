# SPDX-License-Identifier: BSD-3-Clause
"""Bins and tables of every fold, learned in one pass over the columns.

A batch of columns is read once and dropped once every fold has its codes, so that a fit needs little memory beyond the
codes.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins import BinLearner, CodeBuilder, CodingRule, LearnedBins, Partition
from bayesieve.bins.bin_values import BinValues, find_bin_values
from bayesieve.data import ColumnBatch, LabeledColumns, LabeledRows
from bayesieve.fit.fold_counts import Fold, FoldCounter, FoldCounts
from bayesieve.models import Model, Tables
from bayesieve.search.engine import Segment

__all__ = ["ColumnRecord", "ColumnStatus", "FoldLearner", "LearnedColumns", "LearnedFold", "learn", "learn_columns"]


class ColumnStatus(IntEnum):
    """Whether a column is coded, or why not."""

    coded = 0
    dropped = 1
    constant = 2
    uninformative = 3


@dataclass(frozen=True)
class LearnedFold:
    """Bins and tables of the coded columns, some at a time, and the validation rows coded by them.

    Rows in blocks are coded where they are, without a segment here.
    """

    bins: list[LearnedBins]
    tables: Tables
    segment: Segment | None = None

    @cached_property
    def partitions(self) -> list[Partition]:
        """The bins of each column."""
        return [partition for some in self.bins for partition in some.partitions]

    @cached_property
    def counts(self) -> list[Ints]:
        """The weight of each bin of each column in each class, *unseen* last."""
        return [counts for some in self.bins for counts in some.split_counts()]


@dataclass(frozen=True)
class LearnedColumns:
    """What every fold learned, and which columns are worth codes.

    Attributes
    ----------
    folds : list of LearnedFold
        One per fold.
    columns : int64 array of shape (n_coded,)
        Positions of the columns that were coded, in order.
    statuses : int8 array of shape (n_columns,)
        The `ColumnStatus` of each column.
    evidence : float64 array of shape (n_columns,)
        Log Bayes factor of each column, where the model has one; -inf for columns that cannot be informative.
    ordered : bool array of shape (n_columns,)
        Whether each column's values have an order.
    bin_values : list of BinValues
        For each coded column, the values that its bins stand for, None for categories; empty unless asked for.
    """

    folds: list[LearnedFold]
    columns: Ints
    statuses: NDArray[np.int8]
    evidence: NDArray[np.float64]
    ordered: NDArray[np.bool_]
    bin_values: list[BinValues | None]


def learn(
    rows: LabeledRows,
    folds: Sequence[Fold],
    rule: CodingRule,
    model: Model,
    *,
    n_threads: int = 1,
    required: Collection[int] = (),
    dropped: Collection[int] = (),
    with_values: bool = False,
) -> LearnedColumns:
    """Learn partitions and tables of each fold from its training rows, and code its validation rows.

    A column that has a single bin in the last fold, or is uninformative there, is coded only if it is ``required``.
    """
    counter = FoldCounter(rows, folds)
    masses = counter.masses(rows)
    learners = [_CodingLearner(rows, fold, model, mass, n_threads) for fold, mass in zip(folds, masses, strict=True)]
    batches = rows.batches(counter.n_strata, n_threads)
    record = ColumnRecord(len(rows.names), required, dropped, with_values=with_values)
    return learn_columns(batches, counter, learners, rule.for_table(len(rows.names)), rows.unit, record)


class Counter(Protocol):
    """Counts labels by class among the training rows of each fold."""

    def count(self, batch: LabeledColumns) -> FoldCounts:
        """Count the weight of each label of each column in each class, for each fold."""
        ...


class ColumnRecord:
    """What is known of each column of the table, while columns are learned."""

    def __init__(
        self, n_columns: int, required: Collection[int], dropped: Collection[int], *, with_values: bool = False
    ) -> None:
        self.statuses = np.zeros(n_columns, dtype=np.int8)
        self.statuses[list(dropped)] = ColumnStatus.dropped
        self.required = np.zeros(n_columns, dtype=bool)
        self.required[list(required)] = True
        self.evidence = np.full(n_columns, -np.inf)
        self.ordered = np.ones(n_columns, dtype=bool)
        self.with_values = with_values
        self.bin_values: list[BinValues | None] = []

    def open_batch(self, first: int, batch: LabeledColumns) -> Ints:
        """Note which columns of a batch have an order; return the positions of those that were not dropped."""
        end = first + len(batch.columns)
        self.ordered[first:end] = [isinstance(column.labels, np.ndarray) for column in batch.columns]
        return first + np.flatnonzero(self.statuses[first:end] == ColumnStatus.coded)


def learn_columns(
    batches: Iterable[tuple[int, LabeledColumns]],
    counter: Counter,
    learners: Sequence["FoldLearner"],
    rule: CodingRule,
    unit: float,
    record: ColumnRecord,
) -> LearnedColumns:
    """Learn the columns of one batch after another in every fold; the last fold decides which are worth codes."""
    for first, batch in batches:
        columns = record.open_batch(first, batch)
        if len(columns):
            batch = batch.take(columns - first)
            _learn_batch(columns, BinLearner(batch, rule, unit), counter.count(batch), learners, record)
    return LearnedColumns(
        [learner.finish() for learner in learners],
        np.flatnonzero(record.statuses == ColumnStatus.coded),
        record.statuses,
        record.evidence,
        record.ordered,
        record.bin_values,
    )


def _learn_batch(
    columns: Ints, bins: BinLearner, counts: FoldCounts, learners: Sequence["FoldLearner"], record: ColumnRecord
) -> None:
    """Learn some columns, given by position; those that are not worth codes leave as early as possible."""
    # Uninformative until more than one bin is found.
    record.statuses[columns] = np.where(
        bins.n_values(counts[-1]) < 2, ColumnStatus.constant, ColumnStatus.uninformative
    )
    varied = np.flatnonzero(record.required[columns] | ~bins.has_single_bin(counts[-1]))
    if not len(varied):
        return
    columns, (bins, labels) = columns[varied], bins.take(varied)
    counts = counts.take(labels)
    coded, last_bins, last_tables = _learn_last_fold(columns, bins, counts[-1], learners[-1], record)
    if not len(coded):
        return
    columns, (bins, labels) = columns[coded], bins.take(coded)
    record.statuses[columns] = ColumnStatus.coded
    if record.with_values:
        record.bin_values += find_bin_values(bins.batch, counts[-1][labels], last_bins)
    by_training_rows: dict[int, tuple[LearnedBins, Tables]] = {}  # folds may share their training rows
    for f, learner in enumerate(learners[:-1]):
        key = learner.training_key
        by_training_rows[key] = by_training_rows.get(key) or learner.learn_columns(bins, counts[f][labels])
        learner.add(columns, bins.batch, *by_training_rows[key])
    learners[-1].add(columns, bins.batch, last_bins, last_tables)


def _learn_last_fold(
    columns: Ints, bins: BinLearner, counts: Ints, learner: "FoldLearner", record: ColumnRecord
) -> tuple[NDArray[np.intp], LearnedBins, Tables]:
    """Return which of the columns are worth codes, with their bins and tables; record the log Bayes factor of all."""
    column_bins = bins.learn(counts)
    several = np.flatnonzero(record.required[columns] | (column_bins.n_bins > 1))
    tables, idle = learner.learn(column_bins.take(several))
    if tables.log_bayes_factor is not None:
        record.evidence[columns[several]] = tables.log_bayes_factor
    informative = np.flatnonzero(record.required[columns[several]] | ~idle)
    coded = several[informative]
    return coded, column_bins.take(coded), tables if len(coded) == len(several) else tables.take(informative)


class FoldLearner:
    """Learns one fold: ``training_key`` identifies its training rows, ``mass`` is their weight in each class."""

    def __init__(self, training_key: int, unit: float, model: Model, mass: Ints, n_threads: int) -> None:
        self.training_key, self._unit, self._model = training_key, unit, model
        self._mass, self._n_threads = mass, n_threads
        self._bins: list[LearnedBins] = []
        self._tables: list[Tables] = []

    def learn(self, bins: LearnedBins) -> tuple[Tables, NDArray[np.bool_]]:
        """Return the tables of some columns, and which of them are uninformative."""
        tables = self._model.learn(bins.counts, bins.offsets, self._mass, self._unit, bins.partitions, self._n_threads)
        return tables, self._model.idle(tables, bins.counts, self._unit)

    def learn_columns(self, bins: BinLearner, counts: Ints) -> tuple[LearnedBins, Tables]:
        """Return the bins of some columns, and their tables."""
        column_bins = bins.learn(counts)
        return column_bins, self.learn(column_bins)[0]

    def add(self, columns: Ints, batch: LabeledColumns, column_bins: LearnedBins, tables: Tables) -> None:
        """Keep what was learned of the next columns; ``columns`` are their positions in the table."""
        self._bins.append(column_bins)
        self._tables.append(tables)

    def finish(self) -> LearnedFold:
        """Join the batches."""
        tables = Tables.join(self._model.start(self._mass, self._unit), self._tables)
        self._model.refuse(tables)
        return LearnedFold(self._bins, tables)


class _CodingLearner(FoldLearner):
    """A fold that codes its validation rows as it learns."""

    def __init__(self, rows: LabeledRows, fold: Fold, model: Model, mass: Ints, n_threads: int) -> None:
        super().__init__(id(fold.training), rows.unit, model, mass, n_threads)
        self._training_table = rows.table
        given = isinstance(fold.validation, LabeledRows)
        self._scored = fold.validation if isinstance(fold.validation, LabeledRows) else rows
        places = np.arange(self._scored.n_rows) if given else np.asarray(fold.validation)
        # The engine requires rows in the order of their classes.
        self._places = places[np.argsort(self._scored.target.codes[places], kind="stable")].astype(np.int64)
        self._codes = CodeBuilder(len(self._places))

    def add(self, columns: Ints, batch: LabeledColumns, column_bins: LearnedBins, tables: Tables) -> None:
        """Code the next columns; ``columns`` are their positions in the table."""
        assert isinstance(batch, ColumnBatch)
        super().add(columns, batch, column_bins, tables)
        codes = column_bins.bins_of_labels
        if self._scored.table is not self._training_table:
            first = int(columns[0])
            batch = self._scored.table.batch(first, int(columns[-1]) + 1, batch.n_threads).take(columns - first)
            pairs = zip(column_bins.partitions, batch.columns, strict=True)
            codes = [partition.bins_of(column) for partition, column in pairs]
        self._codes.add(batch, self._places, codes, column_bins.n_bins)

    def finish(self) -> LearnedFold:
        """Join the batches."""
        learned = super().finish()
        target, weights = self._scored.target.take(self._places), self._scored.weights.take(self._places)
        benefits = self._scored.benefits
        if benefits is not None and len(benefits) > 1:
            benefits = benefits[self._places]
        codes = self._codes.build()
        segment = Segment(codes, target.codes, weights.units, target.n_classes, learned.tables, benefits)
        return replace(learned, segment=segment)
