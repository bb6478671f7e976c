# SPDX-License-Identifier: BSD-3-Clause
"""The slope of a weight, and bounds of its curvature, from gradient sums."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.exact import FIXED_ONE
from bayesieve.search.criteria import Measure

__all__ = ["Slope", "channels_of", "column_factor", "curvature_matrix", "gradient_scale", "slope_of", "weight_of"]


_FLAT: Final = 1e-9  # added to second derivatives
_RAISED: Final = 1.0 + 2.0**-23
_LARGEST_SUM: Final = 2.0**51  # of all gradients, so that sums are exact


class Slope(NamedTuple):
    """Slope of the log-likelihood, a bound of its curvature, and that after the start has followed."""

    slope: float
    curvature: float
    centered: float


def slope_of(tables: Sequence[Ints], sums: Ints, scale: float) -> Slope:
    """Return the slope in a column's weight, given its table and the gradient sums of its codes in each segment."""
    n_channels = sums.shape[1]
    slope, curvature, mean, mass = 0.0, 0.0, [0.0] * n_channels, [0.0] * n_channels
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
    nats, total = table / float(FIXED_ONE), np.zeros(len(table))
    for c in range(table.shape[1]):
        total = total + nats[:, c]
    return nats - (total / float(table.shape[1]))[:, None]


def _factor(n_classes: int) -> float:
    return 1.0 if n_classes == 2 else 2.0
