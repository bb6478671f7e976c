# SPDX-License-Identifier: BSD-3-Clause
"""Bins and tables of rows in memory, and the codes of validation rows.

Counts for every fold take as few passes over the rows as there are sets of folds that leave out different rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.bins import CodeBuilder, CodedRows, LearnedBins
from bayesieve.data import ColumnBatch, LabeledColumns, LabeledRows, Strata
from bayesieve.fit.learning import (
    FoldBins,
    FoldCounts,
    FoldLearner,
    LearnedColumns,
    LearningOptions,
    learn_columns,
    with_tables,
)
from bayesieve.models import Tables

__all__ = ["MOST_SAMPLED", "Fold", "FoldCounter", "learn", "sampled_rows", "scored_weight"]

Rows = NDArray[np.intp]

MOST_SAMPLED = 1000
"""Rows that are enough to measure how columns depend on each other."""


@dataclass(frozen=True)
class Fold:
    """Training rows and validation rows: both of the same table, or the latter of another one."""

    training: Rows
    validation: Rows | LabeledRows


def learn(rows: LabeledRows, folds: Sequence[Fold], how: LearningOptions) -> LearnedColumns:
    """Learn partitions and tables of each fold from its training rows, and code its validation rows.

    A column that has a single bin in the last fold, or is uninformative there, is coded only if it is required.
    """
    counter = FoldCounter(rows, folds)
    masses = counter.masses(rows)
    learners = [_CodingLearner(rows, fold, mass, how) for fold, mass in zip(folds, masses, strict=True)]
    batches = rows.batches(counter.n_strata, how.n_threads)
    return learn_columns(batches, counter, learners, len(rows.names), rows.unit, how)


class _CodingLearner(FoldLearner):
    """A fold that codes its validation rows as it learns."""

    def __init__(self, rows: LabeledRows, fold: Fold, mass: Ints, how: LearningOptions) -> None:
        super().__init__(id(fold.training), rows.unit, mass, how)
        self._training_table = rows.table
        given = isinstance(fold.validation, LabeledRows)
        self._scored = fold.validation if isinstance(fold.validation, LabeledRows) else rows
        places = np.arange(self._scored.n_rows) if given else np.asarray(fold.validation)
        # The engine requires rows in the order of their classes.
        self._places = places[np.argsort(self._scored.target.codes[places], kind="stable")].astype(np.int64)
        self._codes = CodeBuilder(len(self._places))

    def add(self, columns: Ints, batch: LabeledColumns, column_bins: LearnedBins, tables: Tables | None) -> None:
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

    def finish(self) -> FoldBins:
        """Join the batches."""
        learned = super().finish()
        target = self._scored.target.take(self._places)
        weights = self._scored.weights.take(self._places)
        rows = CodedRows(self._codes.build(), target.codes, weights.units, target.n_classes)
        return replace(learned, rows=with_tables(rows, learned.tables, self._benefits()))

    def _benefits(self) -> Floats | None:
        benefits = self._scored.benefits
        return benefits if benefits is None or len(benefits) == 1 else benefits[self._places]


def scored_weight(rows: LabeledRows, folds: Sequence[Fold]) -> float:
    """Return the weight of the validation rows; those of several folds count once."""
    scored = np.zeros(rows.n_rows, dtype=bool)
    for fold in folds:
        if not isinstance(fold.validation, LabeledRows):
            scored[fold.validation] = True
    weight = int(rows.weights.units[scored].sum()) * rows.weights.unit
    others = (fold.validation.weights for fold in folds if isinstance(fold.validation, LabeledRows))
    return weight + sum(int(given.units.sum()) * given.unit for given in others)


def sampled_rows(n_rows: int, n_sampled: int = MOST_SAMPLED) -> Rows:
    """Return at most this many rows, evenly spread; by default, a thousand."""
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, n_sampled)).astype(np.intp))


_MOST_FOLDS = 16  # of a pass: a count for each label, class and fold has to be held


class FoldCounter:
    """Counts labels by class among the training rows of each fold.

    Folds of a cross-validation leave out different rows. One pass counts by class and by the fold that leaves a row
    out; the counts of a fold are those of all rows, less those that it leaves out.
    """

    def __init__(self, rows: LabeledRows, folds: Sequence[Fold]) -> None:
        self._n_classes = rows.target.n_classes
        self._passes: list[_Pass] = []
        self._home: list[tuple[_Pass, int]] = []
        places: dict[int, tuple[_Pass, int]] = {}  # folds may share their training rows
        for fold in folds:
            if id(fold.training) not in places:
                times = np.bincount(fold.training, minlength=rows.table.n_rows)
                places[id(fold.training)] = self._place(rows, times)
            self._home.append(places[id(fold.training)])
        self._strata = [one.strata(rows) for one in self._passes]

    @property
    def n_strata(self) -> int:
        """Number of counts per label, in one pass."""
        return max(strata.n for strata in self._strata)

    def _place(self, rows: LabeledRows, times: Ints) -> tuple["_Pass", int]:
        """Find a pass for a fold, given how often it learns from each row, and the number of the rows left out."""
        repeated = times.max(initial=0) > 1
        left_out = times == 0
        for one in self._passes:
            if not repeated and one.takes(left_out):
                return one, one.add(left_out)
        self._passes.append(_Pass(rows.weights.units * times if repeated else rows.weights.units, repeated))
        return self._passes[-1], 0 if repeated else self._passes[-1].add(left_out)

    def count(self, batch: LabeledColumns) -> "FoldCounts":
        """Count the weight of each label of each column in each class, for each fold."""
        assert isinstance(batch, ColumnBatch)
        return self._by_fold([batch.count(strata) for strata in self._strata])

    def masses(self, rows: LabeledRows) -> list[Ints]:
        """Return for each fold the weight of each class."""
        counts = [np.zeros((1, strata.n), dtype=np.int64) for strata in self._strata]
        for each, strata in zip(counts, self._strata, strict=True):
            np.add.at(each[0], strata.of_row, 1 if strata.weights is None else strata.weights)
        by_fold = self._by_fold(counts)
        return [by_fold[i][0] for i in range(len(self._home))]

    def _by_fold(self, counts: Sequence[Ints]) -> "FoldCounts":
        """Return counts by stratum, those of each pass, as counts of each fold."""
        by_number = [
            each.reshape(-1, one.n_numbers, self._n_classes) for each, one in zip(counts, self._passes, strict=True)
        ]
        home = [(self._passes.index(one), number) for one, number in self._home]
        return FoldCounts.of(by_number, home)


@dataclass(eq=False)
class _Pass:
    """Rows with the number 0 are left out by no fold, those with k by its k-th fold."""

    weights: Ints
    repeated: bool
    number_of_row: NDArray[np.int32] = field(init=False)
    n_numbers: int = 1

    def __post_init__(self) -> None:
        self.number_of_row = np.zeros(len(self.weights), dtype=np.int32)

    def takes(self, left_out: NDArray[np.bool_]) -> bool:
        return not self.repeated and self.n_numbers <= _MOST_FOLDS and not self.number_of_row[left_out].any()

    def add(self, left_out: NDArray[np.bool_]) -> int:
        if not left_out.any():
            return 0
        self.number_of_row[left_out] = self.n_numbers
        self.n_numbers += 1
        return self.n_numbers - 1

    def strata(self, rows: LabeledRows) -> Strata:
        n_classes = rows.target.n_classes
        plain = bool((self.weights == 1).all())
        return Strata(
            self.number_of_row * np.int32(n_classes) + rows.target.codes,
            self.n_numbers * n_classes,
            None if plain else self.weights,
        )
