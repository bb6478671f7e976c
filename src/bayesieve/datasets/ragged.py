# SPDX-License-Identifier: BSD-3-Clause
"""Series of different lengths, grouped by length."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.exceptions import DataError

__all__ = ["by_length"]


def by_length(series: Any, max_series: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """Yield positions of at most `max_series` series of equal length, and these series with time first.

    Missing values at the end of a series are removed.
    """
    trimmed = [_trim(row, i) for i, row in enumerate(series.to_numpy() if hasattr(series, "to_numpy") else series)]
    if not trimmed:
        raise DataError("series is empty; at least one series is expected.")
    lengths = np.array([len(row) for row in trimmed])
    for length in np.unique(lengths):
        same = np.flatnonzero(lengths == length)
        for first in range(0, len(same), max_series):
            rows = same[first : first + max_series]
            yield rows, np.array([trimmed[i] for i in rows]).T.copy()


def _trim(row: Any, i: int) -> NDArray[np.float64]:
    try:
        values = np.asarray(row, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"Series {i} has values that are not numbers; numbers are expected.") from None
    if values.ndim != 1:
        raise DataError(f"Series {i} has {values.ndim} dimensions; a one-dimensional array is expected.")
    if np.isinf(values).any():
        raise DataError(f"Series {i} has infinite values; replace them by finite numbers or by missing values.")
    present = np.flatnonzero(~np.isnan(values))
    return values[: present[-1] + 1] if len(present) else values[:0]
