# SPDX-License-Identifier: BSD-3-Clause
"""Profiles of the columns of a data frame: kind, number of missing values and of distinct values."""

from dataclasses import dataclass
from typing import Any

import narwhals as nw

from bayesieve.data.frames import eager_frame

__all__ = ["ColumnProfile", "column_kinds", "profile_columns"]


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


def profile_columns(X: Any) -> list[ColumnProfile]:
    """Return the profile of each column."""
    frame = eager_frame(X)
    return [_profile(frame.get_column(name)) for name in frame.columns]


def column_kinds(X: Any) -> list[str]:
    """Return the kind of each column, without reading its values."""
    return [_kind(dtype) for dtype in eager_frame(X).schema.values()]


def _profile(series: nw.Series[Any]) -> ColumnProfile:
    dtype = series.dtype
    missing = series.is_null()
    if dtype.is_float():
        missing = missing | series.is_nan()
    n_missing = int(missing.sum())
    n_distinct = int((series.filter(~missing) if n_missing else series).n_unique())
    kind = _kind(dtype)
    is_unique = n_distinct == len(series) - n_missing and n_missing <= len(series) // 20 and n_distinct > 20
    return ColumnProfile(str(series.name), kind, n_missing, n_distinct, is_unique and kind in ("integer", "category"))


def _kind(dtype: Any) -> str:
    if dtype.is_integer():
        return "integer"
    if dtype.is_numeric():
        return "number"
    return "time" if dtype.is_temporal() else "category"
