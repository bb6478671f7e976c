# SPDX-License-Identifier: BSD-3-Clause
"""Posterior variances of the cells of a table of a pair, given its sums per cell; see `cell_prior`.

A table is R v less what the margins X can express of it. Given t, with M the information of v that the margins leave,

    covariance of the cells = t^2 S R (I + t^2 M)^-1 R'S',    S = I - X (X'HX + I)^-1 X'H

and over all t and resolutions it is that of their mixture. Sums are added in order: the same on every machine.
"""

from typing import NamedTuple

import numpy as np

from bayesieve._typing import Floats
from bayesieve.additive.cell_prior import PairDesign
from bayesieve.exact import exp_nonpositive, log_positive, ordered_sum

__all__ = ["cell_variances"]


class _Component(NamedTuple):
    """Posterior given a standard deviation and a resolution: log Bayes factor, and mean and variance per cell."""

    log_bayes_factor: float
    mean: Floats
    variance: Floats


def cell_variances(design: PairDesign, slopes: Floats, curvatures: Floats) -> Floats:
    """Return the variance of each cell of a table, given R and H of the cells, both of shape (n_a, n_b)."""
    components = list[_Component]()
    for a, b in design.roots:
        root = (a[:, None, :, None] * b[None, :, None, :]).reshape(slopes.size, -1)
        components += _components(design, root, slopes.ravel(), curvatures.ravel())
    logs = np.array([each.log_bayes_factor for each in components])
    weights = exp_nonpositive(logs - logs.max())
    mean, square = np.zeros((2, slopes.size))
    for weight, each in zip((weights / ordered_sum(weights)).tolist(), components, strict=True):
        mean = mean + weight * each.mean
        square = square + weight * (each.variance + each.mean * each.mean)
    return np.maximum(square - mean * mean, 0.0).reshape(slopes.shape)


def _components(design: PairDesign, root: Floats, slope: Floats, curvature: Floats) -> list[_Component]:
    """Return the posterior of each standard deviation of one resolution."""
    margins = design.margins
    precision = _products(margins * curvature, margins) + np.eye(len(margins))
    own = root - _products(margins.T, _solution(precision, _products(margins * curvature, root.T)).T)
    information, effects = _products((own * curvature[:, None]).T, root.T), _products(own.T, slope[None])
    components = []
    for t2 in design.squared_scales.tolist():
        pivots, sides = _eliminated(np.eye(len(effects)) + t2 * information, np.concatenate([effects, own.T], axis=1))
        half, cells = sides[:, :1] / pivots[:, None], sides[:, 1:]
        factor = 0.5 * (t2 * ordered_sum(sides[:, 0] * half[:, 0]) - ordered_sum(log_positive(pivots)))
        mean, variance = ordered_sum(cells * half, 0), ordered_sum(cells * cells / pivots[:, None], 0)
        components.append(_Component(factor, t2 * mean, t2 * variance))
    return components


def _products(x: Floats, y: Floats) -> Floats:
    """Return the sums of products of the rows of both."""
    total = np.zeros((len(x), len(y)))
    for own, other in zip(x.T, y.T, strict=True):
        total += own[:, None] * other
    return total


def _eliminated(matrix: Floats, sides: Floats) -> tuple[Floats, Floats]:
    """Return the pivots D of a matrix L D L', and L^-1 times right-hand sides."""
    matrix, sides = matrix.copy(), sides.copy()
    for k in range(len(matrix) - 1):
        factor = (matrix[k + 1 :, k] / matrix[k, k])[:, None]
        matrix[k + 1 :, k + 1 :] -= factor * matrix[k, k + 1 :]
        sides[k + 1 :] -= factor * sides[k]
    return matrix.diagonal().copy(), sides


def _solution(matrix: Floats, sides: Floats) -> Floats:
    """Return the inverse of a matrix times right-hand sides: the forms that it has with the unit vectors."""
    n = len(matrix)
    pivots, eliminated = _eliminated(matrix, np.concatenate([np.eye(n), sides], axis=1))
    return _products(eliminated[:, :n].T, (eliminated[:, n:] / pivots[:, None]).T)
