# SPDX-License-Identifier: BSD-3-Clause
"""Profiles of the columns of a data frame: kind, number of missing values and of distinct values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from scipy.sparse import issparse

from bayesieve.data.column import Column
from bayesieve.data.frames import build_frame, eager_frame, is_dask, is_frame
from bayesieve.data.indexed_frame import IndexedFrame
from bayesieve.data.table import read_table

__all__ = [
    "ColumnProfile",
    "column_kinds",
    "countable_frame",
    "find_equal_floats",
    "has_exact_index",
    "profile_columns",
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
        return [_profile(frame.get_column(name)) for name in frame.columns]
    columns = zip(X.table, frame.schema.items(), strict=True)
    return [
        _profile_indexed(str(name), dtype, column)
        if has_exact_index(dtype, column)
        else _profile(_known_types(eager_frame(X)).get_column(name))
        for column, (name, dtype) in columns
    ]


def has_exact_index(dtype: Any, column: Column) -> bool:
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
    series = {j: frame.get_column(frame.columns[j]) for j in columns}
    return [j for j, each in series.items() if each.dtype.is_integer() and each.min() != each.max()]


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
