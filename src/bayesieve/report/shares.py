# SPDX-License-Identifier: BSD-3-Clause
"""Intervals of shares of rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats

__all__ = ["rows_per_group", "wilson_interval"]

_Z = 1.959964  # 97.5 % of a normal distribution are below


def rows_per_group(groups: NDArray[Any]) -> float:
    """Return the size of the group of a row, mean over rows: 1 if every row is a group of its own.

    If the rows of a group were all alike, the variance of a share of rows would be larger by this factor than that of
    independent rows; it is never larger by more.
    """
    sizes = np.unique(groups, return_counts=True)[1].astype(np.float64)
    return float((sizes**2).sum() / sizes.sum())


def wilson_interval(n_positive: Any, n_rows: Any, rows_per_observation: float = 1.0) -> tuple[Floats, Floats]:
    """Return the ends of the 95 % intervals of shares by Wilson's score method; 0 and 1 without any row.

    Rows that are not independent count as fewer observations.
    """
    k, n = (np.asarray(each, dtype=np.float64) / rows_per_observation for each in (n_positive, n_rows))
    share = np.divide(k, n, out=np.full(np.broadcast(k, n).shape, 0.5), where=n > 0)
    scale = n + _Z**2
    center = (n * share + _Z**2 / 2) / scale
    half = _Z * np.sqrt(n * share * (1 - share) + _Z**2 / 4) / scale
    return np.maximum(center - half, 0.0), np.minimum(center + half, 1.0)
