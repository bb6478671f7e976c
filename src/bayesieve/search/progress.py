# SPDX-License-Identifier: BSD-3-Clause
"""Progress of a fit: lines by ``logging``, and the seconds of each stage for ``verbose=2`` and ``--profile``."""

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["StageTimes", "log_progress", "stage", "stage_times"]

_LOGGER = logging.getLogger("bayesieve")
_OTHER = "other"


class _StandardError(logging.Handler):
    """Writes to standard error where no application has set up logging."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        if not logging.getLogger().handlers:
            sys.stderr.write(self.format(record) + "\n")


def log_progress(line: str) -> None:
    """Log a line of the logger "bayesieve" at the level INFO; without other handlers, it goes to standard error."""
    if not _LOGGER.handlers:
        _LOGGER.addHandler(_StandardError())
    if _LOGGER.level == logging.NOTSET:
        _LOGGER.setLevel(logging.INFO)
    _LOGGER.info(line)


class StageTimes:
    """Seconds per stage, in the order in which stages began; the time of a stage within another is its own only."""

    def __init__(self) -> None:
        self._spent = {_OTHER: (0.0, 0.0)}  # seconds, and those of processors
        self._open = [_OTHER]
        self._since = _now()

    def enter(self, name: str) -> None:
        """Begin a stage."""
        self._charge()
        self._spent.setdefault(name, (0.0, 0.0))
        self._open.append(name)

    def leave(self) -> None:
        """End the stage that began last."""
        self._charge()
        self._open.pop()

    @property
    def seconds(self) -> dict[str, float]:
        """The seconds of each stage until now, and of what belongs to none as the last."""
        return self._of_clock(0)

    @property
    def processor_seconds(self) -> dict[str, float]:
        """The same in seconds of processors, which other programs of the machine change little."""
        return self._of_clock(1)

    def __str__(self) -> str:
        seconds = self.seconds
        return f"{sum(seconds.values()):.2f} s: " + ", ".join(f"{name} {each:.2f} s" for name, each in seconds.items())

    def _of_clock(self, clock: int) -> dict[str, float]:
        self._charge()
        named = {name: spent[clock] for name, spent in self._spent.items() if name != _OTHER}
        return named | {_OTHER: self._spent[_OTHER][clock]}

    def _charge(self) -> None:
        now = _now()
        seconds, of_processors = self._spent[self._open[-1]]
        self._spent[self._open[-1]] = seconds + now[0] - self._since[0], of_processors + now[1] - self._since[1]
        self._since = now


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


_WATCHES: ContextVar[tuple[StageTimes, ...]] = ContextVar("_WATCHES", default=())


@contextmanager
def stage_times() -> Iterator[StageTimes]:
    """Measure the stages that are passed within."""
    times = StageTimes()
    token = _WATCHES.set((*_WATCHES.get(), times))
    try:
        yield times
    finally:
        _WATCHES.reset(token)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Mark a stage, for all who measure."""
    watches = _WATCHES.get()
    for each in watches:
        each.enter(name)
    try:
        yield
    finally:
        for each in watches:
            each.leave()
