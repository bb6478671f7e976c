# SPDX-License-Identifier: BSD-3-Clause
"""Profiles of the columns of a data frame: kind, counts, and what the values look like.

The survey of a column has examples, numbers and dates written as text, spellings, and infinite values.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import InvalidOperation
from itertools import repeat
from typing import Any

import narwhals as nw
import numpy as np
from scipy.sparse import issparse

from bayesieve._typing import Floats, Ints
from bayesieve.data.column import Column
from bayesieve.data.frames import IndexedFrame, build_frame, eager_frame, is_dask, is_frame
from bayesieve.data.number_text import best_form
from bayesieve.data.table import read_table
from bayesieve.exceptions import DataError

__all__ = [
    "ColumnProfile",
    "ColumnSurvey",
    "TextSurvey",
    "column_kinds",
    "count_copied_rows",
    "countable_frame",
    "find_equal_floats",
    "profile_columns",
    "survey_columns",
]


@dataclass(frozen=True)
class ColumnProfile:
    """Kind and counts of a column.

    Attributes
    ----------
    name : str
        Its name.
    kind : {"integer", "number", "category", "time"}
        How its values are read; times are dates, durations and times of day.
    n_missing : int
        Number of rows without a value.
    n_distinct : int
        Number of distinct values that are not missing.
    is_identifier : bool
        Whether each row has a different integer or text.
    """

    name: str
    kind: str
    n_missing: int
    n_distinct: int
    is_identifier: bool


def profile_columns(X: Any, names: Sequence[str] = ()) -> list[ColumnProfile]:
    """Return the profile of each column of a data frame, or of a sparse matrix, whose columns have these names."""
    if hasattr(X, "tocsc"):
        return [_profile_sparse(X.tocsc()[:, [j]], name) for j, name in enumerate(names)]
    frame = _known_types(eager_frame(X.whole if isinstance(X, IndexedFrame) else X))
    if not isinstance(X, IndexedFrame):
        return [_comparable_profile(frame.get_column(name)) for name in frame.columns]
    columns = zip(X.table, frame.schema.items(), strict=True)
    return [
        _profile_indexed(str(name), dtype, column)
        if _has_exact_index(dtype, column)
        else _profile(_known_types(eager_frame(X)).get_column(name))
        for column, (name, dtype) in columns
    ]


def _comparable_profile(series: nw.Series[Any]) -> ColumnProfile:
    try:
        return _profile(series)
    except InvalidOperation:
        name = series.name
        raise DataError(f"Column {name!r} has the decimal number sNaN, which cannot be compared; use NaN.") from None


def _has_exact_index(dtype: Any, column: Column) -> bool:
    """Return whether the labels of a column are its values: floats do not have all integers, times become floats."""
    if dtype.is_integer():
        return len(column.labels) == 0 or max(abs(column.labels[0]), abs(column.labels[-1])) < 2**53
    return bool(dtype.is_float() or dtype == nw.String)


def _profile_indexed(name: str, dtype: Any, column: Column) -> ColumnProfile:
    n_missing = int(np.count_nonzero(column.ids == len(column.labels)))
    return _describe(name, _kind(dtype), len(column.ids), n_missing, len(column.labels))


def _known_types(frame: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """Return a frame in the byte order of this machine, the only one whose numbers pandas counts and narwhals knows."""
    if not frame.implementation.is_pandas():
        return frame
    native = frame.to_native()
    swapped = {
        name: dtype.newbyteorder("=")
        for name, dtype in native.dtypes.items()
        if isinstance(dtype, np.dtype) and not dtype.isnative
    }
    return nw.from_native(native.astype(swapped)) if swapped else frame


def _profile_sparse(column: Any, name: str) -> ColumnProfile:
    """Return the profile of a column whose rows without an entry are 0."""
    missing = np.isnan(column.data)
    distinct = np.unique(np.append(column.data[~missing], [0.0] * (column.nnz < column.shape[0])))
    is_integer = bool((distinct % 1 == 0).all())
    return ColumnProfile(name, "integer" if is_integer else "number", int(missing.sum()), len(distinct), False)


def find_equal_floats(X: Any, columns: Sequence[int]) -> list[int]:
    """Return which of some columns, each a single number as float64, are integers that differ."""
    if isinstance(X, np.ndarray):
        return [j for j in columns if X.dtype.kind in "iu" and (X[:, j] != X[0, j]).any()]
    if issparse(X) or not is_frame(X) or is_dask(X):
        return []
    frame = eager_frame(X)
    series = {j: frame.get_column(frame.columns[j]).drop_nulls() for j in columns}
    whole = {j: each for j, each in series.items() if each.dtype.is_integer() and len(each)}
    return [j for j, each in whole.items() if each.min() != each.max()]


def column_kinds(X: Any) -> list[str]:
    """Return the kind of each column, without reading its values."""
    return [_kind(dtype) for dtype in _known_types(eager_frame(X)).schema.values()]


def countable_frame(X: Any) -> Any:
    """Return a data frame of the table in a library that counts its values: polars does not count Python objects."""
    if is_frame(X) and not _has_objects_of_polars(X):
        return X
    table = read_table(X)
    return build_frame({name: list(table.values(j)) for j, name in enumerate(table.names)})


def _has_objects_of_polars(X: Any) -> bool:
    frame = eager_frame(X)
    return frame.implementation.is_polars() and any(dtype == nw.Object for dtype in frame.schema.values())


def _profile(series: nw.Series[Any]) -> ColumnProfile:
    dtype = series.dtype
    n_missing = n_null = int(series.null_count())
    if dtype.is_float():
        n_missing = int(np.isnan(np.asarray(series.to_numpy(), dtype=np.float64)).sum())
        # Nulls and NaN, where a library tells them apart, are one value each.
        n_distinct = int(series.n_unique()) - (n_null > 0) - (n_missing > n_null)
    else:
        n_distinct = int((series.drop_nulls() if n_null else series).n_unique())
    return _describe(str(series.name), _kind(dtype), len(series), n_missing, n_distinct)


def _describe(name: str, kind: str, n_rows: int, n_missing: int, n_distinct: int) -> ColumnProfile:
    is_unique = n_distinct == n_rows - n_missing and n_missing <= n_rows // 20 and n_distinct > 20
    return ColumnProfile(name, kind, n_missing, n_distinct, is_unique and kind in ("integer", "category"))


def _kind(dtype: Any) -> str:
    if dtype.is_integer():
        return "integer"
    if dtype.is_numeric():
        return "number"
    return "time" if dtype.is_temporal() else "category"


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
    columns = iter(X.table) if isinstance(X, IndexedFrame) else repeat(None)
    return [_survey(frame.get_column(name), column) for name, column in zip(frame.columns, columns, strict=False)]


def count_copied_rows(X: Any) -> int:
    """Return the number of rows that are copies of an earlier one."""
    frame = eager_frame(X)
    return len(frame) - len(frame.unique())


def _survey(series: nw.Series[Any], column: Column | None) -> ColumnSurvey:
    """Look at a column; its index, if there is one, has no infinite values."""
    dtype = series.dtype
    exact = column if column is not None and _has_exact_index(dtype, column) else None
    n_infinite = 0
    if dtype.is_float() and column is None:
        n_infinite = int(np.isinf(np.asarray(series.to_numpy(), dtype=np.float64)).sum())
    text = _survey_text(series, exact) if dtype == nw.String else None
    marker = None
    if dtype.is_numeric() and not n_infinite:
        marker = _find_marker(*(_count_numbers(series) if exact is None else _count_labels(series, exact)))
    return ColumnSurvey(str(series.name), _examples(series, exact), n_infinite, text, marker)


def _examples(series: nw.Series[Any], column: Column | None) -> tuple[str, ...]:
    """Return the first distinct values; the index of a column, if there is one, shows in which rows they are."""
    if column is not None:
        present = column.ids[: 2 * _HEAD] < len(column.labels)
        n_present = np.count_nonzero(present)
        n_null = series.head(2 * _HEAD).null_count()  # NaN is not null in every library
        if n_present >= _HEAD and n_present + n_null == len(present):
            ids = column.ids[: 2 * _HEAD][present][:_HEAD]
            places = np.sort(np.unique(ids, return_index=True)[1])[:_EXAMPLES]
            rows = np.flatnonzero(present)[places]
            return tuple(_shown(series[int(row)]) for row in rows)
    first = series.head(2 * _HEAD).drop_nulls()
    first = (first if len(first) >= _HEAD else series.drop_nulls()).head(_HEAD)
    return tuple(map(_shown, first.unique(maintain_order=True).head(_EXAMPLES).to_list()))


def _shown(value: Any) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _count_numbers(series: nw.Series[Any]) -> tuple[Floats, Ints, int]:
    """Return the distinct numbers, how often each occurs, and the number of values that are not null."""
    numbers = np.asarray(series.drop_nulls().to_numpy(), dtype=np.float64)  # Arrow casts no integers beyond 2^53
    return *np.unique(numbers[~np.isnan(numbers)], return_counts=True), len(numbers)


def _count_labels(series: nw.Series[Any], column: Column) -> tuple[Floats, Ints, int]:
    labels = np.asarray(column.labels)
    return labels, np.bincount(column.ids, minlength=len(labels))[: len(labels)], len(series) - series.null_count()


def _find_marker(values: Floats, counts: Ints, n_present: int) -> tuple[float, int, float] | None:
    """Return an extreme number that has many rows and lies far from all others, or is the only negative one.

    0, -1 and 999 for missing values are so. A largest value is far if it is outside by half of the range of the others:
    nearer ones are often natural limits, such as 100 %.
    """
    if len(values) < _FEW_VALUES:
        return None
    gaps, enough = np.diff(values), max(3, 0.005 * n_present)
    only_negative = values[0] < 0 <= values[1]
    if counts[0] >= enough and (only_negative or gaps[0] > _FAR * np.median(gaps[1:])):
        return float(values[0]), int(counts[0]), float(values[1])
    far = max(_FAR * float(np.median(gaps[:-1])), (values[-2] - values[0]) / 2)
    if counts[-1] >= enough and gaps[-1] > far:
        return float(values[-1]), int(counts[-1]), float(values[-2])
    return None


def _survey_text(series: nw.Series[Any], column: Column | None) -> TextSurvey:
    """Look at text; of an indexed column, at its distinct values, if none of them is a number."""
    if column is not None:
        labels = nw.new_series("label", list(column.labels), nw.String, backend=series.implementation)
        labels = labels.str.strip_chars()
        if len(labels) and best_form(labels) is None:
            return _survey_labels(labels, column)
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


def _survey_labels(labels: nw.Series[Any], column: Column) -> TextSurvey:
    """Return the same of labels that are not numbers, which are stripped."""
    texts: list[str] = labels.to_list()
    counts = np.bincount(column.ids, minlength=len(texts))[: len(texts)]
    present = np.flatnonzero(column.ids[: _CELLS * _HEAD] < len(texts))
    if len(present) < _CELLS:
        present = np.flatnonzero(column.ids < len(texts))
    cells = [(int(row) + 1, texts[column.ids[row]]) for row in present[:_CELLS]]
    first = np.full(len(texts) + 1, len(column.ids))
    first[column.ids[::-1]] = np.arange(len(column.ids) - 1, -1, -1)  # of several rows, the first is written last
    in_order = [texts[k] for k in np.argsort(first[:-1], kind="stable").tolist()]
    return TextSurvey(
        int(counts.sum()),
        "",
        0,
        tuple(dict.fromkeys(in_order))[:_CELLS],
        tuple(cells),
        int(counts[labels.str.contains(_DATE).to_numpy()].sum()),
        _spellings(labels),
    )


def _spellings(text: nw.Series[Any]) -> tuple[str, ...]:
    labels = [str(label) for label in text.unique().to_list()]
    if len(labels) > _MOST_LABELS:
        return ()
    folded = {label: " ".join(label.casefold().split()) for label in labels}
    same = [key for key, n in Counter(folded.values()).items() if n > 1]
    return tuple(sorted(label for label in labels if folded[label] == min(same))) if same else ()
