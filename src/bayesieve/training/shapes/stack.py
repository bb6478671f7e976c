# SPDX-License-Identifier: BSD-3-Clause
"""Weights of members whose out-of-fold log-odds are added up: non-negative logistic regression.

    minimize over a >= 0, b:   sum over rows of w log loss(b + sum of a_j O_j) + 2 x sum of (a_j - prior_j)^2

Sums over rows are of integers, so that the weights do not depend on the order of rows or the machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Final

import numpy as np

from bayesieve._native import core
from bayesieve._native.elementary import exp_nonpositive, log_positive
from bayesieve._typing import Floats
from bayesieve.engine.shapes import log_losses

__all__ = ["MOST_SCORE", "MOST_WEIGHT", "PENALTY", "Stack", "descend", "descend_reference", "fit_stack"]

PENALTY: Final = 4.0
MOST_SCORE: Final = 15.0
MOST_WEIGHT: Final = 64.0  # of a member, far beyond what any data ask for: weights of rows that differ by 10^15 do
_MOST_STEPS: Final = 50
_SWEEPS: Final = 200
_TOLERANCE: Final = 1e-5


@dataclass(frozen=True)
class Stack:
    """Log-odds of a row: ``intercept + sum of weights x (score - center)``, of scores that are clipped at ±15.

    With more than two classes, the same of the score of each class: centers and intercept have an axis of classes.
    """

    weights: Floats
    centers: Floats
    intercept: float | Floats

    @property
    def packed(self) -> tuple[list[int], list[float]]:
        """Shape and numbers, from which `unpacked` makes it again."""
        arrays = [self.weights, self.centers, np.asarray(self.intercept)]
        return list(self.centers.shape), np.concatenate([each.ravel() for each in arrays]).tolist()

    @classmethod
    def unpacked(cls, shape: Sequence[int], numbers: Sequence[float]) -> "Stack":
        """Return the stack of a shape and numbers."""
        n, classes = shape[0], tuple(shape[1:])
        n_centers = n * int(np.prod(classes))
        weights, centers, intercept = np.split(np.array(numbers), [n, n + n_centers])
        return cls(weights, centers.reshape(n, *classes), intercept if classes else float(intercept[0]))

    def log_odds(self, scores: Floats) -> Floats:
        """Return the log-odds of rows, given the scores of each member, shape (n_members, n_rows[, n_classes])."""
        total = np.zeros(scores.shape[1:]) + self.intercept
        for weight, center, score in zip(self.weights, self.centers, scores, strict=True):
            centered = np.clip(score, -MOST_SCORE, MOST_SCORE)
            centered -= center
            centered *= weight
            total += centered
        return total


def fit_stack(scores: Floats, target: Floats, weights: Floats, prior: Floats, start: Stack | None = None) -> Stack:
    """Fit the weights of members to their out-of-fold scores, shape (n_members, n_rows), near a prior."""
    total = fsum(weights.tolist())
    clipped = np.clip(scores, -MOST_SCORE, MOST_SCORE)
    sums = _Sums(total * MOST_SCORE**2)
    centers = np.array([sums(weights * each) / total for each in clipped])
    centered = clipped - centers[:, None]
    if start is not None and len(start.weights) != len(prior):
        start = None
    share = sums(weights * target) / total
    a = prior if start is None else start.weights
    b = float(log_positive(np.array(share / (1.0 - share)))) if start is None else float(start.intercept)
    problem = _Problem(sums, centered, target, weights, prior)
    loss = problem.loss(a, b)
    for _ in range(_MOST_STEPS):
        change, shift = problem.newton(a, b)
        step = 1.0
        while step > 1e-6:
            after = np.clip(a + step * change, 0.0, MOST_WEIGHT), b + step * shift
            new = problem.loss(*after)
            if new <= loss + 1e-12:
                break
            step /= 2.0
        else:
            break
        (a, b), loss = after, new
        if step * float(np.abs(change).max(initial=0.0)) < _TOLERANCE:
            break
    return Stack(a, centers, b)


class _Sums:
    """Sums of numbers, rounded so that the sum of their sizes, at most ``largest``, fits 62 bits."""

    def __init__(self, largest: float) -> None:
        self._unit = 2.0 ** (np.ceil(np.log2(max(largest, 1.0))) - 60)

    def __call__(self, x: Floats) -> float:
        steps = np.rint(x / self._unit)
        if np.abs(steps).sum() >= 2.0**62:  # a step that went too far, and is taken back: a sum as exact, but slower
            return fsum(x.tolist())
        return float(steps.astype(np.int64).sum()) * float(self._unit)


@dataclass(frozen=True)
class _Problem:
    """Centered scores of the members, classes and weights of the rows, and the prior of the members' weights."""

    sums: _Sums
    scores: Floats
    target: Floats
    weights: Floats
    prior: Floats

    def loss(self, a: Floats, b: float) -> float:
        """Return what is minimized."""
        penalty = PENALTY / 2.0 * float(((a - self.prior) ** 2).sum())
        return self.sums(self.weights * log_losses(self._combined(a, b), self.target)) + penalty

    def newton(self, a: Floats, b: float) -> tuple[Floats, float]:
        """Return the change of weights and intercept that minimizes the quadratic, weights not below 0."""
        z, n, sums, scores = self._combined(a, b), len(a), self.sums, self.scores
        e = exp_nonpositive(-np.abs(z))
        likely = 1.0 / (1.0 + e)
        residual = self.weights * (self.target - np.where(z < 0.0, e * likely, likely))
        curvature = self.weights * np.maximum(e * likely * likely, 1e-6)
        gradient = np.array([sums(residual * each) for each in scores]) - PENALTY * (a - self.prior)
        hessian = PENALTY * np.eye(n)
        for i in range(n):
            weighted = curvature * scores[i]
            for j in range(i + 1):
                hessian[i, j] += sums(weighted * scores[j])
                hessian[j, i] = hessian[i, j]
        with_start = np.array([sums(curvature * each) for each in scores])
        slope, total = sums(residual), sums(curvature)
        return descend((gradient, hessian, with_start, a), slope, total)

    def _combined(self, a: Floats, b: float) -> Floats:
        total = np.full(self.scores.shape[1], b)
        for weight, score in zip(a, self.scores, strict=True):
            total += weight * score
        return total


def descend(problem: tuple[Floats, Floats, Floats, Floats], slope: float, total: float) -> tuple[Floats, float]:
    """Minimize a quadratic in the changes of weights, and of the intercept, coordinate by coordinate.

    ``problem``: gradient and hessian of the weights, their curvatures with the intercept, and the weights, below 0
    of which none may fall; ``slope`` and ``total``: gradient and curvature of the intercept.
    """
    if core is None:
        return descend_reference(problem, slope, total)
    gradient, hessian, with_start, a = (np.ascontiguousarray(each) for each in problem)
    return core.descend_stack((gradient, hessian, with_start, a), slope, total, _TOLERANCE * 1e-3, _SWEEPS)


def descend_reference(
    problem: tuple[Floats, Floats, Floats, Floats], slope: float, total: float
) -> tuple[Floats, float]:
    """Return the same as `descend`: its specification."""
    gradient, hessian, with_start, a = (each.tolist() for each in problem)
    change, shift = [0.0] * len(a), 0.0
    for _ in range(_SWEEPS):
        moved, shift = 0.0, (slope - _product(with_start, change)) / total
        for j, row in enumerate(hessian):
            rest = gradient[j] - _product(row, change) - with_start[j] * shift
            after = max(change[j] + rest / row[j], -a[j])
            moved, change[j] = max(moved, abs(after - change[j])), after
        if moved < _TOLERANCE * 1e-3:
            break
    return np.array(change), shift


def _product(x: list[float], y: list[float]) -> float:
    """Return the sum of products from first to last; `sum` of later versions of Python rounds differently."""
    total = 0.0
    for each, other in zip(x, y, strict=True):
        total += each * other
    return total
