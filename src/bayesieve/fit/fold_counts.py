# SPDX-License-Identifier: BSD-3-Clause
"""Counts for every fold, in as few passes over the rows as there are sets of folds that leave out different rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.data import ColumnBatch, LabeledColumns, LabeledRows, Strata

__all__ = [
    "MOST_SAMPLED",
    "Fold",
    "FoldCounter",
    "FoldCounts",
    "sampled_rows",
    "scored_weight",
]

Rows = NDArray[np.intp]

MOST_SAMPLED = 1000
"""Rows that are enough to measure how columns depend on each other."""


@dataclass(frozen=True)
class Fold:
    """Training rows and validation rows: both of the same table, or the latter of another one."""

    training: Rows
    validation: Rows | LabeledRows


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
        return FoldCounts(by_number, [_over_numbers(each) for each in by_number], home)


@dataclass(frozen=True)
class FoldCounts:
    """Counts of each fold, computed on demand: in all, less those of the rows with the number of the fold."""

    by_number: list[Ints]
    total: list[Ints]
    home: list[tuple[int, int]]

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
