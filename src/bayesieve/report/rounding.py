"""Numbers as a report writes them: six digits, and null for what is not finite."""

from typing import Any

import numpy as np

__all__ = ["rounded"]


def rounded(value: Any) -> Any:
    """Return a number, or each number of an array of any shape, with six digits; None for what is not finite."""
    if isinstance(value, np.ndarray):
        return [rounded(each) for each in value]
    if value is None or not np.isfinite(value):
        return None
    return float(f"{value:.6g}")
