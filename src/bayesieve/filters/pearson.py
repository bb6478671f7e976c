# SPDX-License-Identifier: BSD-3-Clause
"""Correlation of a column with the class."""

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.data import Values
from bayesieve.exact import ordered_sum

__all__ = ["correlation"]


def correlation(column: Values, counts: Ints) -> float:
    """Return the weighted mean over classes of |r| between the column and the class indicator.

    For two classes this is |r| itself. For a column of labels, |r| is averaged over the indicators of the labels,
    weighted by their frequency. Missing values are left out.

    Parameters
    ----------
    column : Values
        The distinct values.
    counts : int64 array of shape (n_labels + 1, n_classes)
        Weight of each value in each class; missing values last, which are not used.
    """
    table = counts[:-1].astype(np.float64)
    by_label, by_class = ordered_sum(table, axis=1), ordered_sum(table, axis=0)
    total = ordered_sum(by_class)
    if total == 0.0:
        return 0.0
    if isinstance(column.labels, np.ndarray):
        return _weighted(_numeric(column.labels, table, by_label, by_class, total), by_class, total)
    joint = table / total
    gaps = joint - by_label[:, None] * by_class / total**2
    spread = np.sqrt((by_label * (total - by_label))[:, None] * (by_class * (total - by_class))) / total**2
    each = np.abs(np.divide(gaps, spread, out=np.zeros_like(gaps), where=spread > 0))
    return _weighted(np.array([_weighted(row, by_class, total) for row in each]), by_label, total)


def _numeric(labels: Floats, table: Floats, by_label: Floats, by_class: Floats, total: float) -> Floats:
    """Return |r| of numbers and each class's indicator, with the numbers scaled so that nothing overflows."""
    used = labels[by_label > 0]
    low, high = used[0] / 2, used[-1] / 2
    if low == high:
        return np.zeros(table.shape[1])
    scaled = np.where(by_label > 0, (labels / 2 - low) / (high - low), 0.0)
    centered = scaled - ordered_sum(scaled * by_label) / total
    variance = ordered_sum(centered * centered * by_label)
    covariance = ordered_sum(centered[:, None] * table, axis=0)
    spread = np.sqrt(variance * by_class * (total - by_class) / total)
    return np.asarray(np.abs(np.divide(covariance, spread, out=np.zeros(len(spread)), where=spread > 0)))


def _weighted(values: Floats, weights: Floats, total: float) -> float:
    return ordered_sum(values * weights) / total
