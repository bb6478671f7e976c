# SPDX-License-Identifier: BSD-3-Clause
"""ReliefF: a column is relevant if near rows of other classes differ in it more than near rows of the same class.

The distance of two rows is the sum of the differences of their columns. For every row, its k nearest rows of each class
are compared, the first ones on ties. A number differs by its distance on a scale from 0 to 1, a label by
0 or 1. A missing label differs by 1 - 1 / labels; a missing number by the largest possible distance, max(v, 1 - v), or
1 if both are missing (Weka's rules). Distances are added column by column, so that neighbors are the same on every
machine.
"""

import numpy as np

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.exact import FIXED_ONE, to_fixed
from bayesieve.filters.coded_table import FilterData
from bayesieve.filters.relief_problem import ReliefProblem, make_relief_problem

__all__ = ["relief_sums", "relief_sums_numpy", "relief_weights"]


def relief_weights(data: FilterData, n_neighbors: int = 10, sigma: float | None = None) -> Floats:
    """Return the weight of each column of the table."""
    problem = make_relief_problem(data, n_neighbors, sigma)
    weights = np.empty(len(problem.values))
    weights[problem.places] = relief_sums(problem, data.n_threads) / float(FIXED_ONE) / len(problem.target)
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
