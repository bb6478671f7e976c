"""What a coding rule learns from: a column's distinct values, with the weight of each class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Summary", "sum_by_part"]

Ints = NDArray[np.int64]

_EXACT = 2**53  # floats hold every integer below, and bincount adds in floats


@dataclass(frozen=True)
class Summary:
    """Distinct values of the fitting rows.

    Attributes
    ----------
    name : str
        The column's name.
    labels : float64 array, or tuple
        Distinct values in increasing order; numbers in an array. Some may have no weight.
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
        """Weight of each value, missing left out."""
        mass: Ints = self.counts[:-1].sum(axis=1)
        return mass

    @property
    def missing(self) -> bool:
        """Whether missing values have weight."""
        return bool(self.counts[-1].any())


def sum_by_part(parts: NDArray[np.intp], counts: Ints, n_codes: int) -> Ints:
    """Add up the counts of the labels of each part."""
    sums = np.zeros((n_codes, counts.shape[1]), dtype=np.int64)
    if counts.size <= 64 or int(counts.sum()) >= _EXACT:
        np.add.at(sums, parts, counts)
        return sums
    for c in range(counts.shape[1]):
        sums[:, c] = np.bincount(parts, weights=counts[:, c], minlength=n_codes).astype(np.int64)
    return sums
