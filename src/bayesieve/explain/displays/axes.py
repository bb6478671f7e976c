# SPDX-License-Identifier: BSD-3-Clause
"""Axes to draw on, and what is written on them."""

from collections.abc import Sequence
from typing import Any

from bayesieve.exceptions import OutputError, ParameterError

__all__ = ["class_position", "label_bins", "open_axes", "short_label"]

_LONGEST = 28  # characters of a bin's label
_MOST_LETTERS = 36  # of labels in one line


def open_axes(ax: Any, width: float = 6.4, height: float = 4.0) -> Any:
    """Return the given axes, or new axes of this size in inches; matplotlib is imported here only."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError:
        raise OutputError("A plot needs matplotlib, which is not installed: pip install 'bayesieve[plot]'.") from None
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def class_position(label: Any, classes: list[Any]) -> int:
    """Return the position of a class; a label that is none of them is refused."""
    if label not in classes:
        raise ParameterError(f"label={label!r} is not a class; the classes are {', '.join(map(repr, classes[:10]))}.")
    return classes.index(label)


def short_label(label: str) -> str:
    """Return a label that fits at a tick, and in which matplotlib finds no formula."""
    short = label if len(label) <= _LONGEST else label[: _LONGEST - 1] + "…"
    return short.replace("$", r"\$")


def label_bins(ax: Any, labels: Sequence[str]) -> None:
    """Write the label of each bin below its place, slanted if they would overlap."""
    short = [short_label(each) for each in labels]
    slanted = len(short) > 3 or sum(map(len, short)) > _MOST_LETTERS
    ax.set_xticks(range(len(short)), short, **({"rotation": 30, "ha": "right"} if slanted else {}))
