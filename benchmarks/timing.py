"""Minima over interleaved repeats: what noise of the machine leaves of a time."""

import time
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["minima", "nanoseconds", "seconds"]

Clock = Callable[[], float]
_IN_A_ROW = 3  # a search repeats its step, so what counts is the time with data in the caches


def seconds(function: Callable[[], Any], clock: Clock = time.thread_time) -> Callable[[], float]:
    """Return a function that runs another one and returns how long it took.

    The default clock counts this thread's own time, so that other programs on the machine count less.
    """

    def run() -> float:
        begin = clock()
        function()
        return clock() - begin

    return run


def minima(tasks: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """Run tasks in turn, ``repeats`` times over, some runs in a row each; return the least that each task returned."""
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(repeats):
        for name, task in tasks.items():
            best[name] = min(best[name], *(task() for _ in range(_IN_A_ROW)))
    return best


def nanoseconds(time_taken: float, *counts: int) -> float:
    """Return a time in nanoseconds, divided by each of some counts."""
    for count in counts:
        time_taken /= count
    return time_taken * 1e9
