# SPDX-License-Identifier: BSD-3-Clause
"""Values as a report writes them: numbers on the page and in JSON, class labels, times."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from math import isfinite
from typing import Any

import numpy as np

__all__ = [
    "SHARES",
    "area",
    "count",
    "decimal",
    "digits",
    "format_counts",
    "format_label",
    "interval",
    "join_words",
    "money",
    "no_features",
    "percent",
    "plural",
    "probability",
    "rounded",
    "rows_left_out",
    "score",
    "score_error",
    "show_time",
    "signed",
    "small",
    "upper_end",
]

_NONE = "–"
SHARES = ("accuracy", "recall", "precision")
"""Metrics that are shares of rows, which are written as percentages."""


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


def format_counts(counts: Iterable[tuple[str, float]], most: int = 10) -> str:
    """Return the number of rows of each label: "9 no, 4 yes", and where labels are numbers, "9 of class 0".

    Labels beyond the first ``most`` are counted.

    Examples
    --------
    >>> format_counts([("no", 2653), ("yes", 347)])
    '2,653 no, 347 yes'
    >>> format_counts([("0", 500), ("1", 268)])
    '500 of class 0, 268 of class 1'
    >>> format_counts([("0", 500), ("1", 268), ("2", 9)], most=2)
    '500 of class 0, 268 of class 1 and 1 more class'
    """
    pairs = list(counts)
    of_class = "of class " if any(label[:1] in "+-.0123456789" for label, _ in pairs) else ""
    shown = ", ".join(f"{n:,.0f} {of_class}{label}" for label, n in pairs[:most])
    n_more = len(pairs) - most
    return shown + (f" and {n_more:,} more {'class' if n_more == 1 else 'classes'}" if n_more > 0 else "")


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
    if value is None:
        return _NONE
    shown = f"{100 * value:.{n_digits}f}%"
    return shown.removeprefix("-") if not float(shown[:-1]) else shown


def interval(low: float, high: float) -> str:
    """Return the ends of an interval of shares, as percentages."""
    return f"{100 * low:.1f}–{100 * high:.1f}%"


def join_words(words: Sequence[str]) -> str:
    """Return a list in a sentence: "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


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
    if name == "profit":
        return _NONE if value is None else money(value)
    return percent(value) if name in SHARES else decimal(value)


def score_error(name: str, value: float) -> str:
    """Return the standard error of a metric's score; a small one has one more digit."""
    return percent(value, 2) if name in SHARES and 0 < value < 0.00095 else score(name, value)


def money(value: float) -> str:
    """Return an amount with its cents, and without those of a whole number."""
    shown = f"{value:,.2f}".removesuffix(".00")
    return "0" if shown == "-0" else shown


def show_time(text: str) -> str:
    """Return a time in UTC of a model file, to the minute."""
    try:
        return f"{datetime.fromisoformat(text):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return text


def area(value: float, n_digits: int = 3) -> str:
    """Return an area under a curve; one that is less than 1 has as many digits as show it, up to four."""
    shown = f"{value:.{n_digits}f}"
    if value < 1.0 <= float(shown):
        shown = f"{value:.4f}" if value < 0.99995 else "above 0.9999"
    return shown


def rows_left_out(n: int, target: str) -> str:
    """Return the sentence on rows without a class."""
    return f"{plural(n, 'row')} {'has' if n == 1 else 'have'} no {target!r} and {'is' if n == 1 else 'are'} left out."


def upper_end(bound: float) -> str:
    """Return the upper end of a group of probabilities; one that three decimal places hide has significant digits."""
    hidden = bound < 1.0 and not 0.001 <= bound <= 0.9985
    return probability(bound) if hidden else f"{bound:.3f}"


def no_features(n_columns: int) -> str:
    """Return how many columns may not be selected, to follow the number of the others; nothing if all are."""
    return f"; {n_columns:,} more {'is not a feature' if n_columns == 1 else 'are not features'}" if n_columns else ""


def plural(n: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
