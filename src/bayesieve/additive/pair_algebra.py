# SPDX-License-Identifier: BSD-3-Clause
"""The NumPy twin of native/src/pairs/pair_algebra.cpp: many tables at once, each with the operations of the core.

Every entry is computed by the same additions and multiplications in the same order, so that results have the same bits.
Linear algebra libraries would not.
"""

from typing import Final

import numpy as np

from bayesieve._typing import Floats
from bayesieve.exact import exp_nonpositive, log_positive

__all__ = ["fit_margins", "fit_tables"]

_BATCH: Final = 32  # tables at a time: their matrices stay in the cache


def fit_tables(
    margins: Floats,
    roots: tuple[tuple[Floats, Floats], ...],
    squared_scales: Floats,
    sums: tuple[Floats, Floats],
    with_means: bool,
) -> tuple[Floats, Floats]:
    """Return the log Bayes factors, and the posterior means of shape (n_tables, n_cells), given gradients, curvatures.

    Without means, these have no rows.
    """
    n_tables, n_cells = sums[0].shape
    factors, means = np.zeros(n_tables), np.zeros((n_tables if with_means else 0, n_cells))
    for begin in range(0, n_tables, _BATCH):
        part = slice(begin, begin + _BATCH)
        fit = _TableFits(margins, squared_scales, sums[0][part], sums[1][part])
        factors[part], shares, solutions = fit.factors(roots)
        if with_means:
            means[part] = fit.means(roots, shares, solutions)
    return factors, means


def fit_margins(margins: Floats, sums: tuple[Floats, Floats]) -> Floats:
    """Return the posterior means of margins alone, shape (n_tables, n_cells), given gradients and curvatures."""
    gradient, curvature = sums
    precision = _margin_precision(margins, margins * curvature[:, None, :])
    curves = _solution(precision, _dot(margins, gradient[:, None, :]))[2]
    cells = np.zeros_like(gradient)
    for p, x in enumerate(margins):
        cells = cells + x * curves[:, p, None]
    return cells


class _TableFits:
    def __init__(self, margins: Floats, squared_scales: Floats, gradient: Floats, curvature: Floats) -> None:
        self._x, self._scales, self._gradient, self._curvature = margins, squared_scales, gradient, curvature
        self._weighted = margins * curvature[:, None, :]  # (n_tables, n_margins, n_cells)
        self._precision = _margin_precision(margins, self._weighted)

    def factors(self, roots: tuple[tuple[Floats, Floats], ...]) -> tuple[Floats, Floats, list[list[Floats]]]:
        """Return log Bayes factors, shares (n_resolutions, n_scales, n_tables), and effects per resolution, scale."""
        values, solutions = [], []
        for a, b in roots:
            information, slope = self._without_margins(a, b)
            results = [_scale(information, slope, float(t2)) for t2 in self._scales]
            values += [factor for factor, _ in results]
            solutions.append([effects for _, effects in results])
        top = np.max(values, axis=0)
        shares = [exp_nonpositive(factor - top) for factor in values]
        total = np.zeros(len(top))
        for share in shares:
            total = total + share
        factors = top + log_positive(total / float(len(values)))
        return factors, (np.array(shares) / total).reshape(len(roots), len(self._scales), -1), solutions

    def means(self, roots: tuple[tuple[Floats, Floats], ...], shares: Floats, solutions: list[list[Floats]]) -> Floats:
        """Return the mean over scales and resolutions, less the posterior mean of its margins."""
        cells = np.zeros_like(self._gradient)
        for (a, b), of_scales, effects_of_scales in zip(roots, shares, solutions, strict=True):
            effects = np.zeros((len(cells), a.shape[1] * b.shape[1]))
            for share, solution in zip(of_scales, effects_of_scales, strict=True):
                effects = effects + share[:, None] * solution
            table = effects.reshape(-1, 1, a.shape[1], 1, b.shape[1])
            of_bins = _dot(table, b[:, None, None, :].transpose(1, 2, 0, 3))  # (n_tables, 1, k_a, n_b)
            cells = cells + _dot(a[:, None, :], of_bins.transpose(0, 1, 3, 2)).reshape(cells.shape)
        slope = _dot(self._weighted, cells[:, None, :])
        curves = _solution(self._precision.copy(), slope)[2]
        for p, x in enumerate(self._x):
            cells = cells - x * curves[:, p, None]
        return cells

    def _without_margins(self, a: Floats, b: Floats) -> tuple[Floats, Floats]:
        """Return information and slope of the effects of one resolution, with the margins integrated out."""
        m, n, n_tables = len(self._x), a.shape[1] * b.shape[1], len(self._gradient)
        low = np.zeros((n_tables, m + n, m + n))
        low[:, :m, :m] = self._precision
        low[:, m:, :m] = _project(self._weighted, a, b).transpose(0, 2, 1)
        low[:, m:, m:] = _products(self._curvature, a, b)
        slope = np.concatenate(
            [_dot(self._x, self._gradient[:, None, :]), _project(self._gradient[:, None, :], a, b)[:, 0]], axis=1
        )
        for k in range(m):
            _eliminate(low, slope, k)
        return low[:, m:, m:], slope[:, m:]


def _margin_precision(margins: Floats, weighted: Floats) -> Floats:
    """Return X'HX + I of each table, given X' and X'H."""
    precision = _dot(weighted[:, :, None, :], margins)
    diagonal = np.arange(len(margins))
    precision[:, diagonal, diagonal] += 1.0
    return precision


def _scale(information: Floats, slope: Floats, t2: float) -> tuple[Floats, Floats]:
    """Return the log Bayes factor of one scale, and the posterior mean of its effects times the squared scale."""
    precision = t2 * information
    diagonal = np.arange(slope.shape[1])
    precision[:, diagonal, diagonal] += 1.0
    quadratic, log_determinant, effects = _solution(precision, slope.copy())
    return 0.5 * (t2 * quadratic) - 0.5 * log_determinant, t2 * effects


def _solution(low: Floats, slope: Floats) -> tuple[Floats, Floats, Floats]:
    """Return z'A^-1 z, log det A and A^-1 z, given lower triangles; the arrays are overwritten."""
    quadratic, log_determinant = np.zeros((2, len(slope)))
    for k in range(slope.shape[1]):
        pivot = low[:, k, k]
        quadratic = quadratic + slope[:, k] * slope[:, k] / pivot
        log_determinant = log_determinant + log_positive(pivot)
        _eliminate(low, slope, k)
    solution = slope / np.diagonal(low, axis1=1, axis2=2)
    for i in range(slope.shape[1] - 1, 0, -1):
        solution[:, :i] -= low[:, i, :i] * solution[:, i, None]
    return quadratic, log_determinant, solution


def _eliminate(low: Floats, slope: Floats, k: int) -> None:
    """Take unknown k out of the rows below it; its column then holds the factors."""
    factor = low[:, k + 1 :, k] / low[:, k, k, None]
    low[:, k + 1 :, k + 1 :] -= factor[:, :, None] * low[:, None, k + 1 :, k]
    low[:, k + 1 :, k] = factor
    slope[:, k + 1 :] -= factor * slope[:, k, None]


def _project(cells: Floats, a: Floats, b: Floats) -> Floats:
    """Return A' cells B of tables (n_tables, n, n_cells), flat: (n_tables, n, k_a * k_b)."""
    table = cells.reshape(*cells.shape[:2], len(a), 1, len(b))
    of_bins = _dot(table, b.T)  # (n_tables, n, n_a, k_b)
    effects = _dot(a.T[:, None, :], of_bins.transpose(0, 1, 3, 2)[:, :, None])
    return effects.reshape(*cells.shape[:2], -1)


def _products(curvature: Floats, a: Floats, b: Floats) -> Floats:
    """Return R'HR of each table, of shape (n_tables, k_a * k_b, k_a * k_b)."""
    n_tables, k_a, k_b = len(curvature), a.shape[1], b.shape[1]
    both_a, both_b = (root.T[:, None, :] * root.T for root in (a, b))  # (k, k, n_bins)
    table = curvature.reshape(n_tables, 1, 1, len(a), len(b))
    of_bins = _dot(both_b[:, :, None, :], table)  # (n_tables, k_b, k_b, n_a)
    result = _dot(both_a[:, None, :, None, :], of_bins[:, None, :, None, :, :])
    return result.reshape(n_tables, k_a * k_b, k_a * k_b)


def _dot(x: Floats, y: Floats) -> Floats:
    """Return the sum of products along the last axis, added from the first to the last."""
    total = np.zeros(np.broadcast_shapes(x.shape[:-1], y.shape[:-1]))
    for i in range(x.shape[-1]):
        total = total + x[..., i] * y[..., i]
    return total
