"""Correlation of a column with the class."""

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import Values

__all__ = ["correlation"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def correlation(column: Values, counts: Ints) -> float:
    """Return the mean over the classes, by their weight, of |r| of the column and the class's indicator.

    For two classes that is |r| itself. Of a column of labels, each label's indicator takes the place of the column,
    and their |r| are averaged by the weight of the labels. Rows without a value are left out.

    Parameters
    ----------
    column : Values
        The distinct values.
    counts : int64 array of shape (n_labels + 1, n_classes)
        Weight of each value in each class; missing values last, which are not used.
    """
    table = counts[:-1].astype(np.float64)
    by_label, by_class = _sum(table.T), _sum(table)
    whole = float(_sum(by_class[:, None])[0])
    if whole == 0.0:
        return 0.0
    if isinstance(column.labels, np.ndarray):
        return _weighted(_numeric(column.labels, table, by_label, by_class, whole), by_class, whole)
    joint = table / whole
    gaps = joint - by_label[:, None] * by_class / whole**2
    spread = np.sqrt((by_label * (whole - by_label))[:, None] * (by_class * (whole - by_class))) / whole**2
    each = np.abs(np.divide(gaps, spread, out=np.zeros_like(gaps), where=spread > 0))
    return _weighted(np.array([_weighted(row, by_class, whole) for row in each]), by_label, whole)


def _numeric(labels: Floats, table: Floats, by_label: Floats, by_class: Floats, whole: float) -> Floats:
    """Return |r| of numbers and each class's indicator, the numbers on a scale that cannot overflow."""
    used = labels[by_label > 0]
    low, high = used[0] / 2, used[-1] / 2
    if low == high:
        return np.zeros(table.shape[1])
    scaled = np.where(by_label > 0, (labels / 2 - low) / (high - low), 0.0)
    centred = scaled - _sum((scaled * by_label)[:, None])[0] / whole
    variance = _sum((centred * centred * by_label)[:, None])[0]
    covariance = _sum(centred[:, None] * table)
    spread = np.sqrt(variance * by_class * (whole - by_class) / whole)
    return np.asarray(np.abs(np.divide(covariance, spread, out=np.zeros(len(spread)), where=spread > 0)))


def _weighted(values: Floats, weights: Floats, whole: float) -> float:
    return float(_sum((values * weights)[:, None])[0] / whole)


def _sum(terms: Floats) -> Floats:
    """Add rows one after the other: NumPy's own sum goes in another order on another processor."""
    return np.asarray(np.add.accumulate(terms, axis=0)[-1]) if len(terms) else np.zeros(terms.shape[1])
