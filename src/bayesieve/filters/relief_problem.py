"""What ReliefF is given: rows as numbers between 0 and 1 or labels, and how much each neighbour counts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import exp_nonpositive
from bayesieve.data import Table
from bayesieve.filters.coded_table import FilterData

__all__ = ["ReliefProblem", "make_relief_problem", "neighbor_shares"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ReliefProblem:
    """Columns by trait: numbers without gaps, labels, numbers with gaps.

    Attributes
    ----------
    values : float64 array of shape (n_columns, n_rows)
        Numbers from 0 to 1, or labels as numbers; NaN where missing.
    begins : int64 array of shape (4,)
        Where the columns of each trait begin, and their end.
    penalties : float64 array of shape (n_columns,)
        Of labels, what a missing one counts.
    target : int32 array of shape (n_rows,)
    shares : float64 array of shape (n_neighbors + 1, n_neighbors)
        ``shares[n, r]``: of n neighbours, what the r-th nearest counts.
    factors : float64 array of shape (n_classes, n_classes)
        ``factors[y, c]``: what a neighbour of class c counts for a row of class y.
    places : int64 array of shape (n_columns,)
        Where each column stands in the table.
    """

    values: Floats
    begins: NDArray[np.int64]
    penalties: Floats
    target: NDArray[np.int32]
    shares: Floats
    factors: Floats
    places: NDArray[np.int64]


def make_relief_problem(data: FilterData, n_neighbors: int, sigma: float | None) -> ReliefProblem:
    """Read the rows that have weight; ``sigma`` is that of `neighbor_shares`."""
    rows = np.flatnonzero(data.weights.units > 0)
    target = data.target.codes[rows]
    values = np.empty((data.table.n_columns, len(rows)))
    traits, penalties = np.zeros(len(values), dtype=np.int64), np.zeros(len(values))
    for j in range(len(values)):
        numbers, n_labels = _read(data.table, j)
        if n_labels is None:
            values[j] = _between_0_and_1(numbers[rows])
            traits[j] = 2 if np.isnan(values[j]).any() else 0
        else:
            values[j], traits[j], penalties[j] = numbers[rows], 1, 1.0 - 1.0 / max(1, n_labels)
    order = np.argsort(traits, kind="stable")
    begins = np.searchsorted(traits[order], np.arange(4)).astype(np.int64)
    share = np.bincount(target, minlength=data.target.n_classes) / len(target)
    # Neighbours of other classes count by the frequency of these; those of the row's own class against it.
    factors = share[None, :] / np.maximum(1.0 - share[:, None], np.finfo(float).tiny)
    if data.target.n_classes == 2:
        factors = np.ones((2, 2))
    np.fill_diagonal(factors, -1.0)
    shares = neighbor_shares(n_neighbors, sigma)
    return ReliefProblem(values[order], begins, penalties[order], target, shares, factors, order.astype(np.int64))


def neighbor_shares(n_neighbors: int, sigma: float | None) -> Floats:
    """Return what each of n neighbours counts: all the same, or by rank r as exp(-(r / sigma)²), which add up to 1."""
    ranks = np.arange(n_neighbors, dtype=np.float64)
    raw = np.ones(n_neighbors) if sigma is None else exp_nonpositive(-((ranks / sigma) ** 2))
    shares = np.zeros((n_neighbors + 1, n_neighbors))
    sums = np.add.accumulate(raw)
    for n in range(1, n_neighbors + 1):
        shares[n, :n] = raw[:n] / sums[n - 1]
    return shares


def _read(table: Table, j: int) -> tuple[Floats, int | None]:
    """Return a column's numbers, or the places of its labels and how many these are; NaN where missing."""
    if isinstance(table.numbers, np.ndarray):
        numbers = np.ascontiguousarray(table.numbers[:, j], dtype=np.float64)
        if not np.isinf(numbers).any():  # what is infinite is refused below, by name
            return numbers, None
    column = table.column(j)
    if column.ordered:
        return column.values, None
    return np.where(column.ids < len(column.labels), column.ids, np.nan), len(column.labels)


def _between_0_and_1(numbers: Floats) -> Floats:
    known = numbers[~np.isnan(numbers)]
    if not len(known) or known.min() == known.max():
        return np.where(np.isnan(numbers), np.nan, 0.0)
    # Halves, so that no difference is beyond the largest float.
    low, high = known.min() / 2, known.max() / 2
    return np.asarray((numbers / 2 - low) / (high - low))
