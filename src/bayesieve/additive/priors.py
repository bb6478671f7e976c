# SPDX-License-Identifier: BSD-3-Clause
"""Posterior of one column's shape, a score per bin, under Gaussian priors.

Given the quadratic log-likelihood ``sum of R_v s_v - H_v s_v^2 / 2`` over the bins v, each prior has a posterior mean,
a variance per bin, and a log Bayes factor against "no effect":

- a *walk*: steps ``s_{v+1} - s_v ~ N(0, t d_v)`` from bin to bin, the level is free;
- a *line*: ``s = b x, b ~ N(0, t)``, in the value or in the normal score of its rank;
- *categories*: ``s_v ~ N(0, t)``, independent;
- a *curve*: a walk with a line and a square with coefficients of variance ``tau``.

The compiled core has the same operations in the same order (``native/src/additive``): the same bits.
"""

from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.exact import log_positive, ordered_sum

__all__ = ["ShapeBasis", "ShapePosterior", "ShapePriors", "column_basis", "make_monotone", "shape_posterior"]

_LOG2: Final = log(2.0)
_UNIT: Final = 2.0**-30  # of bases: the same on every machine


@dataclass(frozen=True)
class ShapeBasis:
    """What the priors know of a column: its bins, not its target.

    Attributes
    ----------
    gaps : array of shape (n_bins,)
        The share of a walk's variance in the step to the next bin; the last entry is not used.
    line, rank, square : arrays of shape (n_bins,)
        The value, the normal score of its rank, and the square of the value, of unit variance over the rows.
    nominal : bool
        Whether bins are categories, which have no order.
    """

    gaps: Floats
    line: Floats
    rank: Floats
    square: Floats
    nominal: bool


def column_basis(mass: Floats, values: tuple[Floats, tuple[float, float]] | None, *, has_missing: int) -> ShapeBasis:
    """Return the basis of a column: of categories without values, of numbers with those of their bins.

    Parameters
    ----------
    mass : array of shape (n_bins,)
        The weight of each bin, that of missing values first.
    values : pair of array of shape (n_bins - has_missing,) and (low, high), or None
        The mean value of each bin, and where values are clipped.
    has_missing : int
        How many bins have no place in the order: that of missing values, and those of special ones.
    """
    n_bins = len(mass)
    if values is None:
        nothing = np.zeros(n_bins)
        return ShapeBasis(np.ones(n_bins), nothing, nothing, nothing, nominal=True)
    from scipy.special import ndtri

    first = int(has_missing)
    means, (low, high) = values
    clipped = np.clip(means, low, high) if high > low else means
    ranks = np.cumsum(mass[first:]) - 0.5 * mass[first:]
    scores = ndtri(np.clip(ranks / mass[first:].sum(), 1e-4, 1.0 - 1e-4))
    line = _standardized(clipped, mass, first)
    square = _standardized(line[first:] ** 2, mass, first, line)
    return ShapeBasis(_gaps(mass, first), line, _standardized(scores, mass, first), square, nominal=False)


def _gaps(mass: Floats, first: int) -> Floats:
    """Return the share of a walk's variance in each step: half equal, half by the rows on both sides."""
    n_bins = len(mass)
    by_rows = np.maximum((mass[1:] + mass[:-1]) / 2.0 / mass.sum(), 1e-3 / n_bins)
    gaps = np.append((1.0 / max(n_bins - 1 - first, 1) + by_rows) / 2.0, 1.0)
    if first:
        gaps[:first] = 1.0
    return _rounded(gaps)


def _standardized(x: Floats, mass: Floats, first: int, against: Floats | None = None) -> Floats:
    """Return a line of mean 0 and unit variance over the rows, orthogonal to another; 0 for missing values."""
    own = mass[first:] / mass.sum()
    x = x - (x * own).sum() / own.sum()
    if against is not None:
        other = against[first:]
        x = x - other * (x * own * other).sum() / max(float((own * other**2).sum()), 1e-12)
    deviation = float(np.sqrt((own * x**2).sum()))
    scaled = x / deviation if deviation > 1e-9 * max(1.0, float(np.abs(x).max(initial=0.0))) else np.zeros(len(x))
    return _rounded(np.concatenate([np.zeros(first), scaled]))


def _rounded(x: Floats) -> Floats:
    return np.rint(x / _UNIT) * _UNIT


@dataclass(frozen=True)
class ShapePriors:
    """Prior variances of the components of a mixture; the first component is "no effect".

    Attributes
    ----------
    walks, lines, categories : tuples of float
        Variances; each line is there twice, in the value and in its rank.
    curve : float
        Variance of the coefficients of line and square with each walk; 0 for walks alone.
    """

    walks: tuple[float, ...]
    lines: tuple[float, ...]
    categories: tuple[float, ...]
    curve: float = 0.0

    @property
    def variances(self) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
        """Variances of walks, lines and categories."""
        return self.walks, self.lines, self.categories

    def n_components(self, nominal: bool) -> int:
        """Return the number of components."""
        return 1 + (len(self.categories) if nominal else len(self.walks) + 2 * len(self.lines))


@dataclass(frozen=True)
class ShapePosterior:
    """Posterior under each component; ``...`` are the axes of the likelihoods that were given together.

    Attributes
    ----------
    mean, variance : arrays of shape (..., n_components, n_bins)
        Of the score of each bin.
    log_bayes_factor : array of shape (..., n_components)
        Against "no effect".
    """

    mean: Floats
    variance: Floats
    log_bayes_factor: Floats


def shape_posterior(basis: ShapeBasis, priors: ShapePriors, slopes: Floats, curvatures: Floats) -> ShapePosterior:
    """Return the posterior under every component, given R and H of each bin, both of shape (..., n_bins)."""
    walks, lines, categories = (np.array(each) for each in priors.variances)
    none = np.zeros((*slopes.shape[:-1], 1, slopes.shape[-1]))
    parts = [(none, none, none[..., 0])]
    if basis.nominal:
        parts.append(_categories(categories, slopes, curvatures))
    else:
        if len(walks):
            curved = priors.curve > 0.0 and slopes.shape[-1] > 3
            parts.append(_walks(basis, walks, priors.curve if curved else 0.0, slopes, curvatures))
        parts += [_lines(x, lines, slopes, curvatures) for x in (basis.line, basis.rank) if len(lines)]
    means, variances, factors = zip(*parts, strict=True)
    return ShapePosterior(np.concatenate(means, -2), np.concatenate(variances, -2), np.concatenate(factors, -1))


Components = tuple[Floats, Floats, Floats]


def _in_turn(terms: Floats) -> Floats:
    """Add up the last axis from first to last."""
    return ordered_sum(terms, -1)


def _log_product(factors: Floats) -> Floats:
    """Return the logarithm of the product of positive numbers along the last axis, without overflow."""
    by_bin = factors.T  # the other axes, which are reversed, too, are put in order at the end
    mantissa, exponent = np.ones(by_bin.shape[1:]), np.zeros(by_bin.shape[1:], dtype=np.int64)
    for factor in by_bin:
        mantissa, power = np.frexp(mantissa * factor)
        exponent = exponent + power
    return (exponent * _LOG2 + log_positive(mantissa)).T


class _WalkFactor:
    """L D L' of the tridiagonal precisions of the posteriors of walks, of shape (..., n_walks, n_bins)."""

    def __init__(self, basis: ShapeBasis, variances: Floats, curvatures: Floats) -> None:
        n, total = curvatures.shape[-1], _in_turn(curvatures)[..., None]
        hold = 1e-4 * total / n + 1e-12  # of the level, which is free; it cancels in the Bayes factor
        spread = variances[:, None] * basis.gaps[: n - 1]
        left, right = np.zeros((2, *curvatures.shape[:-1], *(len(variances), n)))
        left[..., 0], left[..., 1:], right[..., :-1] = hold, 1.0 / spread, 1.0 / spread
        self.pivot = (curvatures[..., None, :] + left) + right
        self.ratio = np.zeros_like(self.pivot)
        below, ratio, pivot = left.T, self.ratio.T, self.pivot.T  # views, bins first
        for v in range(1, n):
            ratio[v] = -below[v] / pivot[v - 1]
            pivot[v] = pivot[v] + ratio[v] * below[v]
        factors = self.pivot.copy()
        factors[..., 1:] = factors[..., 1:] * spread
        self.log_determinant = _log_product(factors) - log_positive(total + hold)

    def solve(self, rhs: Floats) -> tuple[Floats, Floats]:
        """Return the solutions and the quadratic forms of right-hand sides of shape (..., n_bins)."""
        solution = np.broadcast_to(rhs[..., None, :], self.pivot.shape).copy()
        x, ratio = solution.T, self.ratio.T
        for v in range(1, len(x)):
            x[v] = x[v] - ratio[v] * x[v - 1]
        quadratic = _in_turn(solution * solution / self.pivot)
        solution /= self.pivot
        for v in range(len(x) - 2, -1, -1):
            x[v] = x[v] - ratio[v + 1] * x[v + 1]
        return solution, quadratic

    def inverse_diagonal(self) -> Floats:
        """Return the diagonal of the inverse."""
        diagonal: Floats = 1.0 / self.pivot
        variance, ratio = diagonal.T, self.ratio.T
        for v in range(len(variance) - 2, -1, -1):
            variance[v] = variance[v] + ratio[v + 1] * ratio[v + 1] * variance[v + 1]
        return diagonal


def _walks(basis: ShapeBasis, variances: Floats, tau: float, slopes: Floats, curvatures: Floats) -> Components:
    factor = _WalkFactor(basis, variances, curvatures)
    mean, quadratic = factor.solve(slopes)
    variance, log_factors = factor.inverse_diagonal(), 0.5 * (quadratic - factor.log_determinant)
    if tau:
        residual = slopes[..., None, :] - curvatures[..., None, :] * mean
        change, own, gain = _curve(basis, tau, factor, residual, curvatures)
        mean, variance = mean + change[0] + change[1], variance + own
        log_factors = log_factors + gain[0] - gain[1]
    return mean, variance, log_factors


def _curve(
    basis: ShapeBasis, tau: float, factor: _WalkFactor, residual: Floats, curvatures: Floats
) -> tuple[tuple[Floats, Floats], Floats, tuple[Floats, Floats]]:
    """Return what line and square add to the means of walks, and to variances, and gains and Occam factors in nats."""
    x, y, own = basis.line, basis.square, curvatures[..., None, :]
    # What of the line, and of the square, the walk cannot follow
    rest_x, rest_y = (each - factor.solve(curvatures * each)[0] for each in (x, y))
    r_x, r_y = _in_turn(x * residual), _in_turn(y * residual)
    g_xx, g_xy, g_yy = (_in_turn(a * own * b) for a, b in ((x, rest_x), (x, rest_y), (y, rest_y)))
    g_xx, g_yy = g_xx + 1.0 / tau, g_yy + 1.0 / tau
    determinant = g_xx * g_yy - g_xy * g_xy
    b_x, b_y = (g_yy * r_x - g_xy * r_y) / determinant, (g_xx * r_y - g_xy * r_x) / determinant
    occam = 0.5 * log_positive(tau * tau * determinant)
    cross = 2.0 * rest_x * rest_y * g_xy[..., None]
    variance = rest_x * rest_x * g_yy[..., None] - cross + rest_y * rest_y * g_xx[..., None]
    change = rest_x * b_x[..., None], rest_y * b_y[..., None]
    return change, variance / determinant[..., None], (0.5 * (r_x * b_x + r_y * b_y), occam)


def _lines(x: Floats, variances: Floats, slopes: Floats, curvatures: Floats) -> Components:
    r, h = _in_turn(slopes * x)[..., None], _in_turn(curvatures * x * x)[..., None]
    precision = h + 1.0 / variances
    slope = r / precision
    log_factors = 0.5 * r * slope - 0.5 * log_positive(1.0 + variances * h)
    return slope[..., None] * x, x * x / precision[..., None], log_factors


def _categories(variances: Floats, slopes: Floats, curvatures: Floats) -> Components:
    t, own = variances[:, None], curvatures[..., None, :]
    variance = 1.0 / (own + 1.0 / t)
    mean = slopes[..., None, :] * variance
    log_factors = 0.5 * _in_turn(slopes[..., None, :] * mean) - 0.5 * _log_product(1.0 + t * own)
    return mean, variance, log_factors


def make_monotone(x: Floats, curvatures: Floats, begin: int, sign: int) -> Floats:
    """Return the increasing (1) or decreasing (-1) sequence nearest to x in weighted squares, from ``begin`` on.

    Neighbors are pooled in the order in which the compiled twin pools them: another one would round means otherwise.
    """
    pools: list[tuple[float, float, int]] = []  # mean, weight and size of neighbors that break the order
    for value, own in zip(x[begin:].tolist(), curvatures[begin:].tolist(), strict=True):
        mean, weight, size = sign * value, max(own, 1e-9), 1
        while pools and pools[-1][0] > mean:
            last_mean, last_weight, last_size = pools.pop()
            total = last_weight + weight
            mean, weight, size = (last_weight * last_mean + weight * mean) / total, total, size + last_size
        pools.append((mean, weight, size))
    ordered: NDArray[np.float64] = np.repeat([sign * pool[0] for pool in pools], [pool[2] for pool in pools])
    return np.concatenate([x[:begin], ordered])
