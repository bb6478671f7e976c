# SPDX-License-Identifier: BSD-3-Clause
"""Numbers as a report writes them: six digits, and null for what is not finite."""

from math import isfinite
from typing import Any

import numpy as np

__all__ = ["rounded"]


def rounded(value: Any, n_digits: int = 6) -> Any:
    """Return a number, or each number of an array of any shape, rounded; None for what is not finite."""
    if isinstance(value, np.ndarray):
        return [rounded(each, n_digits) for each in value.tolist()] if value.ndim == 1 else [*map(rounded, value)]
    if value is None or not isfinite(value):
        return None
    return float(f"{value:.{n_digits}g}")
