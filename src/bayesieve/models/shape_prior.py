# SPDX-License-Identifier: BSD-3-Clause
"""Posterior of one column's shape, a score per bin, under Gaussian priors.

Given the quadratic log-likelihood ``sum of R_v s_v - H_v s_v^2 / 2`` over the bins v, each prior has a posterior mean,
a variance per bin, and a log Bayes factor against "no effect":

- a *walk*: steps ``s_{v+1} - s_v ~ N(0, t d_v)`` from bin to bin, the level is free;
- a *line*: ``s = b x, b ~ N(0, t)``, in the value or in the normal score of its rank;
- *categories*: ``s_v ~ N(0, t)``, independent;
- a *curve*: a walk beside a line and a square with coefficients of variance ``tau``.

The compiled core has the same operations in the same order (``native/src/shapes``): the same bits.
"""

from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import log_positive
from bayesieve._typing import Floats

__all__ = ["ShapeBasis", "ShapePosterior", "ShapePriors", "make_monotone", "shape_posterior"]

_LOG2: Final = log(2.0)


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


@dataclass(frozen=True)
class ShapePriors:
    """Prior variances of the components of a mixture; the first component is "no effect".

    Attributes
    ----------
    walks, lines, categories : tuples of float
        Variances; each line is there twice, in the value and in its rank.
    curve : float
        Variance of the coefficients of line and square beside each walk; 0 for walks alone.
    """

    walks: tuple[float, ...]
    lines: tuple[float, ...]
    categories: tuple[float, ...]
    curve: float = 0.0

    @property
    def variances(self) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
        """Those of walks, lines and categories."""
        return self.walks, self.lines, self.categories

    def n_components(self, nominal: bool) -> int:
        """Return the number of components."""
        return 1 + (len(self.categories) if nominal else len(self.walks) + 2 * len(self.lines))


@dataclass(frozen=True)
class ShapePosterior:
    """Posterior mean and variance per component and bin, and the log Bayes factor of each component."""

    mean: Floats
    variance: Floats
    log_bayes_factor: Floats


def shape_posterior(basis: ShapeBasis, priors: ShapePriors, slopes: Floats, curvatures: Floats) -> ShapePosterior:
    """Return the posterior under every component, given R and H of each bin."""
    nothing = (np.zeros((1, len(slopes))), np.zeros((1, len(slopes))), np.zeros(1))
    if basis.nominal:
        parts = [nothing, _categories(np.array(priors.categories), slopes, curvatures)]
    else:
        curved = priors.curve > 0.0 and len(slopes) > 3
        walks = [
            _curve(basis, t, priors.curve, slopes, curvatures) if curved else _walk(basis, t, slopes, curvatures)
            for t in priors.walks
        ]
        lines = [_line(x, t, slopes, curvatures) for x in (basis.line, basis.rank) for t in priors.lines]
        parts = [nothing, *walks, *lines]
    mean, variance, factor = (np.concatenate(each) for each in zip(*parts, strict=True))
    return ShapePosterior(mean, variance, factor)


Component = tuple[Floats, Floats, Floats]


def _in_turn(terms: Floats) -> float:
    """Add up from first to last."""
    return float(np.cumsum(terms)[-1])


def _log_product(factors: Floats) -> float:
    """Return the logarithm of a product of positive numbers, without overflow."""
    mantissa, exponent = 1.0, 0
    for factor in factors.tolist():
        fraction, power = np.frexp(mantissa * factor)
        mantissa, exponent = float(fraction), exponent + int(power)
    return exponent * _LOG2 + float(log_positive(np.array(mantissa)))


class _WalkFactor:
    """L D L' of the tridiagonal precision of a walk's posterior."""

    def __init__(self, basis: ShapeBasis, t: float, curvatures: Floats) -> None:
        n, total = len(curvatures), _in_turn(curvatures)
        hold = 1e-4 * total / n + 1e-12  # of the level, which is free; it cancels in the Bayes factor
        spread = t * basis.gaps[: n - 1]
        left, right = np.append(hold, 1.0 / spread), np.append(1.0 / spread, 0.0)
        self.pivot, self.ratio = (curvatures + left) + right, np.zeros(n)
        for v in range(1, n):
            self.ratio[v] = -left[v] / self.pivot[v - 1]
            self.pivot[v] = self.pivot[v] + self.ratio[v] * left[v]
        factors = np.append(self.pivot[0], self.pivot[1:] * spread)
        self.log_determinant = _log_product(factors) - float(log_positive(np.array(total + hold)))

    def solve(self, rhs: Floats) -> tuple[Floats, float]:
        """Return the solution and the quadratic form of a right-hand side."""
        x, n = rhs.copy(), len(rhs)
        for v in range(1, n):
            x[v] = rhs[v] - self.ratio[v] * x[v - 1]
        quadratic = _in_turn(x * x / self.pivot)
        x = x / self.pivot
        for v in range(n - 2, -1, -1):
            x[v] = x[v] - self.ratio[v + 1] * x[v + 1]
        return x, quadratic

    def variances(self) -> Floats:
        """Return the diagonal of the inverse."""
        variance: Floats = 1.0 / self.pivot
        for v in range(len(variance) - 2, -1, -1):
            variance[v] = variance[v] + self.ratio[v + 1] * self.ratio[v + 1] * variance[v + 1]
        return variance


def _walk(basis: ShapeBasis, t: float, slopes: Floats, curvatures: Floats) -> Component:
    factor = _WalkFactor(basis, t, curvatures)
    mean, quadratic = factor.solve(slopes)
    return mean[None], factor.variances()[None], np.array([0.5 * (quadratic - factor.log_determinant)])


def _curve(basis: ShapeBasis, t: float, tau: float, slopes: Floats, curvatures: Floats) -> Component:
    factor = _WalkFactor(basis, t, curvatures)
    mean, quadratic = factor.solve(slopes)
    x, y = basis.line, basis.square
    # What of the line, and of the square, the walk cannot follow
    rest_x, rest_y = (each - factor.solve(curvatures * each)[0] for each in (x, y))
    residual = slopes - curvatures * mean
    r_x, r_y = _in_turn(x * residual), _in_turn(y * residual)
    g_xx, g_xy, g_yy = (_in_turn(a * curvatures * b) for a, b in ((x, rest_x), (x, rest_y), (y, rest_y)))
    g_xx, g_yy = g_xx + 1.0 / tau, g_yy + 1.0 / tau
    determinant = g_xx * g_yy - g_xy * g_xy
    b_x, b_y = (g_yy * r_x - g_xy * r_y) / determinant, (g_xx * r_y - g_xy * r_x) / determinant
    occam = 0.5 * float(log_positive(np.array(tau * tau * determinant)))
    log_factor = 0.5 * (quadratic - factor.log_determinant) + 0.5 * (r_x * b_x + r_y * b_y) - occam
    return (mean + rest_x * b_x + rest_y * b_y)[None], factor.variances()[None], np.array([log_factor])


def _line(x: Floats, t: float, slopes: Floats, curvatures: Floats) -> Component:
    r, h = _in_turn(slopes * x), _in_turn(curvatures * x * x)
    precision = h + 1.0 / t
    slope = r / precision
    log_factor = 0.5 * r * slope - 0.5 * float(log_positive(np.array(1.0 + t * h)))
    return (slope * x)[None], (x * x / precision)[None], np.array([log_factor])


def _categories(variances: Floats, slopes: Floats, curvatures: Floats) -> Component:
    t = variances[:, None]
    variance = 1.0 / (curvatures + 1.0 / t)
    mean = slopes * variance
    log_factors = [
        0.5 * _in_turn(slopes * own) - 0.5 * _log_product(1.0 + each * curvatures)
        for each, own in zip(variances.tolist(), mean, strict=True)
    ]
    return mean, variance, np.array(log_factors)


def make_monotone(x: Floats, curvatures: Floats, begin: int, sign: int) -> Floats:
    """Return the increasing (1) or decreasing (-1) sequence nearest to x in weighted squares, from ``begin`` on."""
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
