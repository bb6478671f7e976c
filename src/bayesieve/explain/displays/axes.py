# SPDX-License-Identifier: BSD-3-Clause
"""Axes to draw on."""

from typing import Any

from bayesieve.exceptions import OutputError

__all__ = ["open_axes"]


def open_axes(ax: Any, width: float = 6.4, height: float = 4.0) -> Any:
    """Return the given axes, or new axes of this size in inches; matplotlib is imported here only."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError:
        raise OutputError("A plot needs matplotlib, which is not installed: pip install 'bayesieve[plot]'.") from None
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]
