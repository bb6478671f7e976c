# SPDX-License-Identifier: BSD-3-Clause
"""Weights of members whose out-of-fold log-odds are added up: non-negative logistic regression.

    minimize over a >= 0, b:   sum over rows of w log loss(b + sum of a_j O_j) + P / 2 x sum of (a_j - prior_j)^2

P is 4 where rows are enough, and up to 16 where they are few: the loss of out-of-fold scores is then less certain than
it seems, as the same few rows have chosen the columns. With n, the sum of weights of the rows, and u, the share of the
variance of the target that is left by the weights of the prior,

    P = 4 x max(1, min(4, 1,500 u / n))        u = mean of p (1 - p) / (product of the shares of the classes), at most 1

Where little is left, shapes are shrunk too much, and weights must be free to be large.

Sums over rows are of integers, so that the weights do not depend on the order of rows or the machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Final

import numpy as np

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats
from bayesieve.additive.stack_sums import (
    MOST_SIZE,
    LogOddsRows,
    exact_loss,
    log_odds_sums_numpy,
    rounded_sum,
    sum_unit,
)
from bayesieve.exact import log_positive

__all__ = ["MOST_SCORE", "MOST_WEIGHT", "PENALTY", "Stack", "descend", "descend_reference", "fit_stack"]

PENALTY: Final = 4.0  # P of enough rows
_ENOUGH: Final = 1500.0
_MOST_TIMES: Final = 4.0
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
    unit = sum_unit(total * MOST_SCORE**2)
    centers = np.array([rounded_sum(weights * each, unit) / total for each in clipped])
    clipped -= centers[:, None]
    if start is not None and len(start.weights) != len(prior):
        start = None
    share = rounded_sum(weights * target, unit) / total
    first = float(log_positive(np.array(share / (1.0 - share))))
    problem = _Problem((np.ascontiguousarray(clipped), target, weights, unit), prior, PENALTY)
    if total < _ENOUGH:
        left = min(1.0, problem.at(prior, first).total / (total * share * (1.0 - share)))
        problem = replace(problem, penalty=PENALTY * max(1.0, min(_MOST_TIMES, _ENOUGH * left / total)))
    point = problem.at(prior, first) if start is None else problem.at(start.weights, float(start.intercept))
    for _ in range(_MOST_STEPS):
        change, shift = point.newton()
        step = 1.0
        while step > 1e-6:
            after = problem.at(np.clip(point.a + step * change, 0.0, MOST_WEIGHT), point.b + step * shift)
            if after.loss <= point.loss + 1e-12:
                break
            step /= 2.0
        else:
            break
        point = after
        if step * float(np.abs(change).max(initial=0.0)) < _TOLERANCE:
            break
    return Stack(point.a, centers, point.b)


@dataclass(frozen=True)
class _Problem:
    """Centered scores of the members, classes and weights of the rows, unit of sums; prior of the weights, and P."""

    rows: LogOddsRows
    prior: Floats
    penalty: float

    def at(self, a: Floats, b: float) -> "_Point":
        """Return what is minimized, with its derivatives."""
        if core is None:
            warn_if_missing()
        compute = log_odds_sums_numpy if core is None else core.log_odds_sums
        sums = compute(self.rows, np.ascontiguousarray(a), b)
        unit, n = self.rows[3], len(a)
        numbers = np.asarray(sums * unit, dtype=np.float64)
        loss, slope, total = numbers[:3].tolist()
        slopes, starts, curvatures = numbers[3 : 3 + n], numbers[3 + n : 3 + 2 * n], numbers[3 + 2 * n : -1]
        if sums[-1] >= MOST_SIZE:
            loss = exact_loss(self.rows, a, b)
        change = a - self.prior
        lower = curvatures.reshape(n, n)
        hessian = lower + lower.T
        hessian.flat[:: n + 1] = self.penalty + lower.diagonal()
        penalized = loss + self.penalty / 2.0 * float((change**2).sum())
        return _Point(a, b, penalized, (slopes - self.penalty * change, hessian, starts, a), slope, total)


@dataclass(frozen=True)
class _Point:
    """Weights and intercept; what is minimized, and its quadratic there."""

    a: Floats
    b: float
    loss: float
    quadratic: tuple[Floats, Floats, Floats, Floats]
    slope: float
    total: float

    def newton(self) -> tuple[Floats, float]:
        """Return the change of weights and intercept that minimizes the quadratic, weights not below 0."""
        return descend(self.quadratic, self.slope, self.total)


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
