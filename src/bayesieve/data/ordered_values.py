"""Ordered values as numbers: reals unchanged, dates, times and durations in microseconds, NaN if missing."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.data.scale import Scale

__all__ = ["as_numbers", "is_missing", "is_number"]


_MICROSECOND = timedelta(microseconds=1)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NaT or NA: missing values of any library differ from themselves."""
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError):  # pandas.NA has no truth value
        return type(value).__name__ == "NAType"


def is_number(value: Any) -> bool:
    """Return whether a value is a real number; a boolean is a label."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


def as_numbers(values: NDArray[Any]) -> tuple[Floats, Scale] | None:
    """Return ordered values as floats, NaN if missing, and their scale; None if they have no order."""
    kind = values.dtype.kind
    if kind == "O":
        return _from_objects(values.tolist())
    if kind in "mM":
        return _microseconds(values), Scale.date if kind == "M" else Scale.duration
    return (np.ascontiguousarray(values, dtype=np.float64), Scale.numeric) if kind in "iuf" else None


def _microseconds(values: NDArray[Any]) -> Floats:
    """Convert any unit to microseconds, so that tables of different libraries agree."""
    kind, unit = values.dtype.kind, np.datetime_data(values.dtype)[0]
    if unit in ("ns", "ps", "fs", "as"):
        nanoseconds = values.astype(f"{kind}8[ns]").astype(np.int64)
        microseconds, rest = np.divmod(nanoseconds, 1000)
        numbers = microseconds + rest / 1000
    else:
        numbers = values.astype(f"{kind}8[us]").astype(np.int64).astype(np.float64)
    return np.where(np.isnat(values), np.nan, numbers)


def _from_objects(entries: Sequence[Any]) -> tuple[Floats, Scale] | None:
    missing = [is_missing(entry) for entry in entries]
    values = [entry for entry, is_absent in zip(entries, missing, strict=True) if not is_absent]
    match = next((row for row in _CONVERSIONS if all(row[0](entry) for entry in values)), None)
    if match is None:
        return None
    _, convert, scale = match
    numbers = [np.nan if is_absent else convert(entry) for entry, is_absent in zip(entries, missing, strict=True)]
    return np.array(numbers, dtype=np.float64), scale


def _since_1970(value: date) -> float:
    """Return microseconds since 1970; a date and time without a time zone is read as UTC."""
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    epoch = datetime(1970, 1, 1, tzinfo=None if value.tzinfo is None else UTC)
    return (value - epoch) / _MICROSECOND


def _time_of_day(value: time) -> float:
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1e6 + value.microsecond


_CONVERSIONS: tuple[tuple[Callable[[Any], bool], Callable[[Any], float], Scale], ...] = (
    (is_number, float, Scale.numeric),
    (lambda value: isinstance(value, date), _since_1970, Scale.date),
    (lambda value: isinstance(value, timedelta), lambda value: value / _MICROSECOND, Scale.duration),
    (lambda value: isinstance(value, time), _time_of_day, Scale.time),
)
