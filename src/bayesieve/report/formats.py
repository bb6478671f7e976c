# SPDX-License-Identifier: BSD-3-Clause
"""Values as a report writes them: numbers on the page and in JSON, class labels, times."""

from collections.abc import Iterable
from datetime import datetime
from math import isfinite
from typing import Any

import numpy as np

__all__ = [
    "count",
    "decimal",
    "digits",
    "format_counts",
    "format_label",
    "interval",
    "percent",
    "plural",
    "probability",
    "rounded",
    "score",
    "score_error",
    "show_time",
    "signed",
    "small",
]

_NONE = "–"


def rounded(value: Any, n_digits: int = 6) -> Any:
    """Return a number, or each number of an array of any shape, with six digits; None for what is not finite."""
    if isinstance(value, np.ndarray):
        return [rounded(each, n_digits) for each in value.tolist()] if value.ndim == 1 else [*map(rounded, value)]
    if value is None or not isfinite(value):
        return None
    return float(f"{value:.{n_digits}g}")


def format_label(label: Any) -> str:
    """Return a class label, or another value of a table, as people write it: 1 and not 1.0."""
    return f"{label:.10g}" if isinstance(label, float) else str(label)


def format_counts(counts: Iterable[tuple[str, float]]) -> str:
    """Return the number of rows of each label: "9 no, 4 yes", and where labels are numbers, "9 of class 0".

    Examples
    --------
    >>> format_counts([("no", 2653), ("yes", 347)])
    '2,653 no, 347 yes'
    >>> format_counts([("0", 500), ("1", 268)])
    '500 of class 0, 268 of class 1'
    """
    pairs = list(counts)
    of_class = "of class " if any(label[:1] in "+-.0123456789" for label, _ in pairs) else ""
    return ", ".join(f"{n:,.0f} {of_class}{label}" for label, n in pairs)


def decimal(value: float | None, n_digits: int = 4) -> str:
    """Return a number with this many decimal places."""
    return _NONE if value is None else f"{value:.{n_digits}f}"


def digits(value: float | None, n_digits: int = 3) -> str:
    """Return a number with this many significant digits, in plain notation."""
    if value is None:
        return ""
    if value == 0 or abs(value) >= 10**n_digits:
        return f"{value:,.0f}"
    return f"{value:.{n_digits}g}" if abs(value) >= 1e-4 else "< 0.0001" if value > 0 else "0"


def small(value: float | None) -> str:
    """Return a number with four decimal places; one that is too small for them is called so."""
    if value is None:
        return ""
    return "< 0.0001" if 0 < value < 0.00005 else f"{value + 0.0:.4f}".replace("-0.0000", "0.0000")


def percent(value: float | None, n_digits: int = 1) -> str:
    """Return a share as a percentage."""
    return _NONE if value is None else f"{100 * value:.{n_digits}f}%"


def interval(low: float, high: float) -> str:
    """Return the ends of an interval of shares, as percentages."""
    return f"{100 * low:.1f}–{100 * high:.1f}%"


def count(value: float) -> str:
    """Return a number of rows, with separators of thousands."""
    return f"{value:,.2f}".rstrip("0").rstrip(".") if value % 1 else f"{int(value):,}"


def signed(value: float | None, n_digits: int = 2) -> str:
    """Return a number with its sign."""
    if value is None:
        return _NONE
    shown = f"{value:+.{n_digits}f}"
    return shown[1:] if float(shown) == 0 else shown


def probability(value: float) -> str:
    """Return a probability with four significant digits, of its complement where that is small."""
    if value in (0, 1):
        return f"{value:.0f}"
    if value < 0.001:
        return f"{value:.1e}".replace("e-0", "e-")
    return f"{value:.{6 if value > 0.99 else 4}g}"


def score(name: str, value: float | None) -> str:
    """Return the score of a metric."""
    return percent(value) if name == "accuracy" else decimal(value)


def score_error(name: str, value: float) -> str:
    """Return the standard error of a metric's score; a small one has one more digit."""
    return percent(value, 2) if name == "accuracy" and 0 < value < 0.00095 else score(name, value)


def show_time(text: str) -> str:
    """Return a time in UTC of a model file, to the minute."""
    try:
        return f"{datetime.fromisoformat(text):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return text


def plural(n: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
