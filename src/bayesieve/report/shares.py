# SPDX-License-Identifier: BSD-3-Clause
"""Intervals of shares of rows."""

from typing import Any

import numpy as np

from bayesieve._typing import Floats

__all__ = ["wilson_interval"]

_Z = 1.959964  # 97.5 % of a normal distribution are below


def wilson_interval(n_positive: Any, n_rows: Any) -> tuple[Floats, Floats]:
    """Return the ends of the 95 % intervals of shares by Wilson's score method; 0 and 1 without any row."""
    k, n = np.asarray(n_positive, dtype=np.float64), np.asarray(n_rows, dtype=np.float64)
    share = np.divide(k, n, out=np.full(np.broadcast(k, n).shape, 0.5), where=n > 0)
    scale = n + _Z**2
    center = (n * share + _Z**2 / 2) / scale
    half = _Z * np.sqrt(n * share * (1 - share) + _Z**2 / 4) / scale
    return np.maximum(center - half, 0.0), np.minimum(center + half, 1.0)
