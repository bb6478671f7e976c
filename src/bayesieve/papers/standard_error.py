# SPDX-License-Identifier: BSD-3-Clause
"""Standard error of a mean."""

from collections.abc import Sequence
from math import sqrt
from statistics import stdev

__all__ = ["standard_error"]


def standard_error(values: Sequence[float]) -> float | None:
    """Return the standard error of a mean, None for a single value."""
    return stdev(values) / sqrt(len(values)) if len(values) > 1 else None
