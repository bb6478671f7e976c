# SPDX-License-Identifier: BSD-3-Clause
"""Scales of numeric columns: plain numbers, dates, durations or times of day, and how they are formatted."""

from datetime import datetime, timedelta
from enum import StrEnum

import numpy as np

__all__ = ["Scale"]


class Scale(StrEnum):
    """The unit of a column's numbers: plain, or microseconds since 1970, of a duration, or since midnight."""

    numeric = "numeric"
    date = "date"
    duration = "duration"
    time = "time"

    def words(self, number: float) -> str:
        """Format a number: as a date, a duration or a time of day where it stands for one."""
        if self is Scale.numeric:
            return _plain(number)
        try:
            return _FORMATS[self](number)
        except (OverflowError, ValueError):  # beyond the calendar
            return f"{_plain(number)} microseconds"


def _plain(number: float) -> str:
    return f"{number:.10g}"


def _date(number: float) -> str:
    # The shortest form without loss: no time of day at midnight, no seconds at a full minute.
    return str(np.datetime_as_string(np.datetime64(round(number), "us"), unit="auto")).replace("T", " ")


def _duration(number: float) -> str:
    return str(timedelta(microseconds=round(number)))


def _time(number: float) -> str:
    return (datetime.min + timedelta(microseconds=round(number))).time().isoformat()


_FORMATS = {Scale.date: _date, Scale.duration: _duration, Scale.time: _time}
