# SPDX-License-Identifier: BSD-3-Clause
"""Names, text, numbers, dates and times as SQL literals, so that no value is read as SQL."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from bayesieve.data import Scale, is_number
from bayesieve.exceptions import ExportError

__all__ = ["ROUNDED", "balanced_sum", "class_label", "comment", "identifier", "label", "moment", "number", "points"]

_MOST_DIGITS = 4  # of points
ROUNDED = 2.0**-39
"""Largest error of points with few decimals; the model's are a difference of two multiples of 2^-40."""
_MICROSECONDS_PER_DAY = 86_400_000_000
_FIRST_YEAR, _LAST_YEAR = (np.datetime64(day, "us").astype(np.int64).item() for day in ("0001-01-01", "9999-12-31"))


def identifier(name: str) -> str:
    """Return a quoted name."""
    if not name:
        raise ExportError("A column or the table has an empty name, which most databases refuse; rename it before fit.")
    return _quoted(name, '"', "The name")


def number(value: float) -> str:
    """Return the shortest decimal that is equal to a double.

    The exponent makes it a double where decimals are a separate type.
    """
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"


def points(value: float) -> str:
    """Return points as a scorecard shows them: with few decimals, if these differ by no more than `ROUNDED`."""
    shown = (round(float(value), digits) for digits in range(_MOST_DIGITS + 1))
    return number(next((each for each in shown if abs(each - value) <= ROUNDED), value))


def label(value: Any, column: str) -> str:
    """Return a value of a column of categories."""
    if isinstance(value, bool | np.bool_):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return _quoted(value, "'", f"A value of the column {column!r}")
    if is_number(value):
        return number(value)
    raise ExportError(
        f"Column {column!r} has the value {value!r:.60} of type {type(value).__name__}, which standard SQL cannot "
        "express; make such values strings before fit."
    )


def class_label(value: Any) -> str:
    """Return a class; a whole number is an integer, as in the target."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if whole else label(value, "predicted")


def moment(microseconds: float, scale: Scale, column: str) -> str:
    """Return a date or a time of day as text whose order is that of time.

    Compared with a column as text: a shorter text that agrees comes first, so that days, seconds and fractions of
    seconds have one order.
    """
    rounded = int(np.floor(microseconds))
    if scale is Scale.time:
        return "'" + str(np.datetime64(min(max(rounded, 0), _MICROSECONDS_PER_DAY - 1), "us"))[11:] + "'"
    if scale is Scale.duration or not _FIRST_YEAR <= rounded <= _LAST_YEAR:
        what = "durations" if scale is Scale.duration else "dates outside of the years 1 to 9999"
        raise ExportError(f"Column {column!r} holds {what}, which standard SQL cannot express; make it a number.")
    return "'" + str(np.datetime64(rounded, "us")).replace("T", " ") + "'"


def comment(text: str) -> str:
    """Return a comment line; characters that would end the line become blanks."""
    return "-- " + "".join(mark if mark.isprintable() else " " for mark in text)


def balanced_sum(terms: Sequence[str]) -> str:
    """Return a sum nested only as deep as the logarithm of its length, because databases limit the depth."""
    sums = list(terms)
    while len(sums) > 1:
        sums = list(_pairs(sums))
    return sums[0]


def _pairs(terms: Sequence[str]) -> Iterator[str]:
    for i in range(0, len(terms), 2):
        yield f"({terms[i]} + {terms[i + 1]})" if i + 1 < len(terms) else terms[i]


def _quoted(text: str, quote: str, what: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ExportError(f"{what} {text!r:.60} is not valid Unicode, which SQL needs.") from None
    if "\0" in text:
        raise ExportError(f"{what} {text!r:.60} has a zero byte, which SQL cannot express.")
    if text.endswith("\\") or f"\\{quote}" in text:
        raise ExportError(
            f"{what} {text!r:.60} has a backslash before a quote or at its end, where some databases would read what "
            "follows as SQL; replace it before fit."
        )
    return quote + text.replace(quote, quote * 2) + quote
