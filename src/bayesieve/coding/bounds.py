"""The position of a bound between two neighboring values."""

import numpy as np

from bayesieve._native import core
from bayesieve._typing import Floats

__all__ = ["between", "readable_between", "readable_between_numpy"]


_CLOSE = 0.1  # share of the gap, on either side of its middle
_DIGITS = 17  # enough to distinguish all floats


def between(left: Floats, right: Floats) -> Floats:
    """Return the midpoints, or the left value if no float lies between."""
    middle = left / 2 + right / 2
    return np.where((middle >= left) & (middle < right), middle, left)


def readable_between(left: Floats, right: Floats) -> Floats:
    """Return the number with the fewest digits near each midpoint."""
    if core is None:
        return readable_between_numpy(left, right)
    low, high = (np.ascontiguousarray(each, dtype=np.float64) for each in (left, right))
    return core.readable_between(low, high)


def readable_between_numpy(left: Floats, right: Floats) -> Floats:
    """Specification of `readable_between`, and its fallback without the compiled core."""
    middles = between(left, right)
    bounds = [_shortest(*each) for each in zip(left.tolist(), right.tolist(), middles.tolist(), strict=True)]
    return np.array(bounds, dtype=np.float64)


def _shortest(left: float, right: float, middle: float) -> float:
    reach = _CLOSE * right - _CLOSE * left  # no overflow where right - left would
    for digits in range(_DIGITS):
        candidate = float(f"{middle:.{digits}e}")
        if abs(candidate - middle) <= reach and left <= candidate < right:
            return candidate
    return middle
