# SPDX-License-Identifier: BSD-3-Clause
"""Score tables of pairs of columns: log Bayes factor and posterior mean, from sums of derivatives per cell.

G and H are the first derivative and the curvature of the log-likelihood per cell of two columns, given an offset. The
effects u of the cells have the quadratic log-likelihood G'u - u'diag(H)u / 2. Two hypotheses are compared:

    margins alone        u = X c,         c ~ N(0, I)          X: constant (nearly free), curve of each column
    cells differ, too    u = X c + R v,   v ~ N(0, t^2 I)      R R' = product of the kernels of both columns

Curves and cells have the kernel 1 - |i - j| / m over m blocks of bins, so that neighbors are alike. With c integrated
out, M the information and z the slope that are left of v,

    log Bayes factor = t^2 z'(I + t^2 M)^-1 z / 2 - log det(I + t^2 M) / 2

It is averaged over standard deviations t and resolutions; so is the table, the posterior mean of R v less its
projection on X. Hence a table holds only what two curves cannot express. Pairs are searched with four small standard
deviations and five resolutions. Tables of a model, whose pairs have been found to matter, have the finest resolution
and larger standard deviations.

With more than two classes each has a table. A pair has an effect on each class with probability 1/2, or with 1/8, which
are equally likely: one that matters to few of many classes is found, too. The curvature is then a bound, which favors
small standard deviations: tables of a model hence have t = 1 alone.
"""

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final, NamedTuple

import numpy as np

from bayesieve._native import core
from bayesieve._typing import Floats, Ints
from bayesieve.additive.constants import (
    CELL_BLOCKS,
    CELL_SCALES,
    CLASS_SHARES,
    FREE_CONSTANT,
    JUMP_PRICE,
    PAIR_BINS,
    Tuning,
)
from bayesieve.bins.merge import interval_blocks
from bayesieve.exact import exp_nonpositive, log_positive, ordered_sum

__all__ = [
    "SEARCH_PRIOR",
    "PairAxis",
    "PairDesign",
    "Resolution",
    "TablePrior",
    "axis_blocks",
    "fit_margins",
    "fit_tables",
    "joint_factors",
    "log_bayes_factors",
    "model_priors",
    "pair_design",
    "posterior_margins",
    "posterior_tables",
    "weak_prior",
]

_JITTER: Final = 1e-9  # the kernel is positive definite even after rounding


class PairAxis(NamedTuple):
    """Bins of a column in tables of pairs; those that are unlike their neighbors: a frequent value, missing values."""

    n_bins: int
    alone: tuple[int, ...] = ()


class Resolution(NamedTuple):
    """Numbers of blocks of bins of the two columns; effects may be interpolated between the centers of blocks."""

    a: int
    b: int
    is_smooth: bool = False


class TablePrior(NamedTuple):
    """Variances t^2 of a cell's effect, and resolutions; tables are averaged over all.

    Cells without rows have the effect that is expected given their neighbors if ``fills_cells``, otherwise none. A
    prior with a ``price`` is chosen among others only if its evidence is larger by so many nats.
    """

    variances: tuple[float, ...]
    resolutions: tuple[Resolution, ...]
    fills_cells: bool = False
    price: float = 0.0


SEARCH_PRIOR: Final = TablePrior(tuple(t * t for t in CELL_SCALES), tuple(Resolution(*each) for each in CELL_BLOCKS))


def weak_prior(tuning: Tuning) -> TablePrior:
    """Return the prior of weak pairs that are judged together: these are to have an effect."""
    return TablePrior(tuning.pair_variances, (Resolution(PAIR_BINS, PAIR_BINS),))


def model_priors(tuning: Tuning) -> tuple[TablePrior, ...]:
    """Return the priors among which that of a table of a model is chosen, one per resolution.

    Effects are interpolated, or jump between blocks of bins.
    """
    knots = [TablePrior(tuning.pair_variances, (Resolution(n, n, True),), True) for n in tuning.pair_knots]
    jumps = [TablePrior(tuning.pair_variances, (Resolution(n, n),), True, JUMP_PRICE) for n in tuning.pair_blocks]
    return (*knots, *jumps)


@dataclass(frozen=True)
class PairDesign:
    """Roots of the kernels of tables of n_a × n_b cells.

    ``margins`` has the shape (1 + n_a + n_b, n_a * n_b); ``roots`` holds two matrices (n_a, k_a) and (n_b, k_b) per
    resolution, whose Kronecker product is R. ``fills_cells`` tells whether cells without rows have the effect that is
    expected given their neighbors, as in tables of a model, instead of none.
    """

    shape: tuple[int, int]
    margins: Floats
    roots: tuple[tuple[Floats, Floats], ...]
    squared_scales: Floats
    fills_cells: bool = False

    @cached_property
    def native(self) -> "core.PairAlgebra":
        """The compiled core with this design."""
        return core.PairAlgebra(*self.shape, self.margins, self.roots, self.squared_scales, self.fills_cells)


@cache
def pair_design(a: PairAxis, b: PairAxis, prior: TablePrior = SEARCH_PRIOR) -> PairDesign:
    """Return the design of tables of two columns."""
    n_a, n_b = a.n_bins, b.n_bins
    constant = np.full((1, n_a * n_b), FREE_CONSTANT)
    is_smooth = any(each.is_smooth for each in prior.resolutions)
    curve_a = np.repeat(_root(a, PAIR_BINS, is_smooth).T, n_b, axis=1)
    curve_b = np.tile(_root(b, PAIR_BINS, is_smooth).T, (1, n_a))
    resolutions = dict.fromkeys(Resolution(min(i, n_a), min(j, n_b), smooth) for i, j, smooth in prior.resolutions)
    roots = tuple((_root(a, i, smooth), _root(b, j, smooth)) for i, j, smooth in resolutions)
    margins = np.concatenate([constant, curve_a, curve_b])
    return PairDesign((n_a, n_b), margins, roots, np.array(prior.variances), fills_cells=prior.fills_cells)


def log_bayes_factors(
    design: PairDesign, gradients: Floats, curvatures: Floats, n_threads: int = 1, backend: str = "auto"
) -> Floats:
    """Return the log Bayes factor of each table, given its sums per cell, both of shape (n_tables, n_a, n_b)."""
    return _fit(design, (gradients, curvatures), False, n_threads, backend)[0]


def posterior_tables(
    design: PairDesign, gradients: Floats, curvatures: Floats, n_threads: int = 1, backend: str = "auto"
) -> tuple[Floats, Floats]:
    """Return the log Bayes factor of each table and its posterior mean, of shape (n_tables, n_a, n_b)."""
    factors, means = _fit(design, (gradients, curvatures), True, n_threads, backend)
    return factors, means.reshape(gradients.shape)


def posterior_margins(design: PairDesign, gradients: Floats, curvatures: Floats, backend: str = "auto") -> Floats:
    """Return the posterior mean of margins alone, of shape (n_tables, n_a, n_b).

    With margins integrated out, the cells differ from these by the posterior mean of their table: the sum of both is
    the posterior mean of the effects ``u``.
    """
    n_tables, n_a, n_b = gradients.shape
    g, h = (np.ascontiguousarray(sums.reshape(n_tables, n_a * n_b)) for sums in (gradients, curvatures))
    if core is not None and backend != "reference":
        return design.native.margins(g, h).reshape(gradients.shape)
    return fit_margins(design.margins, (g, h)).reshape(gradients.shape)


def joint_factors(by_score: Floats) -> Floats:
    """Return the log Bayes factors of pairs for all scores, given those of each, shape (n_scores, n_pairs)."""
    if len(by_score) == 1:
        return np.asarray(by_score[0])
    few, many = (_with_shares(by_score, share) for share in CLASS_SHARES)
    top = np.maximum(few, many)
    return np.asarray(top + log_positive(0.5 + 0.5 * exp_nonpositive(-np.abs(few - many))))


def _with_shares(by_score: Floats, share: float) -> Floats:
    """Return joint log Bayes factors if each class has an effect with a given probability."""
    size = exp_nonpositive(-np.abs(by_score))
    none, some = np.where(by_score < 0.0, 1.0, size) * (1.0 - share), np.where(by_score < 0.0, size, 1.0) * share
    terms = np.maximum(by_score, 0.0) + log_positive(none + some)
    return ordered_sum(terms, 0)


def _fit(
    design: PairDesign, sums: tuple[Floats, Floats], with_means: bool, n_threads: int, backend: str
) -> tuple[Floats, Floats]:
    n_a, n_b = design.shape
    g, h = (np.ascontiguousarray(own.reshape(len(own), n_a * n_b)) for own in sums)
    if core is not None and backend != "reference":
        return design.native.fit(g, h, with_means, n_threads)
    return fit_tables(design.margins, design.roots, design.squared_scales, (g, h), with_means)


@cache
def axis_blocks(axis: PairAxis, n_blocks: int) -> Ints:
    """Return the block of each bin: as many bins each as possible, bins that are unlike their neighbors alone."""
    mass = np.ones(axis.n_bins)
    if len(axis.alone) < axis.n_bins:
        mass[list(axis.alone)] = axis.n_bins
    return interval_blocks(mass, n_blocks)


def _root(axis: PairAxis, n_blocks: int, is_smooth: bool = False) -> Floats:
    """Return the root of the kernel per bin: that of its block, or interpolated between the centers of blocks."""
    blocks = axis_blocks(axis, n_blocks)
    root = _kernel_root(int(blocks.max()) + 1)
    if not is_smooth:
        return root[blocks]
    n, alone = int(blocks.max()) + 1, set(blocks[list(axis.alone)].tolist())
    centers = np.array([np.flatnonzero(blocks == k).mean() for k in range(n)])
    rows = []
    for v, k in enumerate(blocks.tolist()):
        other = k + 1 if v > centers[k] else k - 1
        if k in alone or other in alone or not 0 <= other < n or v == centers[k]:
            rows.append(root[k])
            continue
        share = (v - centers[k]) / (centers[other] - centers[k])
        rows.append((1.0 - share) * root[k] + share * root[other])
    return np.array(rows)


@cache
def _kernel_root(n_blocks: int) -> Floats:
    """Return the Cholesky root of the kernel of blocks; in plain arithmetic, the same on every machine."""
    low = [[0.0] * n_blocks for _ in range(n_blocks)]
    for i in range(n_blocks):
        for j in range(i + 1):
            rest = 1.0 - (i - j) / n_blocks + (_JITTER if i == j else 0.0)
            for k in range(j):
                rest -= low[i][k] * low[j][k]
            low[i][j] = math.sqrt(rest) if i == j else rest / low[j][j]
    return np.array(low)


# ---- The NumPy twin of native/src/additive/pair_algebra.cpp: many tables at once, each with the core's operations.
# Every entry is computed by the same additions and multiplications in the same order, so that results have the same
# bits. Linear algebra libraries would not.

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
