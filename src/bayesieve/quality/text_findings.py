# SPDX-License-Identifier: BSD-3-Clause
"""Text columns that were perhaps meant as numbers or dates, or whose labels differ in spelling only."""

from collections.abc import Iterator

from bayesieve.data import TextSurvey
from bayesieve.quality.finding import Finding, quote

__all__ = ["find_in_text"]

_NEARLY = 0.9
_SHOWN = 3
_COERCE = "--coerce makes them missing, and --na TEXT or --na COLUMN=TEXT marks a text as missing"


def find_in_text(name: str, survey: TextSurvey, example: str) -> Iterator[Finding]:
    """Yield what is found in a text column."""
    n_values = survey.n_values
    if not n_values:
        return
    if survey.n_numbers == n_values:
        message = f"its values are {survey.form} as text, such as {quote([example])}; it is read as categories"
        yield Finding("numbers as text", name, message, "--coerce reads them as numbers")
    elif survey.n_numbers >= _NEARLY * n_values:
        (row, cell), *_ = survey.cells
        rest = [value for value in survey.others if value != cell]
        more = f", also {quote(rest[:_SHOWN])}{' and others' if len(rest) > _SHOWN else ''}" if rest else ""
        message = (
            f"{survey.n_numbers:,} of {n_values:,} values are {survey.form}, but row {row} has {quote([cell])}{more}; "
            "it is read as categories"
        )
        yield Finding("nearly numeric", name, message, _COERCE, survey.cells)
    elif survey.n_dates >= _NEARLY * n_values:
        message = (
            f"{survey.n_dates:,} of {n_values:,} values look like dates, such as {quote([example])}, but are text; "
            "it is read as categories"
        )
        advice = "in a text file, write every date as 2020-12-31; in others, store dates"
        yield Finding("dates as text", name, message, advice)
    if survey.spellings:
        message = f"{quote(survey.spellings[:_SHOWN])} differ in case or blanks only and are different categories"
        yield Finding("spelling", name, message)
