"""Numbers that stand for dates and the like, in words."""

import datetime as dt

import numpy as np
import pytest

from bayesieve.data import Scale
from bayesieve.data.column import read_column

HOUR = 3600e6


@pytest.mark.parametrize(
    ("scale", "number", "words"),
    [
        (Scale.numeric, 1 / 3, "0.3333333333"),
        (Scale.numeric, 2.0, "2"),
        (Scale.date, 0.0, "1970-01-01"),
        (Scale.date, 24 * HOUR, "1970-01-02"),
        (Scale.date, -HOUR, "1969-12-31 23:00"),
        (Scale.date, 90 * 60e6, "1970-01-01 01:30"),
        (Scale.date, 1.5e6, "1970-01-01 00:00:01.500"),
        (Scale.date, 253402214400e6, "9999-12-31"),
        (Scale.date, 1e18, "33658-09-27 01:46:40"),
        (Scale.duration, 26 * HOUR, "1 day, 2:00:00"),
        (Scale.duration, 1e20, "1e+20 microseconds"),
        (Scale.time, 13.5 * HOUR, "13:30:00"),
        (Scale.time, 0.4, "00:00:00"),
    ],
)
def test_words(scale, number, words):
    assert scale.words(number) == words


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        (np.array([1.0, 2.0]), Scale.numeric),
        (np.array([1, None], dtype=object), Scale.numeric),
        (np.array(["1970-01-02"], dtype="datetime64[D]"), Scale.date),
        (np.array([3, 4], dtype="timedelta64[s]"), Scale.duration),
        (np.array([dt.date(1970, 1, 2), None], dtype=object), Scale.date),
        (np.array([dt.datetime(1970, 1, 2, 3)], dtype=object), Scale.date),
        (np.array([dt.timedelta(1)], dtype=object), Scale.duration),
        (np.array([dt.time(1, 30)], dtype=object), Scale.time),
        (np.array(["a"], dtype=object), Scale.numeric),
    ],
)
def test_a_column_knows_what_its_numbers_stand_for(values, scale):
    assert read_column("a", values, nominal=False).scale is scale
