# SPDX-License-Identifier: BSD-3-Clause
"""Amounts learned by stagewise least squares: each step changes what the bins of one column add to the amount."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bayesieve._typing import Floats
from bayesieve.bins import BinLearner, EqualFrequency, Partition
from bayesieve.data import Strata, Table, Weights
from bayesieve.models import ScoreTable
from bayesieve.models.scorecard import AMOUNT_ONE, AmountModel

__all__ = ["constant_amount", "learn_amounts"]

_RATE: Final = 0.1  # the part of a column's least-squares step that is taken
_PRIOR_ROWS: Final = 20.0  # of residual 0, in each bin
_MOST_STEPS: Final = 400
_N_FOLDS: Final = 10
_N_SCREENED: Final = 32  # columns that take part, those of the largest first steps
_FEWEST: Final = 2 * _N_FOLDS  # rows


class AmountColumn(NamedTuple):
    """A column of the rows that have amounts, its bins and the code of each row."""

    name: str
    partition: Partition
    codes: NDArray[np.uint16]

    def take(self, rows: NDArray[np.intp]) -> "AmountColumn":
        """Return the column of some rows."""
        return self._replace(codes=self.codes[rows])


def constant_amount(amounts: Floats, weights: Weights) -> AmountModel:
    """Return the mean amount as the amount of every row."""
    return AmountModel(_rounded(float(np.average(amounts, weights=weights.units))), ())


def learn_amounts(table: Table, which: Sequence[int], amounts: Floats, weights: Weights) -> AmountModel:
    """Return amounts as a sum over bins of few of a table's columns.

    A step takes the column whose bins explain most of the residuals, less what as many bins explain by chance, and
    adds a tenth of the residual means of its bins, which are shrunk to 0. The number of steps, and by it the number of
    columns, has the smallest squared error in ten folds. Bins are tenths of the rows, whatever their amounts. Each
    column's amounts have the mean 0 over the rows, so that a value that is unseen in training adds nothing.

    Parameters
    ----------
    table : Table
        The rows that have amounts.
    which : sequence of int
        Positions of the columns that may be used.
    amounts : array of shape (n_rows,)
        The amounts.
    weights : Weights
        The weights of the rows.
    """
    columns = _bin_columns(table, set(which), weights) if len(amounts) >= _FEWEST else []
    if not columns:
        return constant_amount(amounts, weights)
    mass = weights.units * np.float64(weights.unit)
    folds = np.empty(len(amounts), dtype=np.intp)
    folds[np.argsort(amounts, kind="stable")] = np.arange(len(amounts)) % _N_FOLDS  # each has small and large amounts
    errors = np.sum([_held_out_errors(columns, amounts, mass, folds == k) for k in range(_N_FOLDS)], axis=0)
    start, parts = float(np.average(amounts, weights=mass)), dict[int, Floats]()
    for j, step in _Walk.begin(columns, amounts - start, mass).steps(int(np.argmin(errors))):
        mean = float(np.average(step[columns[j].codes], weights=mass))
        start, parts[j] = start + mean, parts.get(j, np.zeros(len(step))) + step - mean
    return AmountModel(_rounded(start), tuple(_score_table(columns[j], parts[j]) for j in sorted(parts)))


def _bin_columns(table: Table, which: Collection[int], weights: Weights) -> list[AmountColumn]:
    """Return the columns that have several bins."""
    columns, strata = [], Strata(np.zeros(table.n_rows, dtype=np.int32), 1, weights.units)
    for first, batch in table.batches():
        learned = BinLearner(batch, EqualFrequency(), weights.unit).learn(batch.count(strata))
        codes = np.empty((len(learned), table.n_rows), dtype=np.uint16)
        batch.code(np.arange(table.n_rows), learned.bins_of_labels, codes)
        for place, (column, bins) in enumerate(zip(batch.columns, learned, strict=True)):
            if first + place in which and bins.partition.n_bins > 1:
                columns.append(AmountColumn(column.name, bins.partition, codes[place]))
    return columns


def _held_out_errors(
    columns: Sequence[AmountColumn], amounts: Floats, mass: Floats, held_out: NDArray[np.bool_]
) -> Floats:
    """Return the squared error of some rows after each number of steps that the others take."""
    inside, outside = np.flatnonzero(~held_out), np.flatnonzero(held_out)
    start = float(np.average(amounts[inside], weights=mass[inside]))
    walk = _Walk.begin([each.take(inside) for each in columns], amounts[inside] - start, mass[inside])
    left = amounts[outside] - start
    errors = [(mass[outside] * left**2).sum()]
    for j, step in walk.steps(_MOST_STEPS):
        left = left - step[columns[j].codes[outside]]
        errors.append((mass[outside] * left**2).sum())
    return np.pad(errors, (0, _MOST_STEPS + 1 - len(errors)), mode="edge")


@dataclass
class _Walk:
    """Sums of residuals by bin, which steps reduce.

    Attributes
    ----------
    which : int array of shape (n_screened,)
        The columns that take part.
    bins : sparse array of shape (n_rows, n_all_bins)
        Which bins each row is in; those of a column, *unseen* included, follow each other.
    begins : int array of shape (n_screened + 1,)
        Where the bins of each column begin.
    mass : array of shape (n_all_bins,)
        The weight of each bin.
    sums : array of shape (n_all_bins,)
        The sum of the residuals of each bin.
    square : float
        The sum of squared residuals.
    weighted : sparse array of shape (n_rows, n_all_bins)
        The weight of each row in its bins.
    """

    which: NDArray[np.intp]
    bins: sparse.csr_array
    begins: NDArray[np.intp]
    mass: Floats
    sums: Floats
    square: float
    weighted: sparse.csr_array

    @classmethod
    def begin(cls, columns: Sequence[AmountColumn], residuals: Floats, mass: Floats) -> "_Walk":
        """Return the state before the first step, of the columns that reduce the squares most."""
        variance = float((mass * residuals**2).sum()) / float(mass.sum())
        gains = [_gain(each, residuals, mass, variance) for each in columns]
        which = np.sort(np.argsort(np.negative(gains), kind="stable")[:_N_SCREENED])
        begins = np.cumsum([0, *(columns[j].partition.n_bins + 1 for j in which)])
        places = np.stack([columns[j].codes for j in which], axis=1) + begins[:-1]
        shape = (len(residuals), int(begins[-1]))
        ends = np.arange(0, places.size + 1, len(which))
        bins = sparse.csr_array((np.ones(places.size), places.ravel(), ends), shape=shape)
        weighted = sparse.csr_array((np.repeat(mass, len(which)), places.ravel(), ends), shape=shape)
        return cls(
            which,
            bins,
            begins,
            weighted.sum(axis=0),
            weighted.T @ residuals,
            float((mass * residuals**2).sum()),
            weighted,
        )

    def steps(self, n_steps: int) -> Iterator[tuple[int, Floats]]:
        """Yield the column of each step, and what its bins add; the last of them, *unseen*, adds nothing.

        There are fewer steps if no column explains more than chance would.
        """
        total = float(self.mass[: self.begins[1]].sum())
        together: dict[int, sparse.csr_array] = {}  # weights of the bins of a column in all bins
        for _ in range(n_steps):
            gains = np.add.reduceat(_gains(self.mass, self.sums, self.square / total), self.begins[:-1])
            k = int(np.argmax(gains))
            if gains[k] <= 0:
                return
            own = slice(self.begins[k], self.begins[k + 1])
            if k not in together:
                together[k] = (self.bins[:, own].T @ self.weighted).tocsr()
            step = _RATE * self.sums[own] / (self.mass[own] + _PRIOR_ROWS)
            self.square -= float((2 * step * self.sums[own]).sum() - (step**2 * self.mass[own]).sum())
            self.sums = self.sums - together[k].T @ step
            yield int(self.which[k]), step


def _gains(mass: Floats, sums: Floats, variance: float) -> Floats:
    """Return how much each bin reduces the squares, less the expected reduction if its residuals are random."""
    return (sums**2 - variance * mass) / (mass + _PRIOR_ROWS)


def _gain(column: AmountColumn, residuals: Floats, mass: Floats, variance: float) -> float:
    inside, sums = (np.bincount(column.codes, each).astype(np.float64) for each in (mass, mass * residuals))
    return float(_gains(inside, sums, variance).sum())


def _score_table(column: AmountColumn, steps: Floats) -> ScoreTable:
    table = np.array([*map(_rounded, steps[:-1].tolist()), 0], dtype=np.int64)
    return ScoreTable(column.name, column.partition, table, 1.0)


def _rounded(amount: float) -> int:
    return round(amount * AMOUNT_ONE)
