# SPDX-License-Identifier: BSD-3-Clause
"""Bins of every fold, and their tables if there is a model, learned in one pass over the columns.

A batch of columns is read once and dropped once every fold has its codes, so that a fit needs little memory beyond the
codes.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.bins import BinLearner, CodedRows, CodingRule, LearnedBins, Partition
from bayesieve.bins.finest_bins import BinValues, find_bin_values
from bayesieve.data import LabeledColumns
from bayesieve.exceptions import DataError
from bayesieve.models import Model, Tables
from bayesieve.search.engine import Segment

__all__ = [
    "ColumnStatus",
    "FoldBins",
    "FoldCounts",
    "FoldLearner",
    "LearnedColumns",
    "LearningOptions",
    "learn_columns",
    "with_tables",
]


Batch = TypeVar("Batch", bound=LabeledColumns)


class ColumnStatus(IntEnum):
    """Whether a column is coded, or why not."""

    coded = 0
    dropped = 1
    constant = 2
    uninformative = 3


@dataclass(frozen=True)
class LearningOptions:
    """How columns become bins, and bins tables.

    Attributes
    ----------
    rule : CodingRule
        How columns become bins.
    model : Model or None
        What learns tables; None for bins alone.
    required, dropped : collection of int
        Columns that are coded even if they are uninformative, and columns that are left out.
    with_values : bool
        Whether to find the values that bins stand for.
    orders : mapping of int to sequence
        The categories of a column in their order, by its position.
    n_threads : int
        Number of threads.
    """

    rule: CodingRule
    model: Model | None = None
    required: Collection[int] = ()
    dropped: Collection[int] = ()
    with_values: bool = False
    orders: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    n_threads: int = 1


@dataclass(frozen=True)
class FoldBins:
    """Bins of the coded columns, some at a time, their tables, and the validation rows coded by them.

    Attributes
    ----------
    bins : list of LearnedBins
        The bins.
    tables : Tables or None
        None where there is no model.
    rows : CodedRows or None
        A `Segment`, if there are tables; None of rows in blocks, which are coded where they are.
    """

    bins: list[LearnedBins]
    tables: Tables | None = None
    rows: CodedRows | None = None

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
    folds : list of FoldBins
        One per fold.
    columns : int64 array of shape (n_coded,)
        Positions of the columns that were coded, in order.
    statuses : int8 array of shape (n_columns,)
        The `ColumnStatus` of each column.
    log_bayes_factors : float64 array of shape (n_columns,)
        Log Bayes factor of each column, where the model has one; -inf for columns that cannot be informative.
    ordered : bool array of shape (n_columns,)
        Whether each column's values have an order.
    bin_values : list of BinValues
        For each coded column, the values that its bins stand for, None for categories; empty unless asked for.
    """

    folds: list[FoldBins]
    columns: Ints
    statuses: NDArray[np.int8]
    log_bayes_factors: NDArray[np.float64]
    ordered: NDArray[np.bool_]
    bin_values: list[BinValues | None]


def with_tables(rows: CodedRows, tables: Tables | None, benefits: Floats | None = None) -> CodedRows:
    """Return coded rows with the tables that were learned without them, if there are any."""
    if tables is None:
        return rows
    return Segment(rows.codes, rows.target, rows.weights, rows.n_classes, tables, benefits)


@dataclass(frozen=True)
class FoldCounts:
    """Counts of each fold, computed on demand: in all, less those of the rows with the number of the fold."""

    by_number: list[Ints]
    total: list[Ints]
    home: list[tuple[int, int]]

    @classmethod
    def of(cls, by_number: list[Ints], home: list[tuple[int, int]]) -> "FoldCounts":
        """Return counts of which those in all are added up."""
        return cls(by_number, [_over_numbers(each) for each in by_number], home)

    def take(self, labels: NDArray[np.intp] | slice) -> "FoldCounts":
        """Return the counts of some labels."""
        if isinstance(labels, slice) and labels == slice(None):
            return self
        return FoldCounts([each[labels] for each in self.by_number], [each[labels] for each in self.total], self.home)

    def __getitem__(self, fold: int) -> Ints:
        place, number = self.home[fold]
        return self.total[place] - self.by_number[place][:, number] if number else self.total[place]


def _over_numbers(counts: Ints) -> Ints:
    """Return the sum over the second axis; number by number is faster than label by label, and one needs no copy."""
    if counts.shape[1] == 1:
        return counts[:, 0]
    sums: Ints = counts[:, 0] + counts[:, 1]
    for number in range(2, counts.shape[1]):
        sums += counts[:, number]
    return sums


class Counter(Protocol):
    """Counts labels by class among the training rows of each fold."""

    def count(self, batch: LabeledColumns) -> FoldCounts:
        """Count the weight of each label of each column in each class, for each fold."""
        ...


class _ColumnRecord:
    """What is known of each column of the table, while columns are learned."""

    def __init__(self, n_columns: int, how: LearningOptions) -> None:
        self.statuses = np.zeros(n_columns, dtype=np.int8)
        self.statuses[list(how.dropped)] = ColumnStatus.dropped
        self.required = np.zeros(n_columns, dtype=bool)
        self.required[list(how.required)] = True
        self.log_bayes_factors = np.full(n_columns, -np.inf)
        self.ordered = np.ones(n_columns, dtype=bool)
        self.with_values = how.with_values
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
    n_columns: int,
    unit: float,
    how: LearningOptions,
) -> LearnedColumns:
    """Learn the columns of one batch after another in every fold; the last fold decides which are worth codes."""
    record = _ColumnRecord(n_columns, how)
    rule = how.rule.for_table(n_columns)
    for first, batch in batches:
        batch = _with_orders(first, batch, how.orders)
        columns = record.open_batch(first, batch)
        if len(columns):
            batch = batch.take(columns - first)
            _learn_batch(columns, BinLearner(batch, rule, unit), counter.count(batch), learners, record)
    return LearnedColumns(
        [learner.finish() for learner in learners],
        np.flatnonzero(record.statuses == ColumnStatus.coded),
        record.statuses,
        record.log_bayes_factors,
        record.ordered,
        record.bin_values,
    )


def _with_orders(first: int, batch: Batch, orders: Mapping[int, Sequence[Any]]) -> Batch:
    """Return the batch with the order of the categories of some columns; one without a place in it is refused."""
    own = {j - first: order for j, order in orders.items() if first <= j < first + len(batch.columns)}
    if not own:
        return batch
    columns = list(batch.columns)
    for k, order in own.items():
        column = columns[k]
        if column.ordered and len(column.labels):
            raise DataError(f"Column {column.name!r} has {column.scale.noun}, which are in order: leave out its order.")
        if absent := [label for label in column.labels if label not in order]:
            raise DataError(
                f"Column {column.name!r} has the value {absent[0]!r:.60}, which its order does not have: "
                f"{', '.join(map(repr, order)):.80}."
            )
        columns[k] = replace(column, levels=tuple(order))
    return replace(batch, columns=columns)


def _learn_batch(
    columns: Ints, bins: BinLearner, counts: FoldCounts, learners: Sequence["FoldLearner"], record: _ColumnRecord
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
    by_training_rows: dict[int, tuple[LearnedBins, Tables | None]] = {}  # folds may share their training rows
    for f, learner in enumerate(learners[:-1]):
        key = learner.training_key
        by_training_rows[key] = by_training_rows.get(key) or learner.learn_columns(bins, counts[f][labels])
        learner.add(columns, bins.batch, *by_training_rows[key])
    learners[-1].add(columns, bins.batch, last_bins, last_tables)


def _learn_last_fold(
    columns: Ints, bins: BinLearner, counts: Ints, learner: "FoldLearner", record: _ColumnRecord
) -> tuple[NDArray[np.intp], LearnedBins, Tables | None]:
    """Return which of the columns are worth codes, with their bins and tables; record the log Bayes factor of all."""
    column_bins = bins.learn(counts)
    several = np.flatnonzero(record.required[columns] | (column_bins.n_bins > 1))
    tables, idle = learner.learn(column_bins.take(several))
    if tables is not None and tables.log_bayes_factor is not None:
        record.log_bayes_factors[columns[several]] = tables.log_bayes_factor
    informative = np.flatnonzero(record.required[columns[several]] | ~idle)
    coded = several[informative]
    if tables is not None and len(coded) < len(several):
        tables = tables.take(informative)
    return coded, column_bins.take(coded), tables


class FoldLearner:
    """Learns one fold: ``training_key`` identifies its training rows, ``mass`` is their weight in each class."""

    def __init__(self, training_key: int, unit: float, mass: Ints, how: LearningOptions) -> None:
        self.training_key = training_key
        self._unit = unit
        self._mass = mass
        self._model = how.model
        self._n_threads = how.n_threads
        self._bins: list[LearnedBins] = []
        self._tables: list[Tables] = []

    def learn(self, bins: LearnedBins) -> tuple[Tables | None, NDArray[np.bool_]]:
        """Return the tables of some columns, and which of them are uninformative."""
        model = self._model
        if model is None:
            return None, np.zeros(len(bins), dtype=bool)
        tables = model.learn(bins.counts, bins.offsets, self._mass, self._unit, bins.partitions, self._n_threads)
        return tables, model.idle(tables, bins.counts, self._unit)

    def learn_columns(self, bins: BinLearner, counts: Ints) -> tuple[LearnedBins, Tables | None]:
        """Return the bins of some columns, and their tables."""
        column_bins = bins.learn(counts)
        return column_bins, self.learn(column_bins)[0]

    def add(self, columns: Ints, batch: LabeledColumns, column_bins: LearnedBins, tables: Tables | None) -> None:
        """Keep what was learned of the next columns; ``columns`` are their positions in the table."""
        self._bins.append(column_bins)
        if tables is not None:
            self._tables.append(tables)

    def finish(self) -> FoldBins:
        """Join the batches."""
        if self._model is None:
            return FoldBins(self._bins)
        tables = Tables.join(self._model.start(self._mass, self._unit), self._tables)
        self._model.refuse(tables)
        return FoldBins(self._bins, tables)
