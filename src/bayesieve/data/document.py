# SPDX-License-Identifier: BSD-3-Clause
"""JSON documents with a checksum, validated as they are read: errors name the place of the value."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesieve.data.column import is_missing
from bayesieve.exceptions import ModelFileError

__all__ = ["Entry", "canonical", "is_sealed", "label_from_plain", "label_to_plain", "parse_strictly", "seal"]


T = TypeVar("T")

_INT64 = np.iinfo(np.int64)


@dataclass(frozen=True)
class Entry:
    """A value of a document.

    Attributes
    ----------
    value : None, bool, int, float, str, list or dict
        What `json.loads` gave.
    place : str
        Its path in the document, for messages.
    """

    value: Any
    place: str

    def refuse(self, expected: str) -> NoReturn:
        """Raise an error that names the place, what was expected and what was found."""
        raise ModelFileError(f"{self.place} must be {expected}, got {_shown(self.value)}.")

    def fields(self, *names: str) -> dict[str, "Entry"]:
        """Return the entries of an object that has these keys and no others."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        for name in names:
            if name not in self.value:
                raise ModelFileError(f"{self.place} has no {name!r}.")
        if unknown := sorted(set(self.value) - set(names)):
            raise ModelFileError(f"{self.place} has an unknown {unknown[0]!r:.60}.")
        return {name: Entry(self.value[name], f"{self.place}.{name}") for name in names}

    def members(self) -> dict[str, "Entry"]:
        """Return the entries of an object with any keys."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        return self.fields(*self.value)

    def items(self, n_items: int | None = None) -> list["Entry"]:
        """Return the entries of a list, which must have that many if a number is given."""
        if not isinstance(self.value, list) or n_items not in (None, len(self.value)):
            self.refuse("a list" if n_items is None else f"a list of {n_items}")
        return [Entry(value, f"{self.place}[{i}]") for i, value in enumerate(self.value)]

    def optional(self, read: Callable[["Entry"], T]) -> T | None:
        """Return None for null, otherwise ``read(self)``."""
        return None if self.value is None else read(self)

    def flag(self) -> bool:
        """Return a boolean."""
        if not isinstance(self.value, bool):
            self.refuse("true or false")
        return self.value

    def text(self) -> str:
        """Return a string."""
        if not isinstance(self.value, str):
            self.refuse("a string")
        return self.value

    def choice(self, *options: str) -> str:
        """Return a string that must be one of the options."""
        if not isinstance(self.value, str) or self.value not in options:
            self.refuse(" or ".join(map(repr, options)))
        return self.value

    def whole(self, low: int = int(_INT64.min), high: int = int(_INT64.max)) -> int:
        """Return an integer between two others, both included."""
        if type(self.value) is not int or not low <= self.value <= high:
            self.refuse(f"an integer from {low} to {high}")
        return self.value

    def position(self) -> int:
        """Return a position in a list."""
        return self.whole(0)

    def real(self) -> float:
        """Return a number, which may be infinite or NaN."""
        if type(self.value) is float:
            return self.value
        return self.number()

    def number(self) -> float:
        """Return a finite number."""
        if not _is_number(self.value):
            self.refuse("a finite number")
        return float(self.value)

    def numbers(self) -> NDArray[np.float64]:
        """Return a list of finite numbers."""
        if not isinstance(self.value, list) or not all(map(_is_number, self.value)):
            self.refuse("a list of finite numbers")
        return np.array(self.value, dtype=np.float64)

    def wholes(self) -> NDArray[np.int64]:
        """Return a list of integers."""
        if not isinstance(self.value, list) or not _are_integers(self.value):
            self.refuse("a list of 64-bit integers")
        return np.array(self.value, dtype=np.int64)

    def rows(self, n_rows: int, n_columns: int, read: Callable[["Entry"], NDArray[Any]]) -> list[NDArray[Any]]:
        """Return `n_rows` lists of `n_columns` values, each converted by ``read``."""
        rows = [read(item) for item in self.items()]
        if len(rows) != n_rows or any(len(row) != n_columns for row in rows):
            raise ModelFileError(f"{self.place} must be {n_rows} lists of {n_columns} values each.")
        return rows


def _is_number(value: Any) -> bool:
    if type(value) is float:
        return isfinite(value)
    return type(value) is int and -(2**1023) < value < 2**1023


def _are_integers(values: Sequence[Any]) -> bool:
    if not all(type(value) is int for value in values):
        return False
    return not values or (_INT64.min <= min(values) and max(values) <= _INT64.max)


def _shown(value: Any) -> str:
    """Return a short form of a value, which may be very long."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, int) and value.bit_length() > 1000:
        return "a very large number"
    return repr(value if not isinstance(value, str) else value[:60])


_KEY = "checksum"


def parse_strictly(text: str | bytes, *, finite: bool = True) -> Any:
    """Return the document of a text; raises ValueError or RecursionError for what no file of ours holds."""
    return json.loads(text, object_pairs_hook=_distinct, parse_constant=_refuse_constant if finite else None)


def canonical(content: Any, *, finite: bool = True) -> bytes:
    """Return the one form of a document that its checksum is of, whatever spaces and order of keys a file has."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=not finite, sort_keys=True, separators=(",", ":"))
    return text.encode()


def seal(content: dict[str, Any], *, finite: bool = True) -> dict[str, Any]:
    """Return a document with its checksum."""
    return {_KEY: _checksum(content, finite), **content}


def is_sealed(document: Any, *, finite: bool = True) -> bool:
    """Return whether a document has the checksum of its content."""
    if not isinstance(document, dict):
        return False
    content = {key: value for key, value in document.items() if key != _KEY}
    try:
        return bool(document.get(_KEY) == _checksum(content, finite))
    except (ValueError, RecursionError):  # what no file of ours holds: 1e999, an unpaired surrogate, a deep nest
        return False


def _checksum(content: Any, finite: bool) -> str:
    return "sha256:" + hashlib.sha256(canonical(content, finite=finite)).hexdigest()


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    distinct = dict(pairs)
    if len(distinct) < len(pairs):
        raise ValueError("a key twice")
    return distinct


def _refuse_constant(word: str) -> Any:
    raise ValueError(word)


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
