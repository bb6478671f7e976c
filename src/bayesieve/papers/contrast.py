# SPDX-License-Identifier: BSD-3-Clause
"""Paired differences over seeds."""

from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

__all__ = ["Contrast", "contrast", "standard_error"]


@dataclass(frozen=True)
class Contrast:
    """A mean difference, the number of seeds in which it is positive, its standard error, and a paired t test.

    The standard error and the p-value are None for a single seed.
    """

    mean: float
    standard_error: float | None
    p_value: float | None
    n_positive: int
    n_seeds: int

    @property
    def is_positive(self) -> bool:
        """Whether the mean exceeds twice its standard error."""
        return self.standard_error is not None and self.mean > 2 * self.standard_error

    @property
    def is_negative(self) -> bool:
        """Whether the mean is below minus twice its standard error."""
        return self.standard_error is not None and self.mean < -2 * self.standard_error


def contrast(differences: NDArray[np.float64]) -> Contrast:
    """Return the mean difference over seeds and its test."""
    values = differences.tolist()
    error = standard_error(values)
    average, p = mean(values), None
    if error is not None:
        t = 0.0 if average == 0 else abs(average) / error if error else np.inf
        p = float(2 * stdtr(len(values) - 1, -t))
    return Contrast(average, error, p, sum(value > 0 for value in values), len(values))


def standard_error(values: list[float]) -> float | None:
    """Return the standard error of a mean, None for a single value."""
    return stdev(values) / sqrt(len(values)) if len(values) > 1 else None
