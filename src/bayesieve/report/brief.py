"""Numbers as a report writes them: six digits, and nothing where there is no number."""

from typing import Any

import numpy as np

__all__ = ["brief"]


def brief(value: Any) -> Any:
    """Return a number, or each of an array, with six digits; None for what is not finite."""
    if isinstance(value, np.ndarray):
        return [brief(each) for each in value.tolist()]
    if value is None or not np.isfinite(value):
        return None
    return float(f"{value:.6g}")
