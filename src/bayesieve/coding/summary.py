"""What a coding rule learns from: a column's distinct values, with the weight of each class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve.data import Column, Target

__all__ = ["Summary", "count_labels", "count_labels_numpy", "sum_by_part"]

Ints = NDArray[np.int64]
Rows = NDArray[np.int64]

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


def count_labels(column: Column, rows: Rows, target: Target, weights: Ints | None) -> Ints:
    """Return the weight of each label (missing last) in each class over some rows, of which target and weights are.

    Weights of None are 1 each.
    """
    if core is None:
        warn_if_missing()
        return count_labels_numpy(column, rows, target, weights)
    none = np.empty(0, dtype=np.int64)
    shown = none if weights is None else weights
    return core.count_labels(column.ids, rows, target.codes, shown, len(column.labels), target.n_classes)


def count_labels_numpy(column: Column, rows: Rows, target: Target, weights: Ints | None) -> Ints:
    """Count as `count_labels` does: its specification, and its fallback without a compiled core."""
    cells = column.ids[rows].astype(np.int64) * target.n_classes + target.codes
    shape = (len(column.labels) + 1, target.n_classes)
    if weights is None:
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
    counts = np.zeros(shape[0] * shape[1], dtype=np.int64)
    np.add.at(counts, cells, weights)
    return counts.reshape(shape)


def sum_by_part(parts: NDArray[np.intp], counts: Ints, n_codes: int) -> Ints:
    """Add up the counts of the labels of each part."""
    sums = np.zeros((n_codes, counts.shape[1]), dtype=np.int64)
    if counts.size <= 64 or int(counts.sum()) >= _EXACT:
        np.add.at(sums, parts, counts)
        return sums
    for c in range(counts.shape[1]):
        sums[:, c] = np.bincount(parts, weights=counts[:, c], minlength=n_codes).astype(np.int64)
    return sums
