# SPDX-License-Identifier: BSD-3-Clause
"""Numbers as people write them: with a percent sign, a currency, thousands separators or a decimal comma."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw

__all__ = ["DECIMAL_COMMA", "FORMS", "NumberForm", "best_form", "common_form", "convert", "without_marks"]

_DIGITS = r"[0-9]+"
_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_GROUPED = r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?"
_SPACED = r"[+-]?[0-9]{1,3}(?:[ '\u2019\u00a0\u202f][0-9]{3})+(?:\.[0-9]+)?"
_COMMA = r"[+-]?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+),[0-9]+"
_POINTS = r"[+-]?[0-9]{1,3}(?:\.[0-9]{3})+"
_SIGNS = r"(?:[$€£¥]|EUR|USD|GBP|CHF|JPY)"
_DATE = r"^[0-9]{1,2}[/.-][0-9]{1,2}[/.-](?:[0-9]{4}|[0-9]{2})(?:[ T].*)?$"
_LEADING_ZERO = r"^[^0-9]*0[0-9]"


@dataclass(frozen=True)
class NumberForm:
    """A way to write numbers.

    Attributes
    ----------
    name : str
        In words.
    pattern : str
        Regular expression of a whole value.
    replacements : sequence of pairs of str
        What turns a value into a plain number: regular expressions, and their replacements.
    decimal : str
        The decimal mark of files that have this form; empty where it does not matter.
    sure : bool
        Whether a column in which each value has this form holds numbers for certain.
    """

    name: str
    pattern: str
    replacements: Sequence[tuple[str, str]] = ()
    decimal: str = ""
    sure: bool = True


def _with_sign(body: str) -> str:
    return rf"^(?:[+-]?{_SIGNS}\s?(?:{body})|(?:{body})\s?{_SIGNS})$"


DECIMAL_COMMA = NumberForm(
    "numbers with a decimal comma",
    rf"^(?:{_COMMA}|{_POINTS}|[+-]?{_DIGITS})$",
    ((r"\.", ""), (",", ".")),
    ",",
    sure=False,
)
"""Numbers such as 1.234,5; without a comma, 1.234 may be either."""

FORMS = (
    NumberForm("numbers", rf"^(?:{_NUMBER})$"),
    NumberForm("percentages", rf"^(?:{_NUMBER})\s?%$", ((r"\s?%", ""),)),
    NumberForm("amounts with a currency", _with_sign(f"{_GROUPED}|{_NUMBER}"), ((rf"\s?{_SIGNS}\s?|,", ""),), "."),
    NumberForm("numbers with thousands separators", rf"^(?:{_GROUPED}|{_NUMBER})$", ((",", ""),), "."),
    NumberForm("numbers with thousands separators", rf"^(?:{_SPACED}|{_NUMBER})$", ((r"[ '\u2019\u00a0\u202f]", ""),)),
    NumberForm("percentages", rf"^(?:{_COMMA}|{_DIGITS})\s?%$", ((r"\s?%|\.", ""), (",", ".")), ","),
    NumberForm(
        "amounts with a currency",
        _with_sign(f"{_COMMA}|{_POINTS}|{_DIGITS}"),
        ((rf"\s?{_SIGNS}\s?|\.", ""), (",", ".")),
        ",",
    ),
    DECIMAL_COMMA,
)
"""Ways to write numbers; the earlier one is taken where two fit equally."""


def best_form(text: nw.Series[Any], decimal: str = ".") -> tuple[NumberForm, nw.Series[Any]] | None:
    """Return the form that most values have, and which values have it; None if none is a number.

    Parameters
    ----------
    text : Series of str
        Stripped values, without missing ones.
    decimal : str
        The decimal mark of the file: of two forms that fit equally, the one with this mark is taken.
    """
    distinct = text.unique()
    some, all_dates = distinct.str.contains("[0-9]").any(), distinct.str.contains(_DATE).all()
    if not some or all_dates or distinct.str.contains(_LEADING_ZERO).any():
        return None
    best, most = None, 0
    for form in sorted(FORMS, key=lambda form: form.decimal not in ("", decimal)):
        if not distinct.str.contains(form.pattern).any():
            continue
        matches = text.str.contains(form.pattern)
        if (n := int(matches.sum())) > most:
            best, most = (form, matches), n
    return best


def common_form(text: nw.Series[Any], decimal: str = ".") -> NumberForm | None:
    """Return the form that every value has, if it is the file's and it is certain."""
    first = text.head(1).to_list()  # it tells most columns of labels
    if first and not any(re.search(form.pattern, str(first[0])) for form in FORMS):
        return None
    found = best_form(text, decimal)
    if found is None or not found[1].all():
        return None
    form = found[0]
    return form if form.decimal in ("", decimal) and (form.sure or decimal == form.decimal) else None


def without_marks(text: nw.Series[Any], form: NumberForm) -> nw.Series[Any]:
    """Return values that have a form as plain numbers, in text."""
    for pattern, replacement in form.replacements:
        text = text.str.replace_all(pattern, replacement)
    return text


def convert(text: nw.Series[Any], form: NumberForm) -> nw.Series[Any]:
    """Return the numbers of values that have a form."""
    return without_marks(text, form).cast(nw.Float64)
