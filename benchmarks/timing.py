# SPDX-License-Identifier: BSD-3-Clause
"""Minima of times over interleaved repeats, against noise of the machine."""

import time
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["fastest", "minima", "nanoseconds", "seconds"]

Clock = Callable[[], float]
_IN_A_ROW = 3  # as in a search, data are in the caches
_ENOUGH = 1.0  # seconds: a longer run is not repeated
_REPEATS = 5


def seconds(function: Callable[[], Any], clock: Clock = time.thread_time) -> Callable[[], float]:
    """Return a function that runs another one and returns its seconds.

    The default clock is thread time, which depends less on other programs of the machine.
    """

    def run() -> float:
        begin = clock()
        function()
        return clock() - begin

    return run


def minima(tasks: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """Run tasks in turn, ``repeats`` times over, some runs in a row each; return the minimum of each task."""
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(repeats):
        for name, task in tasks.items():
            best[name] = min(best[name], *(task() for _ in range(_IN_A_ROW)))
    return best


def fastest(run: Callable[[], float]) -> float:
    """Return the minimum of some runs of a task, of one if it takes longer than a second."""
    best = run()
    for _ in range(_REPEATS - 1):
        if best > _ENOUGH:
            break
        best = min(best, run())
    return best


def nanoseconds(time_taken: float, *counts: int) -> float:
    """Return a time in nanoseconds, divided by each of some counts."""
    for count in counts:
        time_taken /= count
    return time_taken * 1e9
