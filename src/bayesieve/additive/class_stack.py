# SPDX-License-Identifier: BSD-3-Clause
"""Weights of members whose out-of-fold class scores are added up: softmax regression with one weight per member.

    minimize over a >= 0, b:   sum over rows of w log loss(softmax(b + sum of a_j O_j)) + 2 x sum of (a_j - prior_j)^2

Sums over rows are of integers, so that the weights do not depend on the order of rows or the machine.
"""

from math import fsum
from typing import Final

import numpy as np

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.additive.stack import MOST_SCORE, MOST_WEIGHT, PENALTY, Stack, descend
from bayesieve.exact import exp_nonpositive, log_positive

__all__ = ["fit_class_stack", "stack_sums_numpy"]

_MOST_STEPS: Final = 40
_TOLERANCE: Final = 1e-5  # of the penalized loss per row

Problem = tuple[Floats, Ints, Floats, float]
"""Centered scores of shape (n_members, n_rows, n_classes), numbers of classes, weights of rows, unit of sums."""


def fit_class_stack(
    scores: Floats, target: Floats, weights: Floats, prior: Floats, start: Stack | None = None
) -> Stack:
    """Fit the weights of members to their out-of-fold scores, shape (n_members, n_rows, n_classes), near a prior."""
    total = fsum(weights.tolist())
    clipped = np.clip(scores, -MOST_SCORE, MOST_SCORE)
    unit = float(2.0 ** (np.ceil(np.log2(max(total, 1.0) * (2.0 * MOST_SCORE) ** 2)) - 50))
    scaled = clipped * (weights[:, None] / unit)
    centers = np.rint(scaled, out=scaled).astype(np.int64).sum(axis=1) * unit / total
    clipped -= centers[:, None]
    problem = np.ascontiguousarray(clipped), target.astype(np.int64), weights, unit
    if start is None or len(start.weights) != len(prior):
        a, b = prior, (centers * prior[:, None]).sum(axis=0)
    else:
        a, b = start.weights, np.asarray(start.intercept)
    state = _Sums(problem, a, b)
    for _ in range(_MOST_STEPS):
        change, shift = state.step(prior)
        step, loss = 1.0, state.penalized(prior)
        while step > 1e-6:
            after = _Sums(problem, np.clip(state.a + step * change, 0.0, MOST_WEIGHT), state.b + step * shift)
            if after.penalized(prior) <= loss + 1e-9 * total:
                break
            step /= 2.0
        else:
            break
        state = after
        if loss - state.penalized(prior) < _TOLERANCE * total:
            break
    return Stack(state.a, centers, state.b)


class _Sums:
    """Loss, gradient and curvature at given weights and intercepts."""

    def __init__(self, problem: Problem, a: Floats, b: Floats) -> None:
        self.a, self.b = np.ascontiguousarray(a), np.ascontiguousarray(b)
        if core is None:
            warn_if_missing()
        compute = stack_sums_numpy if core is None else core.stack_sums
        sums = compute(problem, self.a, self.b) * problem[3]
        n, n_classes = len(a), len(b)
        loss, *vectors, curvatures, crosses = np.split(sums, np.cumsum([1, n, n_classes, n_classes, n * n]))
        self._loss, (self._slopes, self._starts, bounds) = float(loss[0]), vectors
        self._bounds = np.maximum(bounds, 1e-9)
        lower = np.tril(curvatures.reshape(n, n))
        self._curvatures, self._crosses = lower + np.tril(lower, -1).T, crosses.reshape(n, n_classes)

    def penalized(self, prior: Floats) -> float:
        """Return what is minimized."""
        return self._loss + PENALTY / 2.0 * float(((self.a - prior) ** 2).sum())

    def step(self, prior: Floats) -> tuple[Floats, Floats]:
        """Return changes of the weights, not below 0, and of the intercepts, which minimize a quadratic."""
        n, scaled = len(prior), self._crosses / self._bounds
        gradient = self._slopes - PENALTY * (self.a - prior) - _products(scaled, self._starts)
        eliminated = [_products(scaled, own) for own in self._crosses]  # the intercepts follow the weights
        hessian = self._curvatures + PENALTY * np.eye(n) - np.array(eliminated)
        change, _ = descend((gradient, hessian, np.zeros(n), self.a), 0.0, 1.0)
        shift = (self._starts - _products(self._crosses.T, change)) / self._bounds
        return change, np.clip(shift, -2.0, 2.0)


def _products(matrix: Floats, vector: Floats) -> Floats:
    """Return a matrix product whose sums are from first to last: the same bits on every machine."""
    return np.asarray(np.cumsum(matrix * vector, axis=1)[:, -1])


def stack_sums_numpy(problem: Problem, a: Floats, b: Floats) -> Ints:
    """Specification of the core's sums, and its fallback.

    Returns, in one vector of multiples of the unit: the log loss, its gradient in a and in b, a bound of the curvature
    in b, the curvature in a, of which the lower half is filled, and that in a and b.
    """
    scores, target, weights, unit = problem
    n, n_rows = scores.shape[:2]
    z = np.tile(b, (n_rows, 1))
    for weight, own in zip(a.tolist(), scores, strict=True):
        z = z + weight * own
    top = z.max(axis=1)
    e = exp_nonpositive(z - top[:, None])
    total = np.cumsum(e, axis=1)[:, -1]
    rows, scale = np.arange(n_rows), 1.0 / unit
    losses = weights * (log_positive(total) + (top - z[rows, target]))
    p, weighted = e / total[:, None], weights * scale
    starts = -_integer_sums(p * weighted[:, None])
    np.add.at(starts, target, np.rint(weighted).astype(np.int64))
    means = [np.cumsum(p * own, axis=1)[:, -1] for own in scores]
    curvatures = np.zeros((n, n), dtype=np.int64)
    for j in range(n):
        for k in range(j + 1):
            square = np.cumsum(p * scores[j] * scores[k], axis=1)[:, -1]
            curvatures[j, k] = _integer_sums((square - means[j] * means[k]) * weighted)
    pairs = list(zip(scores, means, strict=True))
    parts = [
        [_integer_sums(losses * scale)],
        [_integer_sums((own[rows, target] - mean) * weighted) for own, mean in pairs],
        starts,
        _integer_sums(p * np.minimum(2.0 * (1.0 - p), 1.0) * weighted[:, None]),
        curvatures.ravel(),
        *(_integer_sums(p * (own - mean[:, None]) * weighted[:, None]) for own, mean in pairs),
    ]
    return np.concatenate([np.asarray(part, dtype=np.int64) for part in parts])


def _integer_sums(x: Floats) -> Ints:
    return np.asarray(np.rint(x).astype(np.int64).sum(axis=0))
