"""Series of different lengths, put together by length."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.exceptions import DataError

__all__ = ["by_length"]


def by_length(series: Any, most: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """Yield positions of at most so many series of one length, and these series with time first.

    Missing values at the end are no part of a series.
    """
    trimmed = [_trim(row, i) for i, row in enumerate(series.to_numpy() if hasattr(series, "to_numpy") else series)]
    if not trimmed:
        raise DataError("There is no series; give one or more.")
    lengths = np.array([len(row) for row in trimmed])
    for length in np.unique(lengths):
        same = np.flatnonzero(lengths == length)
        for first in range(0, len(same), most):
            rows = same[first : first + most]
            yield rows, np.array([trimmed[i] for i in rows]).T.copy()


def _trim(row: Any, i: int) -> NDArray[np.float64]:
    try:
        values = np.asarray(row, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"Series {i} holds something that is not a number.") from None
    if values.ndim != 1:
        raise DataError(f"Series {i} has {values.ndim} dimensions; a series has one value at a time.")
    if np.isinf(values).any():
        raise DataError(f"Series {i} has infinite values; replace them by a number, or by a missing value.")
    known = np.flatnonzero(~np.isnan(values))
    return values[: known[-1] + 1] if len(known) else values[:0]
