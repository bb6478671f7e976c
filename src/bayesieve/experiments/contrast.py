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
    """A mean difference, and in how many seeds it is positive; its standard error and the p-value of a paired t test.

    Of one seed, the last two are None.
    """

    mean: float
    standard_error: float | None
    p_value: float | None
    n_positive: int
    n_seeds: int

    @property
    def is_positive(self) -> bool:
        """Whether it exceeds twice its standard error."""
        return self.standard_error is not None and self.mean > 2 * self.standard_error

    @property
    def is_negative(self) -> bool:
        """Whether it is below minus twice its standard error."""
        return self.standard_error is not None and self.mean < -2 * self.standard_error


def contrast(differences: NDArray[np.float64]) -> Contrast:
    """Return what the differences of the seeds say."""
    values = differences.tolist()
    error = standard_error(values)
    middle, p = mean(values), None
    if error is not None:
        t = 0.0 if middle == 0 else abs(middle) / error if error else np.inf
        p = float(2 * stdtr(len(values) - 1, -t))
    return Contrast(middle, error, p, sum(value > 0 for value in values), len(values))


def standard_error(values: list[float]) -> float | None:
    """Return the standard error of a mean, None of a single value."""
    return stdev(values) / sqrt(len(values)) if len(values) > 1 else None
