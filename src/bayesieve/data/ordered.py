"""Values that have an order, as numbers: reals as they are, moments and durations in microseconds."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data.missing import is_missing
from bayesieve.data.scale import Scale

__all__ = ["as_numbers", "is_number"]

Floats = NDArray[np.float64]

_MICROSECOND = timedelta(microseconds=1)


def is_number(value: Any) -> bool:
    """Tell real numbers from labels; a boolean is a label."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


def as_numbers(values: NDArray[Any]) -> tuple[Floats, Scale] | None:
    """Return ordered values as floats, NaN where missing, and what they stand for; None where they have no order."""
    kind = values.dtype.kind
    if kind == "O":
        return _from_objects(values.tolist())
    if kind in "mM":
        return _microseconds(values), Scale.date if kind == "M" else Scale.duration
    return (np.ascontiguousarray(values, dtype=np.float64), Scale.numeric) if kind in "iuf" else None


def _microseconds(values: NDArray[Any]) -> Floats:
    """Count in one unit whatever the array's own unit, so that tables of different libraries agree."""
    kind, unit = values.dtype.kind, np.datetime_data(values.dtype)[0]
    if unit in ("ns", "ps", "fs", "as"):
        nanoseconds = values.astype(f"{kind}8[ns]").astype(np.int64)
        whole, rest = np.divmod(nanoseconds, 1000)
        numbers = whole + rest / 1000
    else:
        numbers = values.astype(f"{kind}8[us]").astype(np.int64).astype(np.float64)
    return np.where(np.isnat(values), np.nan, numbers)


def _from_objects(entries: Sequence[Any]) -> tuple[Floats, Scale] | None:
    missing = [is_missing(entry) for entry in entries]
    present = [entry for entry, gone in zip(entries, missing, strict=True) if not gone]
    way = next((way for way in _WAYS if all(way[0](entry) for entry in present)), None)
    if way is None:
        return None
    _, convert, scale = way
    numbers = [np.nan if gone else convert(entry) for entry, gone in zip(entries, missing, strict=True)]
    return np.array(numbers, dtype=np.float64), scale


def _moment(value: date) -> float:
    """Return microseconds since 1970; a moment without a time zone is read as UTC."""
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    epoch = datetime(1970, 1, 1, tzinfo=None if value.tzinfo is None else UTC)
    return (value - epoch) / _MICROSECOND


def _time_of_day(value: time) -> float:
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1e6 + value.microsecond


_WAYS: tuple[tuple[Callable[[Any], bool], Callable[[Any], float], Scale], ...] = (
    (is_number, float, Scale.numeric),
    (lambda value: isinstance(value, date), _moment, Scale.date),
    (lambda value: isinstance(value, timedelta), lambda value: value / _MICROSECOND, Scale.duration),
    (lambda value: isinstance(value, time), _time_of_day, Scale.time),
)
