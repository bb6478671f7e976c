# SPDX-License-Identifier: BSD-3-Clause
"""The order of categories that are ranges of numbers, such as "1 - 10%", "< 500" and "5000+", or have numbers."""

import re
from collections.abc import Iterable
from itertools import pairwise
from math import inf, isinf
from typing import Any, Final

__all__ = ["order_of_numbered", "order_of_ranges"]

_FEWEST: Final = 3  # labels
_NUMBER: Final = r"[-+]?\d+(?:[,']\d{3})*(?:\.\d+)?|[-+]?\.\d+"
_UNIT: Final = r"\s*(?:%|[a-zA-Z€$£¥]{0,8})\s*"
_SIGN: Final = r"[€$£¥]?\s*"
_BETWEEN: Final = re.compile(rf"{_SIGN}({_NUMBER}){_UNIT}(?:-|–|—|/|\.\.|to)\s*{_SIGN}({_NUMBER}){_UNIT}")
_BELOW: Final = re.compile(rf"(?:<=?|≤|under|below|up to|less than)\s*{_SIGN}({_NUMBER}){_UNIT}", re.IGNORECASE)
_ABOVE: Final = re.compile(
    rf"(?:>=?|≥|over|above|more than|from)\s*{_SIGN}({_NUMBER}){_UNIT}"
    rf"|{_SIGN}({_NUMBER}){_UNIT}(?:\+|or more|and more|and over)",
    re.IGNORECASE,
)
_SINGLE: Final = re.compile(rf"{_SIGN}({_NUMBER}){_UNIT}")
_NUMBERED: Final = re.compile(r"(\d+)\s*[-–.:)]\s*[^\W\d]\D*")
_NOTHING: Final = frozenset({"0", "no", "none", "never", "zero", "nothing"})


def order_of_ranges(labels: Iterable[Any]) -> tuple[str, ...] | None:
    """Return labels in the order of their ranges, or None unless all are ranges or numbers that do not overlap.

    >>> order_of_ranges(["11 - 23%", "> 50%", "none", "1 - 10%", "24 - 50%"])
    ('none', '1 - 10%', '11 - 23%', '24 - 50%', '> 50%')
    >>> order_of_ranges(["1", "2", "< 1", "> 2"])
    ('< 1', '1', '2', '> 2')
    """
    texts = [label for label in labels if isinstance(label, str)]
    ranges = {text: _range_of(text.strip()) for text in texts}
    known = {text: own for text, own in ranges.items() if own is not None}
    n_wide = sum(low < high for low, high in known.values())
    open_end = any(isinf(low) or isinf(high) for low, high in known.values())
    if len(known) < len(ranges) or len(known) < _FEWEST or not (open_end or 2 * n_wide >= len(known)):
        return None
    order = sorted(known, key=lambda text: known[text])
    ends = [known[text] for text in order]
    overlap = any(after[0] < before[1] or after == before for before, after in pairwise(ends))
    return None if overlap else tuple(order)


def order_of_numbered(labels: Iterable[Any]) -> tuple[str, ...] | None:
    """Return labels in the order of the numbers before their words, or None unless all have one of their own.

    >>> order_of_numbered(["2-High", "1-Highest", "3-Good"])
    ('1-Highest', '2-High', '3-Good')
    """
    texts = [label for label in labels if isinstance(label, str)]
    matches = {text: _NUMBERED.fullmatch(text.strip()) for text in texts}
    numbers = {text: int(match[1]) for text, match in matches.items() if match}
    if len(texts) < _FEWEST or len(numbers) < len(texts) or len(set(numbers.values())) < len(texts):
        return None
    return tuple(sorted(texts, key=lambda text: numbers[text]))


def _range_of(text: str) -> tuple[float, float] | None:
    """Return the ends of a range; of a number, twice the number."""
    if text[:1] in ("[", "(") and text[-1:] in ("]", ")"):  # the ends of an interval
        text = text[1:-1].strip().replace(", ", " - ")
    if text.casefold() in _NOTHING:
        return 0.0, 0.0
    if match := _BETWEEN.fullmatch(text):
        low, high = _number(match[1]), _number(match[2])
        return (low, high) if low <= high else None
    if match := _BELOW.fullmatch(text):
        return -inf, _number(match[1])
    if match := _ABOVE.fullmatch(text):
        return _number(match[1] or match[2]), inf
    if match := _SINGLE.fullmatch(text):
        return _number(match[1]), _number(match[1])
    return None


def _number(text: str) -> float:
    return float(text.replace(",", "").replace("'", ""))
