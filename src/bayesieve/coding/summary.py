"""The input of coding rules: a column's distinct values, with their weight in each class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Ints

__all__ = ["Summary", "occurring", "sum_by_bin", "sum_by_bin_numpy", "sum_classes"]


@dataclass(frozen=True)
class Summary:
    """Distinct values of a column in the training rows.

    Attributes
    ----------
    name : str
        The column's name.
    labels : float64 array, or tuple
        Distinct values in increasing order, numbers as an array. Some may have no weight.
    counts : int64 array of shape (len(labels) + 1, n_classes)
        Weight of each value in each class, in units; missing values last.
    unit : float
        The unit of the weights.
    """

    name: str
    labels: NDArray[np.float64] | tuple[Any, ...]
    counts: Ints
    unit: float

    @property
    def mass(self) -> Ints:
        """Weight of each value without missing values."""
        return self.weights[:-1]

    @property
    def weights(self) -> Ints:
        """Weight of each value, missing values last."""
        return sum_classes(self.counts)

    @property
    def missing(self) -> bool:
        """Whether missing values have weight."""
        return bool(self.counts[-1].any())


def sum_classes(counts: Ints) -> Ints:
    """Return the sum of each row of counts; adding class by class is faster than row by row."""
    sums = counts[:, 0].copy()
    for c in range(1, counts.shape[1]):
        sums += counts[:, c]
    return sums


def occurring(counts: Ints) -> NDArray[np.bool_]:
    """Return which rows of counts have weight."""
    occurs: NDArray[np.bool_] = counts[:, 0] != 0
    for c in range(1, counts.shape[1]):
        occurs |= counts[:, c] != 0
    return occurs


def sum_by_bin(bin_of_label: NDArray[np.intp], counts: Ints, n_codes: int) -> Ints:
    """Add up the counts of the labels of each bin."""
    if core is None:
        warn_if_missing()
        return sum_by_bin_numpy(bin_of_label, counts, n_codes)
    return core.add_by_bin(bin_of_label, np.ascontiguousarray(counts), n_codes)


def sum_by_bin_numpy(bin_of_label: NDArray[np.intp], counts: Ints, n_codes: int) -> Ints:
    """Specification of `sum_by_bin`, and its fallback without the compiled core."""
    sums = np.zeros((n_codes, counts.shape[1]), dtype=np.int64)
    np.add.at(sums, bin_of_label, counts)
    return sums
