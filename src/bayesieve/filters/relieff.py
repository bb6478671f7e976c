# SPDX-License-Identifier: BSD-3-Clause
"""ReliefF: a column is relevant if near rows of other classes differ in it more than near rows of the same class.

The distance of two rows is the sum of the differences of their columns. For every row, its k nearest rows of each class
are compared, the first ones on ties. A number differs by its distance on a scale from 0 to 1, a label by
0 or 1. A missing label differs by 1 - 1 / labels; a missing number by the largest possible distance, max(v, 1 - v), or
1 if both are missing (Weka's rules). Distances are added column by column, so that neighbors are the same on every
machine.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.data import LabeledRows, Table
from bayesieve.exact import FIXED_ONE, exp_nonpositive, to_fixed

__all__ = [
    "ReliefProblem",
    "make_relief_problem",
    "neighbor_shares",
    "relief_sums",
    "relief_sums_numpy",
    "relief_weights",
]

_FARTHEST = 40.0  # in units of sigma: exp(-1600) is 0


@dataclass(frozen=True)
class ReliefProblem:
    """Columns by type: numbers without missing values, labels, numbers with missing values.

    Attributes
    ----------
    values : float64 array of shape (n_columns, n_rows)
        Numbers from 0 to 1, or label positions; NaN if missing.
    begins : int64 array of shape (4,)
        Where the columns of each type begin, and the end.
    penalties : float64 array of shape (n_columns,)
        The difference of a missing label from any other.
    target : int32 array of shape (n_rows,)
        Class of each row.
    shares : float64 array of shape (n_neighbors + 1, n_neighbors)
        ``shares[n, r]``: the weight of the r-th nearest of n neighbors.
    factors : float64 array of shape (n_classes, n_classes)
        ``factors[y, c]``: the weight of a neighbor of class c for a row of class y.
    places : int64 array of shape (n_columns,)
        The position of each column in the table.
    """

    values: Floats
    begins: NDArray[np.int64]
    penalties: Floats
    target: NDArray[np.int32]
    shares: Floats
    factors: Floats
    places: NDArray[np.int64]


def relief_weights(data: LabeledRows, n_neighbors: int = 10, sigma: float | None = None, n_threads: int = 1) -> Floats:
    """Return the weight of each column of the table."""
    problem = make_relief_problem(data, n_neighbors, sigma)
    weights = np.empty(len(problem.values))
    weights[problem.places] = relief_sums(problem, n_threads) / float(FIXED_ONE) / len(problem.target)
    return weights


def relief_sums(problem: ReliefProblem, n_threads: int = 1) -> Ints:
    """Return for each column the sum over rows and their neighbors, in multiples of 2^-40."""
    if core is None:
        warn_if_missing()
        return relief_sums_numpy(problem)
    p = problem
    return core.relieff(p.values, p.begins, p.penalties, p.target, p.shares, p.factors, n_threads)


def relief_sums_numpy(problem: ReliefProblem) -> Ints:
    """Specification of `relief_sums`, and its fallback without the compiled core."""
    n_columns, n_rows = problem.values.shape
    sums = np.zeros(n_columns, dtype=np.int64)
    rows = np.arange(n_rows)
    for i in range(n_rows):
        differences = np.array([_differences(problem, f, i, rows) for f in range(n_columns)]).reshape(-1, n_rows)
        distances = np.zeros(n_rows)
        for each in differences:
            distances += each
        for c in range(len(problem.factors)):
            others = rows[(problem.target == c) & (rows != i)]
            nearest = others[np.argsort(distances[others], kind="stable")][: problem.shares.shape[1]]
            shares = problem.factors[problem.target[i], c] * problem.shares[len(nearest)]
            for j, share in zip(nearest.tolist(), shares.tolist(), strict=False):
                sums += to_fixed(share * differences[:, j])
    return sums


def _differences(problem: ReliefProblem, f: int, i: int, rows: Ints) -> Floats:
    x, y = problem.values[f, i], problem.values[f, rows]
    missing = np.isnan(y)
    if f < problem.begins[1]:
        return np.asarray(np.abs(x - y))
    if f < problem.begins[2]:
        return np.asarray(np.where(missing | np.isnan(x), problem.penalties[f], (x != y).astype(np.float64)))
    farthest = np.where(missing, 1.0, np.maximum(y, 1.0 - y))
    if np.isnan(x):
        return np.asarray(farthest)
    return np.asarray(np.where(missing, max(x, 1.0 - x), np.abs(x - y)))


def make_relief_problem(data: LabeledRows, n_neighbors: int, sigma: float | None) -> ReliefProblem:
    """Read the rows that have weight; see `neighbor_shares` for ``sigma``."""
    rows = np.flatnonzero(data.weights.units > 0)
    target = data.target.codes[rows]
    values, complete = _complete_numbers(data.table, rows)
    types, penalties = np.zeros(len(values), dtype=np.int64), np.zeros(len(values))
    for j in np.flatnonzero(~complete).tolist():
        numbers, n_labels = _read(data.table, j)
        if n_labels is None:
            values[j] = _between_0_and_1(numbers[rows])
            types[j] = 2 if np.isnan(values[j]).any() else 0
        else:
            values[j], types[j], penalties[j] = numbers[rows], 1, 1.0 - 1.0 / max(1, n_labels)
    order = np.argsort(types, kind="stable")
    begins = np.searchsorted(types[order], np.arange(4)).astype(np.int64)
    share = np.bincount(target, minlength=data.target.n_classes) / len(target)
    # Neighbors of other classes are weighted by class frequency; those of the same class count negatively.
    factors = share[None, :] / np.maximum(1.0 - share[:, None], np.finfo(float).tiny)
    if data.target.n_classes == 2:
        factors = np.ones((2, 2))
    np.fill_diagonal(factors, -1.0)
    shares = neighbor_shares(n_neighbors, sigma)
    return ReliefProblem(values[order], begins, penalties[order], target, shares, factors, order.astype(np.int64))


def neighbor_shares(n_neighbors: int, sigma: float | None) -> Floats:
    """Return the weights of n neighbors, which add up to 1: equal, or exp(-(r / sigma)²) by rank r."""
    ranks = np.arange(n_neighbors, dtype=np.float64)
    raw = np.ones(n_neighbors) if sigma is None else exp_nonpositive(-(_distances(ranks, sigma) ** 2))
    shares = np.zeros((n_neighbors + 1, n_neighbors))
    sums = np.add.accumulate(raw)
    for n in range(1, n_neighbors + 1):
        shares[n, :n] = raw[:n] / sums[n - 1]
    return shares


def _distances(ranks: Floats, sigma: float) -> Floats:
    """Return ranks in units of sigma, of which those that weigh nothing are equal."""
    with np.errstate(over="ignore"):
        return np.minimum(ranks / sigma, _FARTHEST)


def _read(table: Table, j: int) -> tuple[Floats, int | None]:
    """Return a column's numbers, or its label positions and the number of labels; NaN if missing."""
    if isinstance(table.numbers, np.ndarray):
        numbers = np.ascontiguousarray(table.numbers[:, j], dtype=np.float64)
        if not np.isinf(numbers).any():  # infinite values are refused below, by column name
            return numbers, None
    column = table.column(j)
    if column.ordered:
        return column.values, None
    return np.where(column.ids < len(column.labels), column.ids, np.nan), len(column.labels)


def _complete_numbers(table: Table, rows: NDArray[np.int64]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return columns from 0 to 1, and which of them are finite numbers only; the others are not set."""
    if not isinstance(table.numbers, np.ndarray) or not len(rows):
        return np.empty((table.n_columns, len(rows))), np.zeros(table.n_columns, dtype=bool)
    whole = len(rows) == len(table.numbers)
    values = np.array((table.numbers if whole else table.numbers[rows]).T, dtype=np.float64, order="C")
    low, high = values.min(axis=1), values.max(axis=1)
    complete = np.isfinite(low) & np.isfinite(high) & ((low == high) | (low / 2 < high / 2))
    if not whole:  # an infinite value of another row is refused, too
        complete &= ~np.isinf(table.numbers).any(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        values /= 2
        values -= (low / 2)[:, None]
        values /= (high / 2 - low / 2)[:, None]
    values[low == high] = 0.0
    return values, complete


def _between_0_and_1(numbers: Floats) -> Floats:
    present = numbers[~np.isnan(numbers)]
    if not len(present) or present.min() == present.max():
        return np.where(np.isnan(numbers), np.nan, 0.0)
    # Halves, so that no difference is beyond the largest float.
    low, high = present.min() / 2, present.max() / 2
    return np.asarray((numbers / 2 - low) / (high - low))
