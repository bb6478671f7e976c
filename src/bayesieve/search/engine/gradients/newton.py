# SPDX-License-Identifier: BSD-3-Clause
"""Newton's method for weights: slopes and curvatures from gradient sums, and the maximum of their quadratic.

    maximize over d:    sum_j g_j d_j - 1/2 sum_jk d_j H_jk d_k,      low_j <= d_j <= high_j

Sweeps over coordinates find which bounds hold. Where columns are correlated they become slow: then the coordinates
between their bounds are solved together, by elimination, and moved toward that solution until one meets a bound. Each
operation on a number is written in one order, which the compiled twin keeps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.exact import FIXED_ONE
from bayesieve.search.criteria import Measure

__all__ = [
    "Quadratic",
    "Slope",
    "channels_of",
    "column_factor",
    "curvature_matrix",
    "gradient_scale",
    "maximize_quadratic",
    "slope_of",
    "weight_of",
]

_FLAT: Final = 1e-9  # added to second derivatives
_RAISED: Final = 1.0 + 2.0**-23
_LARGEST_SUM: Final = 2.0**51  # of all gradients, so that sums are exact
_SWEEPS: Final = 8  # before coordinates are solved together
_ATTEMPTS: Final = 30


class Slope(NamedTuple):
    """Slope of the log-likelihood, a bound of its curvature, and that after the start has followed."""

    slope: float
    curvature: float
    centered: float


def slope_of(tables: Sequence[Ints], sums: Ints, scale: float) -> Slope:
    """Return the slope in a column's weight, given its table and the gradient sums of its codes in each segment."""
    n_channels = sums.shape[1]
    slope = 0.0
    curvature = 0.0
    mean = [0.0] * n_channels
    mass = [0.0] * n_channels
    values = np.concatenate([channels_of(table) for table in tables])
    for value, sum_of_code in zip(values.tolist(), sums.tolist(), strict=True):
        for c, (z, (residual, weight)) in enumerate(zip(value, sum_of_code, strict=True)):
            slope = slope + z * float(residual)
            curvature = curvature + z * z * float(weight)
            mean[c] = mean[c] + z * float(weight)
            mass[c] = mass[c] + float(weight)
    taken = 0.0
    for weighted_sum, weight in zip(mean, mass, strict=True):
        if weight > 0.0:
            taken = taken + weighted_sum * weighted_sum / weight
    n_classes = tables[0].shape[1]
    centered = max(_factor(n_classes) * (curvature - taken) / scale, 0.0) + _FLAT
    return Slope(slope / scale, _factor(n_classes) * curvature / scale + _FLAT, centered)


def column_factor(tables: Sequence[Ints]) -> float:
    """Return the power of two that brings a column's largest score between 1/2 and 1."""
    largest = max(float(np.abs(channels_of(table)).max()) for table in tables)
    return float(np.ldexp(1.0, -int(np.frexp(largest)[1])))


def curvature_matrix(products: Ints, factors: Floats, scale: float) -> Floats:
    """Return minus the second derivatives in the start and in the weights, in steps of a gradient.

    ``products`` are those of columns times their factors. The diagonal is raised a little, so that equal columns share
    a change.
    """
    every = np.append(np.ones(len(products) - len(factors)), factors)
    matrix: Floats = products / every[:, None] / every
    diagonal = np.arange(len(matrix))
    matrix[diagonal, diagonal] = matrix[diagonal, diagonal] * _RAISED + _FLAT * scale
    return matrix


def weight_of(masses: Sequence[Measure], unit: float) -> float:
    """Return the weight of all rows, given that of each class in each segment."""
    total = 0.0
    for mass in masses:
        for of_class in mass:
            total = total + of_class * unit
    return total


def gradient_scale(weight: float) -> float:
    """Return the number of steps of a gradient of one, given the weight of all rows."""
    scale = float(FIXED_ONE)
    while scale * weight > _LARGEST_SUM:
        scale /= 2.0
    return scale


def channels_of(table: Ints) -> Floats:
    """Return the score of each code per channel: the log-odds of the second class, or each class against the mean."""
    if table.shape[1] == 2:
        return (table[:, 1:] - table[:, :1]) / float(FIXED_ONE)
    nats = table / float(FIXED_ONE)
    total = np.zeros(len(table))
    for c in range(table.shape[1]):
        total = total + nats[:, c]
    return nats - (total / float(table.shape[1]))[:, None]


def _factor(n_classes: int) -> float:
    return 1.0 if n_classes == 2 else 2.0


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
    change = np.zeros(len(problem.slopes))
    rest = problem.slopes.copy()
    for _ in range(_ATTEMPTS):
        if _sweep(problem, tolerance, change, rest):
            break
        _solve_free(problem, change, rest)
    return change, rest


def _sweep(problem: Quadratic, tolerance: float, change: Floats, rest: Floats) -> bool:
    """Move one coordinate after the other, in a few rounds; return whether the last one changed little."""
    curvatures = problem.curvatures
    low = problem.low.tolist()
    high = problem.high.tolist()
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
