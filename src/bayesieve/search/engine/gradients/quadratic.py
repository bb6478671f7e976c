# SPDX-License-Identifier: BSD-3-Clause
"""The step of Newton's method: the maximum of a quadratic between bounds.

    maximize over d:    sum_j g_j d_j - 1/2 sum_jk d_j H_jk d_k,      low_j <= d_j <= high_j

Sweeps over coordinates find which bounds hold. Where columns are correlated they become slow: then the coordinates
between their bounds are solved together, by elimination, and moved toward that solution until one meets a bound. Each
operation on a number is written in one order, which the compiled twin keeps.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesieve._typing import Floats

__all__ = ["Quadratic", "maximize_quadratic"]

_SWEEPS: Final = 8  # before coordinates are solved together
_ATTEMPTS: Final = 30


@dataclass(frozen=True)
class Quadratic:
    """Slopes g, curvatures H (symmetric, with positive diagonal), and bounds of the change."""

    slopes: Floats
    curvatures: Floats
    low: Floats
    high: Floats


def maximize_quadratic(problem: Quadratic, tolerance: float) -> tuple[Floats, Floats]:
    """Return the change d, and the slopes that are left at it.

    It ends when a sweep moves no coordinate by ``tolerance`` in units of 1 / sqrt(H_jj).
    """
    change, rest = np.zeros(len(problem.slopes)), problem.slopes.copy()
    for _ in range(_ATTEMPTS):
        if _sweep(problem, tolerance, change, rest):
            break
        _solve_free(problem, change, rest)
    return change, rest


def _sweep(problem: Quadratic, tolerance: float, change: Floats, rest: Floats) -> bool:
    """Move one coordinate after the other, in a few rounds; return whether the last one changed little."""
    curvatures, low, high = problem.curvatures, problem.low.tolist(), problem.high.tolist()
    diagonal = curvatures.diagonal().tolist()
    units = np.sqrt(curvatures.diagonal()).tolist()
    for _ in range(_SWEEPS):
        largest = 0.0
        for j, curvature in enumerate(diagonal):
            before = float(change[j])
            after = max(low[j], min(high[j], before + float(rest[j]) / curvature))
            if after != before:
                _move(curvatures, j, after, change, rest)
                largest = max(largest, abs(after - before) * units[j])
        if largest < tolerance:
            return True
    return False


def _move(curvatures: Floats, j: int, after: float, change: Floats, rest: Floats) -> None:
    rest -= (after - change[j]) * curvatures[j]
    change[j] = after


def _solve_free(problem: Quadratic, change: Floats, rest: Floats) -> None:
    """Move the coordinates between their bounds toward their common maximum, until one of them meets a bound."""
    free = np.flatnonzero((change > problem.low) & (change < problem.high))
    steps = _solve(problem.curvatures[np.ix_(free, free)], rest[free].copy())
    share = 1.0
    for j, step in zip(free.tolist(), steps.tolist(), strict=True):
        room = float(problem.high[j] if step > 0.0 else problem.low[j]) - float(change[j])
        if abs(step) * share > abs(room):
            share = room / step
    for j, step in zip(free.tolist(), steps.tolist(), strict=True):
        after = float(change[j]) + share * step
        _move(problem.curvatures, j, max(float(problem.low[j]), min(float(problem.high[j]), after)), change, rest)


def _solve(matrix: Floats, right: Floats) -> Floats:
    """Return the solution of a positive definite system; both arguments are overwritten."""
    n = len(right)
    for k in range(n):
        factors = matrix[k, k + 1 :] / matrix[k, k]  # entries below the diagonal are never read
        matrix[k + 1 :, k + 1 :] -= factors[:, None] * matrix[k, k + 1 :]
        right[k + 1 :] -= factors * right[k]
    for k in range(n - 1, -1, -1):
        right[k] = right[k] / matrix[k, k]
        right[:k] -= matrix[:k, k] * right[k]
    return right
