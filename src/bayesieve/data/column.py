# SPDX-License-Identifier: BSD-3-Clause
"""A typed column: its sorted distinct values, the position of each row's value among them, and the scale of numbers.

Numbers and labels share this form: coding rules learn from distinct values with their weights, and a row is coded by
looking up its position.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from math import isinf
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats
from bayesieve.exceptions import ColumnTypeError, DataError

__all__ = [
    "FEW_TEXTS",
    "Column",
    "EncodedValues",
    "Scale",
    "Values",
    "encode_entries",
    "in_order",
    "index_columns",
    "index_numbers",
    "index_numbers_numpy",
    "is_missing",
    "is_number",
    "ordered_numbers",
    "read_column",
    "read_columns",
    "refuse_infinite",
]


class Scale(StrEnum):
    """The unit of a column's numbers: plain, or microseconds since 1970, of a duration, or since midnight."""

    numeric = "numeric"
    date = "date"
    duration = "duration"
    time = "time"

    @property
    def noun(self) -> str:
        """What its numbers are called in messages."""
        return {"numeric": "numbers", "date": "dates", "duration": "durations", "time": "times of day"}[self.value]

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


FEW_TEXTS = 256
"""Number of rows of text that are listed sooner than their library encodes them."""
_FEW_ROWS = 64
_MICROSECOND = timedelta(microseconds=1)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NaT or NA: missing values of any library differ from themselves."""
    if value is None:
        return True
    if isinstance(value, Decimal):  # a signaling NaN refuses to be compared
        return value.is_nan()
    try:
        return bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError):  # pandas.NA has no truth value
        return type(value).__name__ == "NAType"


def is_number(value: Any) -> bool:
    """Return whether a value is a real number; a boolean is a label."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


def _as_numbers(values: NDArray[Any]) -> tuple[Floats, Scale] | None:
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


_POSITIONS = (np.int8, np.int16, np.int32, np.int64)  # types that the compiled core reads


@dataclass(frozen=True)
class EncodedValues:
    """The possible entries, and each row's position among them, -1 if its value is missing.

    ``are_in_order``: whether the data type has an order, in which the entries are.
    """

    entries: list[Any]
    positions: NDArray[np.integer[Any]]
    are_in_order: bool = False

    @property
    def occurring(self) -> list[int]:
        """Positions of the entries that occur in at least one row."""
        if len(self.positions) <= _FEW_ROWS:
            return sorted({*self.positions.tolist()} - {-1})
        occurs: NDArray[np.integer[Any]]
        if core is None or self.positions.dtype not in _POSITIONS:
            occurs = np.bincount(self.positions + 1, minlength=len(self.entries) + 1)[1:]
        else:
            occurs = core.occurring_positions(np.ascontiguousarray(self.positions), len(self.entries))
        return np.flatnonzero(occurs).tolist()

    def look_up(self, ids: "Ids") -> "Ids":
        """Return the id of each row's entry; that of missing values is the last."""
        if core is None or self.positions.dtype not in _POSITIONS:
            looked_up: Ids = ids[self.positions]
            return looked_up
        return core.look_up_positions(np.ascontiguousarray(self.positions), ids)

    def expand(self) -> NDArray[Any]:
        """Return each row's entry, None if it is missing."""
        entries = np.empty(len(self.entries) + 1, dtype=object)
        entries[:-1] = self.entries
        expanded: NDArray[Any] = entries[self.positions]
        return expanded


def encode_entries(values: Sequence[Any]) -> EncodedValues:
    """Encode the values of a few rows."""
    place: dict[Any, int] = {}
    positions = [-1 if is_missing(value) else place.setdefault(value, len(place)) for value in values]
    return EncodedValues(list(place), np.array(positions, dtype=np.intp))


Ids = NDArray[np.int32]


@dataclass(frozen=True)
class Values:
    """The distinct values of a named column.

    Attributes
    ----------
    labels : float64 array, or tuple
        Distinct values in increasing order: numbers in an array, or nominal labels in a tuple, whose order has no
        meaning. Some may occur in no row.
    scale : Scale
        What numbers stand for.
    borders : float64 array, or None
        If each number stands for a range, the borders between these ranges.
    levels : tuple, or None
        All labels of a column of ordered categories, in their order; some may not be among ``labels``.
    """

    name: str
    labels: Floats | tuple[Any, ...]
    scale: Scale = field(default=Scale.numeric, kw_only=True)
    borders: Floats | None = field(default=None, kw_only=True)
    levels: tuple[Any, ...] | None = field(default=None, kw_only=True)

    @property
    def ordered(self) -> bool:
        """Whether the values are numbers."""
        return isinstance(self.labels, np.ndarray)

    @property
    def ranks(self) -> Floats:
        """The place of each label among the levels."""
        place = {level: float(k) for k, level in enumerate(self.levels or ())}
        return np.array([place[label] for label in self.labels], dtype=np.float64)


@dataclass(frozen=True)
class Column(Values):
    """A column's distinct values, and the position of each row's value among them.

    Attributes
    ----------
    ids : int32 array of shape (n_rows,)
        Each row's position in ``labels``; ``len(labels)`` where the value is missing.
    """

    ids: Ids

    @property
    def values(self) -> Floats:
        """Each row's number, NaN where missing."""
        return np.append(np.asarray(self.labels, dtype=np.float64), np.nan)[self.ids]


def read_columns(
    names: Sequence[str], values: Sequence[tuple[NDArray[Any] | EncodedValues, bool]], n_threads: int = 1
) -> list[Column]:
    """Type columns, given the values of each and whether its data frame type is nominal."""
    read = [ordered_numbers(name, *pair) for name, pair in zip(names, values, strict=True)]
    numbers = [each[0] for each in read if each is not None]
    indexed = iter(zip(*index_columns(np.array(numbers), n_threads), strict=True)) if numbers else iter(())
    columns = []
    for name, (raw, _), each in zip(names, values, read, strict=True):
        if each is None:
            columns.append(_encoded(name, raw) if isinstance(raw, EncodedValues) else _nominal(name, raw))
        else:
            labels, ids = next(indexed)
            refuse_infinite(name, labels)
            columns.append(Column(name, labels, ids, scale=each[1]))
    return columns


def read_column(name: str, values: NDArray[Any], nominal: bool) -> Column:
    """Type one column."""
    return read_columns([name], [(values, nominal)])[0]


def ordered_numbers(name: str, values: NDArray[Any] | EncodedValues, nominal: bool) -> tuple[Floats, Scale] | None:
    """Return numbers and their scale; None if the values have no order."""
    if isinstance(values, EncodedValues):
        return None
    if values.dtype.kind == "c":
        raise DataError(f"Complex data not supported: column {name!r} has complex numbers.")
    try:
        return None if nominal else _as_numbers(values)
    except OverflowError:
        raise DataError(f"Column {name!r} has numbers beyond the largest float64; finite ones are expected.") from None


def refuse_infinite(name: str, labels: Floats) -> None:
    """Raise if a column has infinite values, which are its first or last label."""
    if len(labels) and (isinf(labels[0]) or isinf(labels[-1])):
        raise DataError(f"Column {name!r} has infinite values; replace them by finite numbers or by missing values.")


_INDEXED = "bBhHiIlLqQfd"  # types of numbers that the compiled core reads as they are


def index_numbers(numbers: Floats) -> tuple[Floats, Ids]:
    """Return the distinct numbers in increasing order, and each number's position; NaN comes after the last."""
    (labels,), ids = index_columns(numbers[None, :])
    return labels, ids[0]


def index_columns(numbers: NDArray[Any], n_threads: int = 1) -> tuple[list[Floats], Ids]:
    """Index the rows of a two-dimensional array of numbers, each as `index_numbers` does."""
    # Half and quadruple precision, foreign byte order and fields of records have no kernel.
    size = numbers.itemsize
    if numbers.dtype.char not in _INDEXED or not numbers.dtype.isnative or any(s % size for s in numbers.strides):
        numbers = numbers.astype(np.float64)
    if core is None:
        warn_if_missing()
        indexed = [index_numbers_numpy(column) for column in numbers.astype(np.float64)]
        return [labels for labels, _ in indexed], np.array([ids for _, ids in indexed], dtype=np.int32)
    return core.index_columns(numbers, n_threads)


def index_numbers_numpy(numbers: Floats) -> tuple[Floats, Ids]:
    """Index as `index_numbers` does: its specification, and its fallback without a compiled core."""
    present = ~np.isnan(numbers)
    labels, positions = np.unique(numbers[present] + 0.0, return_inverse=True)  # + 0.0: minus zero is zero
    ids = np.full(len(numbers), len(labels), dtype=np.int32)
    ids[present] = positions.ravel()
    return labels, ids


def _encoded(name: str, values: EncodedValues) -> Column:
    used = values.occurring
    labels, position = _sorted_labels([values.entries[k] for k in used])
    ids = np.full(len(values.entries) + 1, len(labels), dtype=np.int32)  # position -1 is missing
    ids[used] = [position[values.entries[k]] for k in used]
    levels = tuple(values.entries) if values.are_in_order else None
    return Column(name, labels, values.look_up(ids), levels=levels)


def _nominal(name: str, values: NDArray[Any]) -> Column:
    if values.dtype.kind in "bSU":
        distinct, positions = np.unique(values, return_inverse=True)
        return Column(name, tuple(distinct.tolist()), positions.astype(np.int32).ravel())
    entries = values.tolist()
    try:
        distinct_entries = set(entries)  # in C; only distinct values are tested for being missing
    except TypeError:
        raise ColumnTypeError(
            f"Column {name!r} holds values of a type that cannot be a category: "
            "argument must be a string, a number or a boolean."
        ) from None
    labels, position = _sorted_labels(distinct_entries)
    return Column(name, labels, np.fromiter(map(position.__getitem__, entries), np.int32, len(entries)))


def _sorted_labels(entries: Collection[Any]) -> tuple[tuple[Any, ...], dict[Any, int]]:
    """Return the entries that are not missing in order of type and value, and each entry's position, missing last."""
    labels = in_order({entry for entry in entries if not is_missing(entry)})
    position = dict.fromkeys(entries, len(labels)) | {label: i for i, label in enumerate(labels)}
    return labels, position


def in_order(labels: Collection[Any]) -> tuple[Any, ...]:
    """Return labels in order of type and value."""
    try:
        return tuple(sorted(labels, key=lambda label: (type(label).__name__, label)))
    except TypeError:
        return tuple(sorted(labels, key=lambda label: (type(label).__name__, repr(label))))
