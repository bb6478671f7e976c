# SPDX-License-Identifier: BSD-3-Clause
"""Axes of charts: where values are, and which are written."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final

__all__ = ["Axis", "log_ticks", "nice_ticks", "share_axis"]

_STEPS: Final = (1, 2, 2.5, 5, 10)


def nice_ticks(low: float, high: float, n_ticks: int = 5, steps: Sequence[float] = _STEPS) -> list[float]:
    """Return round numbers between two, about as many as asked for: multiples of a step times a power of ten."""
    raw = (high - low or 1.0) / n_ticks
    power = 10.0 ** floor(log10(raw))
    step = next(each * power for each in steps if each * power >= raw * (1 - 1e-9))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Return powers of ten, their doubles and fives, between two positive numbers; other round ones if they are few."""
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    found = [m * 10.0**p for p in powers for m in (1, 2, 5) if low <= m * 10.0**p <= high]
    return found if len(found) > 1 else nice_ticks(low, high)


def _plain(value: float) -> str:
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:.3g}"


@dataclass(frozen=True)
class Axis:
    """A range of values with a title.

    Attributes
    ----------
    low, high : float
        The ends.
    title : str
        What the values are.
    ticks : sequence of float
        Where values are written; by default, at round numbers.
    format : callable
        The text of a tick.
    transform : callable
        The scale: the identity, or the logarithm.
    """

    low: float
    high: float
    title: str
    ticks: Sequence[float] = ()
    format: Callable[[float], str] = _plain
    transform: Callable[[float], float] = float

    @property
    def shown_ticks(self) -> Sequence[float]:
        """The values that are written."""
        return self.ticks or nice_ticks(self.low, self.high)

    def place(self, value: float, start: float, end: float) -> float:
        """Return where a value is, between the coordinates of the ends."""
        low, high = self.transform(self.low), self.transform(self.high)
        return start + (self.transform(value) - low) / (high - low or 1.0) * (end - start)


def share_axis(title: str, high: float = 1.0) -> Axis:
    """Return an axis of percentages from 0."""
    ticks = (0, 0.25, 0.5, 0.75, 1) if high == 1.0 else ()
    return Axis(0.0, high, title, ticks, lambda value: f"{100 * value:.4g}%")
