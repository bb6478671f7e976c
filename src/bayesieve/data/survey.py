# SPDX-License-Identifier: BSD-3-Clause
"""What the values of columns look like: examples, numbers and dates written as text, spellings, infinite values."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from bayesieve.data.frames import eager_frame
from bayesieve.data.number_text import best_form

__all__ = ["ColumnSurvey", "TextSurvey", "count_copied_rows", "survey_columns"]

_EXAMPLES = 3
_CELLS = 10
_HEAD = 1000  # values among which examples are found
_FEW_VALUES = 10  # too few to know which gap is large
_FAR = 5  # times the median gap between neighboring values
_MOST_LABELS = 10_000  # whose spelling is compared
_DATE = r"^[0-9]{1,4}[/.-][0-9]{1,2}[/.-](?:[0-9]{4}|[0-9]{1,2})(?:[ T].*)?$"


@dataclass(frozen=True)
class TextSurvey:
    """The values of a text column.

    Attributes
    ----------
    n_values : int
        Number of values that are not missing.
    form : str
        The most frequent form of numbers, such as "percentages"; empty if no value is a number.
    n_numbers : int
        Number of values of this form.
    others : tuple of str
        Some of the other values, each once.
    cells : tuple of (int, str)
        Some of the cells with other values: the row, counted from 1, and the text.
    n_dates : int
        Number of values that look like dates.
    spellings : tuple of str
        Labels that differ in case or blanks only; empty if there are none.
    """

    n_values: int
    form: str
    n_numbers: int
    others: tuple[str, ...]
    cells: tuple[tuple[int, str], ...]
    n_dates: int
    spellings: tuple[str, ...]


@dataclass(frozen=True)
class ColumnSurvey:
    """Some values of a column, the number of infinite ones, more about text, and a number that may mark missing values.

    ``marker`` has the smallest or largest number, its number of rows, and the number next to it, if the first occurs
    in many rows and is far from the second.
    """

    name: str
    examples: tuple[str, ...]
    n_infinite: int
    text: TextSurvey | None
    marker: tuple[float, int, float] | None = None


def survey_columns(X: Any) -> list[ColumnSurvey]:
    """Look at the values of each column."""
    frame = eager_frame(X)
    return [_survey(frame.get_column(name)) for name in frame.columns]


def count_copied_rows(X: Any) -> int:
    """Return the number of rows that are copies of an earlier one."""
    frame = eager_frame(X)
    return len(frame) - len(frame.unique())


def _survey(series: nw.Series[Any]) -> ColumnSurvey:
    dtype = series.dtype
    examples = series.drop_nulls().head(_HEAD).unique(maintain_order=True).head(_EXAMPLES).to_list()
    shown = tuple(f"{value:.10g}" if isinstance(value, float) else str(value) for value in examples)
    n_infinite = int(np.isinf(np.asarray(series.to_numpy(), dtype=np.float64)).sum()) if dtype.is_float() else 0
    text = _survey_text(series) if dtype == nw.String else None
    marker = _find_marker(series) if dtype.is_numeric() and not n_infinite else None
    return ColumnSurvey(str(series.name), shown, n_infinite, text, marker)


def _find_marker(series: nw.Series[Any]) -> tuple[float, int, float] | None:
    """Return an extreme number that has many rows and lies far from all others, or is the only negative one.

    0, -1 and 999 for missing values are so. A largest value is far if it is outside by half of the range of the others:
    nearer ones are often natural limits, such as 100 %.
    """
    numbers = np.asarray(series.drop_nulls().to_numpy(), dtype=np.float64)  # Arrow casts no integers beyond 2^53
    values, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    if len(values) < _FEW_VALUES:
        return None
    gaps, enough = np.diff(values), max(3, 0.005 * len(numbers))
    only_negative = values[0] < 0 <= values[1]
    if counts[0] >= enough and (only_negative or gaps[0] > _FAR * np.median(gaps[1:])):
        return float(values[0]), int(counts[0]), float(values[1])
    far = max(_FAR * float(np.median(gaps[:-1])), (values[-2] - values[0]) / 2)
    if counts[-1] >= enough and gaps[-1] > far:
        return float(values[-1]), int(counts[-1]), float(values[-2])
    return None


def _survey_text(series: nw.Series[Any]) -> TextSurvey:
    rows = nw.new_series("row", np.arange(1, len(series) + 1), backend=series.implementation)
    present = ~series.is_null()
    text, rows = series.filter(present).str.strip_chars(), rows.filter(present)
    found = best_form(text) if len(text) else None
    form, n_numbers, others = "", 0, text
    if found is not None:
        form, n_numbers = found[0].name, int(found[1].sum())
        others, rows = text.filter(~found[1]), rows.filter(~found[1])
    return TextSurvey(
        len(text),
        form,
        n_numbers,
        tuple(map(str, others.unique(maintain_order=True).head(_CELLS).to_list())),
        tuple(zip(rows.head(_CELLS).to_list(), map(str, others.head(_CELLS).to_list()), strict=True)),
        int(text.str.contains(_DATE).sum()) if len(text) else 0,
        _spellings(text),
    )


def _spellings(text: nw.Series[Any]) -> tuple[str, ...]:
    labels = [str(label) for label in text.unique().to_list()]
    if len(labels) > _MOST_LABELS:
        return ()
    folded = {label: " ".join(label.casefold().split()) for label in labels}
    same = [key for key, n in Counter(folded.values()).items() if n > 1]
    return tuple(sorted(label for label in labels if folded[label] == min(same))) if same else ()
