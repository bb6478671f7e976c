# SPDX-License-Identifier: BSD-3-Clause
"""Weights of members whose out-of-fold scores are added up, one weight per member and an intercept per score.

    minimize over a >= 0, b:   sum over rows of w loss(b + sum of a_j O_j) + P / 2 x sum of (a_j - prior_j)^2

P is 4 where rows are enough, and up to 16 where they are few: the loss of out-of-fold scores is then less certain than
it seems, as the same few rows have chosen the columns. With n, the sum of weights of the rows, and u, the share of the
variance of the target that is left by the weights of the prior,

    P = 4 x max(1, min(4, 1,500 u / n))        u = curvature at the prior weights / curvature without columns, at most 1

Where little is left, tables are shrunk too much, and weights must be free to be large.

Sums over rows are of integers, so that the weights do not depend on the order of rows or the machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from typing import Final

import numpy as np

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.additive.constants import MOST_SCORE, STACK_MOST_TIMES, STACK_PENALTY
from bayesieve.additive.loss import MOST_SIZE, Loss, StackProblem
from bayesieve.exact import ordered_sum

__all__ = ["Stack", "StackPrior", "descend", "descend_numpy", "fit_stack"]

_MOST_WEIGHT: Final = 64.0  # of a member, far beyond what any data ask for: weights of rows that differ by 10^15 do
_SWEEPS: Final = 200
_TOLERANCE: Final = 1e-8
_LEAST_STEP: Final = 1e-6

Quadratic = tuple[Floats, Floats, Floats, Floats]
"""Gradient and hessian of the weights, their curvatures with the intercept, and the weights, which stay above 0."""


@dataclass(frozen=True)
class Stack:
    """Scores of a row: ``intercept + sum of weights x (score - center)``, of scores that are clipped.

    Centers have the shape (n_members, n_scores).
    """

    weights: Floats
    centers: Floats
    intercept: Floats
    most_score: float = MOST_SCORE

    @property
    def packed(self) -> tuple[list[int], list[float]]:
        """Shape and numbers, from which `unpacked` makes it again."""
        arrays = [self.weights, self.centers, self.intercept]
        return list(self.centers.shape), np.concatenate([each.ravel() for each in arrays]).tolist()

    @classmethod
    def unpacked(cls, shape: Sequence[int], numbers: Sequence[float], most_score: float = MOST_SCORE) -> "Stack":
        """Return the stack of a shape and numbers."""
        n, n_scores = shape
        weights, centers, intercept = np.split(np.array(numbers), [n, n + n * n_scores])
        return cls(weights, centers.reshape(n, n_scores), intercept, most_score)

    def scores(self, of_members: Floats) -> Floats:
        """Return the scores of rows, given those of each member, shape (n_members, n_rows, n_scores)."""
        total = np.zeros(of_members.shape[1:]) + self.intercept
        for weight, center, score in zip(self.weights, self.centers, of_members, strict=True):
            centered = np.clip(score, -self.most_score, self.most_score)
            centered -= center
            centered *= weight
            total += centered
        return total


@dataclass(frozen=True)
class StackPrior:
    """The weights that a stack is near to; the member of number ``fixed`` keeps its weight."""

    weights: Floats
    fixed: int | None = None


def fit_stack(
    loss: Loss,
    scores: Floats,
    target: Floats,
    weights: Floats,
    given: Floats | StackPrior,
    start: Stack | None = None,
) -> Stack:
    """Fit the weights of members to their out-of-fold scores, shape (n_members, n_rows, n_scores), near a prior."""
    prior, fixed = (given.weights, given.fixed) if isinstance(given, StackPrior) else (given, None)
    rule, total = loss.tuning.stack, fsum(weights.tolist())
    clipped = np.clip(scores, -rule.most_score, rule.most_score)
    unit = _sum_unit(total, rule.largest or _largest(clipped, target), rule.bits)
    scale = (weights / unit)[:, None]
    centers = np.array([np.rint(each * scale).astype(np.int64).sum(axis=0) for each in clipped]) * unit / total
    clipped -= centers[:, None]
    rows = np.ascontiguousarray(clipped), np.ascontiguousarray(target, dtype=np.float64), weights, unit
    problem = _Problem(loss, rows, prior, STACK_PENALTY, fixed)
    begin = loss.stack_start(centers, prior, rows, total)
    if total < rule.enough:
        left = min(1.0, float(problem.at(prior, begin).bounds.sum()) / loss.base_curvature(rows, total))
        times = max(1.0, min(STACK_MOST_TIMES, rule.enough * left / total))
        problem = replace(problem, penalty=STACK_PENALTY * times)
    if start is None or len(start.weights) != len(prior):
        point = problem.at(prior, begin)
    else:
        point = problem.at(start.weights, start.intercept)
    slack = rule.slack + rule.slack_per_row * total
    for _ in range(rule.most_steps):
        change, shift = point.newton(rule.most_shift)
        after, step = _shortened(problem, point, (change, shift), slack)
        if after is None:
            break
        fallen, point = point.loss - after.loss, after
        is_small = step * float(np.abs(change).max(initial=0.0)) < rule.least_change
        if is_small or fallen < rule.least_decrease * total:
            break
    return Stack(point.a, centers, point.b, rule.most_score)


def _largest(scores: Floats, target: Floats) -> float:
    """Return the square of the largest score and target, rounded up to a power of two."""
    bound = max(float(np.abs(each).max(initial=1.0)) for each in (scores, target))
    return float(4.0 ** np.ceil(np.log2(bound)))


def _sum_unit(total: float, largest: float, bits: int) -> float:
    """Return a power of two that keeps sums over rows within a number of bits."""
    return float(2.0 ** (np.ceil(np.log2(max(total * largest, 1.0))) - bits))


@dataclass(frozen=True)
class _Problem:
    """What is minimized: a loss of centered scores, near prior weights."""

    loss: Loss
    rows: StackProblem
    prior: Floats
    penalty: float
    fixed: int | None = None

    def at(self, a: Floats, b: Floats) -> "_Point":
        """Return what is minimized, with its derivatives."""
        sums = _stack_sums(self.loss, self.rows, np.ascontiguousarray(a), np.ascontiguousarray(b))
        unit, n, n_scores = self.rows[3], len(a), len(b)
        numbers = np.asarray(sums * unit, dtype=np.float64)
        borders = np.cumsum([2, n, n_scores, n_scores, n * n])
        (loss, _), slopes, starts, bounds, curvatures, crosses = np.split(numbers, borders)
        if sums[1] >= MOST_SIZE:
            loss = self._exact_loss(a, b)
        lower, change = curvatures.reshape(n, n), a - self.prior
        hessian = lower + lower.T
        hessian.flat[:: n + 1] = self.penalty + lower.diagonal()
        penalized = float(loss) + self.penalty / 2.0 * float((change**2).sum())
        gradient, crosses = slopes - self.penalty * change, crosses.reshape(n, n_scores)
        if self.fixed is not None:  # a slope of 0, and no curvature with others: its weight stays
            gradient[self.fixed] = crosses[self.fixed] = hessian[self.fixed] = hessian[:, self.fixed] = 0.0
            hessian[self.fixed, self.fixed] = 1.0
        return _Point(a, b, penalized, gradient, hessian, starts, bounds, crosses)

    def _exact_loss(self, a: Floats, b: Floats) -> float:
        """Return a loss that is too large for integers, of a step that went too far and is taken back."""
        scores, target, weights, _ = self.rows
        total = np.zeros(scores.shape[1:]) + b
        for weight, score in zip(a, scores, strict=True):
            total += weight * score
        return fsum((weights * self.loss.losses(total, target)).tolist())


@dataclass(frozen=True)
class _Point:
    """Weights and intercepts; what is minimized, and its quadratic there.

    ``starts`` and ``bounds`` are gradient and curvature of the intercepts, ``crosses`` the curvatures of both kinds.
    """

    a: Floats
    b: Floats
    loss: float
    gradient: Floats
    hessian: Floats
    starts: Floats
    bounds: Floats
    crosses: Floats

    def newton(self, most_shift: float) -> tuple[Floats, Floats]:
        """Return the changes of weights and intercepts that minimize the quadratic, weights not below 0."""
        if len(self.b) == 1:
            quadratic = self.gradient, self.hessian, self.crosses[:, 0], self.a
            change, shift = descend(quadratic, float(self.starts[0]), float(self.bounds[0]))
            return change, np.array([shift])
        return self._without_intercepts(most_shift)

    @cached_property
    def _scaled(self) -> Floats:
        return np.asarray(self.crosses / np.maximum(self.bounds, 1e-9))

    def _without_intercepts(self, most_shift: float) -> tuple[Floats, Floats]:
        """Eliminate the intercepts, which follow the weights."""
        gradient = self.gradient - _products(self._scaled, self.starts)
        eliminated = np.array([_products(self._scaled, own) for own in self.crosses])
        change, _ = descend((gradient, self.hessian - eliminated, np.zeros(len(self.a)), self.a), 0.0, 1.0)
        shift = (self.starts - _products(self.crosses.T, change)) / np.maximum(self.bounds, 1e-9)
        return change, np.clip(shift, -most_shift, most_shift)


def _shortened(
    problem: _Problem, point: _Point, step: tuple[Floats, Floats], slack: float
) -> tuple[_Point | None, float]:
    """Return the point after a step, which is halved while the loss rises, and its length; None if it is too short."""
    (change, shift), length = step, 1.0
    while length > _LEAST_STEP:
        after = problem.at(np.clip(point.a + length * change, 0.0, _MOST_WEIGHT), point.b + length * shift)
        if after.loss <= point.loss + slack:
            return after, length
        length /= 2.0
    return None, length


def _stack_sums(loss: Loss, rows: StackProblem, a: Floats, b: Floats) -> Ints:
    """Return sums over rows in one vector of multiples of the unit, given centered scores.

    In order: the loss, and its size in multiples of 2^20 units; its gradient in a and in b; the curvature in b, or a
    bound of it; the curvature in a, of which the lower half is filled, and that in a and b.
    """
    if core is None:
        warn_if_missing()
        return loss.stack_sums(rows, a, b)
    return core.stack_sums(loss.name, rows, a, b)


def descend(problem: Quadratic, slope: float, total: float) -> tuple[Floats, float]:
    """Minimize a quadratic in the changes of weights, and of the intercept, coordinate by coordinate.

    ``slope`` and ``total`` are gradient and curvature of the intercept.
    """
    if core is None:
        return descend_numpy(problem, slope, total)
    gradient, hessian, with_start, a = (np.ascontiguousarray(each) for each in problem)
    return core.descend_stack((gradient, hessian, with_start, a), slope, total, _TOLERANCE, _SWEEPS)


def descend_numpy(problem: Quadratic, slope: float, total: float) -> tuple[Floats, float]:
    """Return the same as `descend`: its specification."""
    gradient, hessian, with_start, a = (each.tolist() for each in problem)
    change, shift = [0.0] * len(a), 0.0
    for _ in range(_SWEEPS):
        moved, shift = 0.0, (slope - _product(with_start, change)) / total
        for j, row in enumerate(hessian):
            rest = gradient[j] - _product(row, change) - with_start[j] * shift
            after = max(change[j] + rest / row[j], -a[j])
            moved, change[j] = max(moved, abs(after - change[j])), after
        if moved < _TOLERANCE:
            break
    return np.array(change), shift


def _product(x: list[float], y: list[float]) -> float:
    """Return the sum of products from first to last; `sum` of later versions of Python rounds differently."""
    total = 0.0
    for each, other in zip(x, y, strict=True):
        total += each * other
    return total


def _products(matrix: Floats, vector: Floats) -> Floats:
    """Return a matrix product whose sums are from first to last: the same bits on every machine."""
    return ordered_sum(matrix * vector, 1)
