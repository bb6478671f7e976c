"""What counts as missing in a column of objects."""

from typing import Any

__all__ = ["is_missing"]


def is_missing(value: Any) -> bool:
    """Tell None, NaN, NaT and NA: a missing value of any library differs from itself, or cannot say."""
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"
