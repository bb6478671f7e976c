"""Names, texts, numbers and moments as SQL writes them, so that nothing in them is read as SQL."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from bayesieve.data import Scale, is_number
from bayesieve.exceptions import ExportError

__all__ = ["balanced_sum", "comment", "identifier", "label", "moment", "number"]

_US_A_DAY = 86_400_000_000
_FIRST_YEAR, _LAST_YEAR = (np.datetime64(day, "us").astype(np.int64).item() for day in ("0001-01-01", "9999-12-31"))


def identifier(name: str) -> str:
    """Return a quoted name."""
    return '"' + _plain(name, "The name").replace('"', '""') + '"'


def number(value: float) -> str:
    """Return a number with 17 digits; the exponent makes it a double where decimals are a type of their own."""
    return f"{float(value):.16e}"


def label(value: Any, column: str) -> str:
    """Return a value of a column of categories."""
    if isinstance(value, bool | np.bool_):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + _plain(value, f"A value of the column {column!r}").replace("'", "''") + "'"
    if is_number(value):
        return number(value)
    raise ExportError(
        f"Column {column!r} has the value {value!r:.60} of type {type(value).__name__}, which SQL has no common form "
        "of; make such values strings before fit."
    )


def moment(microseconds: float, scale: Scale, column: str) -> str:
    """Return a date or a time of day as text whose order is that of time.

    Compared with a column as text: a shorter text that agrees comes first, so that days, seconds and fractions of
    seconds have one order.
    """
    whole = int(np.floor(microseconds))
    if scale is Scale.time:
        return "'" + str(np.datetime64(min(max(whole, 0), _US_A_DAY - 1), "us"))[11:] + "'"
    if scale is Scale.duration or not _FIRST_YEAR <= whole <= _LAST_YEAR:
        what = "durations" if scale is Scale.duration else "dates outside of the years 1 to 9999"
        raise ExportError(f"Column {column!r} holds {what}, which SQL has no common form of; make it a number.")
    return "'" + str(np.datetime64(whole, "us")).replace("T", " ") + "'"


def comment(text: str) -> str:
    """Return a comment line; what would end the line is shown as a blank."""
    return "-- " + "".join(mark if mark.isprintable() else " " for mark in text)


def balanced_sum(terms: Sequence[str]) -> str:
    """Return a sum whose brackets are as deep as the logarithm of its length: databases limit the depth."""
    parts = list(terms)
    while len(parts) > 1:
        parts = list(_pairs(parts))
    return parts[0]


def _pairs(parts: Sequence[str]) -> Iterator[str]:
    for i in range(0, len(parts), 2):
        yield f"({parts[i]} + {parts[i + 1]})" if i + 1 < len(parts) else parts[i]


def _plain(text: str, what: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ExportError(f"{what} {text!r:.60} is no valid Unicode, which SQL needs.") from None
    if "\0" in text:
        raise ExportError(f"{what} {text!r:.60} has a zero byte, which SQL has no form of.")
    return text
