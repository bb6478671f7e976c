# SPDX-License-Identifier: BSD-3-Clause
"""Labels to JSON and back without loss: text, numbers, booleans, dates, times and durations, bytes.

JSON has strings, numbers and booleans; any other label is an object with one key, the name of its type.
"""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np

from bayesieve.data.column import is_missing
from bayesieve.data.document import Entry
from bayesieve.exceptions import ModelFileError

__all__ = ["label_from_plain", "label_to_plain"]

_LONG = 8192  # bits: Python does not write longer integers in decimal


def label_to_plain(label: Any, owner: str) -> Any:
    """Return a label as JSON data; ``owner`` names its column or target in the error message."""
    try:
        plain = _plain(label)
        if plain is not None and _same(label_from_plain(Entry(plain, owner)), label):
            return plain
    except (ValueError, OverflowError, TypeError):
        pass
    raise ModelFileError(
        f"{owner} has the label {label!r:.60} of type {type(label).__name__}, which a model file cannot hold; "
        "convert such labels to strings before fit."
    )


def label_from_plain(entry: Entry) -> Any:
    """Return the label at an entry of a document."""
    value = entry.value
    if isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return entry.number()
    if not isinstance(value, dict) or len(value) != 1 or (kind := next(iter(value))) not in _READERS:
        entry.refuse("a label")
    content = entry.fields(kind)[kind]
    text = content.text()
    try:
        label = _READERS[kind](text)
        is_canonical = not is_missing(label) and _plain(label) == value
    except (ValueError, OverflowError, InvalidOperation):
        is_canonical = False
    if not is_canonical:
        content.refuse(f"a label of type {kind}")
    return label


def _plain(label: Any) -> Any:
    """Return a label as JSON data, None if its type is not supported."""
    if isinstance(label, np.bool_ | np.integer | np.floating | np.str_ | np.bytes_):
        label = label.item()
    if isinstance(label, bool):
        return label
    return next((write(label) for kind, write in _WRITERS if isinstance(label, kind)), None)


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) and hash(one) == hash(other)


def _write_text(label: str) -> Any:
    plain = str.__str__(label)
    # Unpaired surrogates are not valid UTF-8.
    return {"text": plain.encode("utf-32-be", "surrogatepass").hex()} if not _is_utf8(plain) else plain


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _int_to_plain(label: int) -> Any:
    return {"int": hex(label)} if label.bit_length() > _LONG else int(label)


def _float_to_plain(label: float) -> Any:
    return float(label) if np.isfinite(label) else {"float": float.__repr__(float(label))}


def _write_timedelta(label: timedelta) -> Any:
    return {"timedelta": f"{label.days} {label.seconds} {label.microseconds}"}


def _read_timedelta(text: str) -> timedelta:
    days, seconds, microseconds = map(int, text.split(" "))
    return timedelta(days, seconds, microseconds)


def _read_float(text: str) -> float:
    return {"inf": float("inf"), "-inf": float("-inf")}.get(text, 0.0)


# A datetime is a date, so it comes first.
_WRITERS: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (str, _write_text),
    (int, _int_to_plain),
    (float, _float_to_plain),
    (bytes, lambda label: {"bytes": label.hex()}),
    (datetime, lambda label: {"datetime": datetime.isoformat(label)}),
    (date, lambda label: {"date": label.isoformat()}),
    (time, lambda label: {"time": label.isoformat()}),
    (timedelta, _write_timedelta),
    (Decimal, lambda label: {"decimal": str(label)}),
)

_READERS: dict[str, Callable[[str], Any]] = {
    "text": lambda text: bytes.fromhex(text).decode("utf-32-be", "surrogatepass"),
    "int": lambda text: int(text, 16),
    "float": _read_float,
    "bytes": bytes.fromhex,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": _read_timedelta,
    "decimal": Decimal,
}
