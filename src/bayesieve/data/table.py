# SPDX-License-Identifier: BSD-3-Clause
"""Tables of any library, read as typed columns.

Integers, floats, dates and durations are ordered; booleans, strings and categoricals are nominal. NaN, null and NaT
are missing. Infinite values are refused.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from bayesieve.data.blocks.parquet_frame import ParquetFrame
from bayesieve.data.column import (
    Column,
    EncodedValues,
    Scale,
    index_columns,
    ordered_numbers,
    read_columns,
    refuse_infinite,
)
from bayesieve.data.column_batch import ColumnBatch, DenseBatch, compress_columns, read_sparse_batch
from bayesieve.data.frames import IndexedFrame, Reader, ReadValues, as_index, frame_columns, is_frame
from bayesieve.exceptions import DataError, ParameterError

__all__ = [
    "Table",
    "nearest_name",
    "read_table",
    "resolve_columns",
]

_BATCH = 1 << 20  # cells of a batch: as ids, 4 MiB
_MOST_COLUMNS = 1 << 12  # of a batch: each has a few small objects
_TOGETHER, _TILE = 16, 1 << 12  # columns and rows of an array that are transposed at a time, within the cache

_SHOWN, _LONGEST = 8, 40  # names in a message, and letters of a name


@dataclass(frozen=True)
class Table:
    """Named columns of one length; columns are read on access and not cached.

    ``read`` reads columns at some positions. ``numbers`` is the table itself if it is a numeric array or sparse matrix.
    """

    names: list[str]
    n_rows: int
    read: Reader
    numbers: Any = None

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.names)

    def renamed(self, names: Sequence[str]) -> "Table":
        """Return the same columns under other names."""
        return replace(self, names=list(names))

    def arranged(self, names: Sequence[str]) -> "Table":
        """Return the columns with these names, in this order; those that are absent cannot be read."""
        place = {name: j for j, name in enumerate(self.names)}

        def read(places: Sequence[int]) -> NDArray[Any] | list[ReadValues]:
            return self.read([place[names[j]] for j in places])

        return Table(list(names), self.n_rows, read)

    def column(self, j: int) -> Column:
        """Read one column."""
        return read_columns([self.names[j]], [self.get(j)])[0]

    def columns_at(self, places: Sequence[int]) -> list[Column]:
        """Read some columns, as many at a time as fit the cache: of few rows, one at a time takes longer."""
        step, columns = max(1, _BATCH // self.n_rows), list[Column]()
        for first in range(0, len(places), step):
            some = places[first : first + step]
            columns += read_columns([self.names[j] for j in some], _listed(self.read(some)))
        return columns

    def get(self, j: int) -> ReadValues:
        """Return the values of a column, and whether they are nominal."""
        return _listed(self.read([j]))[0]

    def values(self, j: int) -> NDArray[Any]:
        """Return a column's values as the table stores them."""
        values, _ = self.get(j)
        return values.expand() if isinstance(values, EncodedValues) else values

    def __iter__(self) -> Iterator[Column]:
        return (self.column(j) for j in range(self.n_columns))

    def column_numbers(self, columns: Sequence[int]) -> Iterator[tuple[NDArray[Any], Scale] | None]:
        """Yield columns as contiguous numbers of float32 or float64, NaN if missing, and their scale; None for labels.

        What is float32 stays so.
        """
        if not (isinstance(self.numbers, np.ndarray) and self.numbers.flags.c_contiguous):
            yield from (_contiguous_numbers(self.names[j], *self.get(j)) for j in columns)
            return
        dtype = np.float32 if self.numbers.dtype == np.float32 else np.float64
        for begin in range(0, len(columns), _TOGETHER):
            some: Any = list(columns[begin : begin + _TOGETHER])
            turned = np.empty((len(some), self.n_rows), dtype=dtype)
            some = slice(some[0], some[-1] + 1) if some[-1] - some[0] == len(some) - 1 else some
            for first in range(0, self.n_rows, _TILE):
                turned[:, first : first + _TILE] = self.numbers[first : first + _TILE, some].T
            yield from ((column, Scale.numeric) for column in turned)

    def copy_rows(self, rows: NDArray[np.intp]) -> "Table":
        """Return a table of some rows that stays as it is when this one is changed or gone."""
        values = self.numbers if self.numbers is not None else self.read(range(self.n_columns))
        if not isinstance(values, list):
            return read_table(values[rows], self.names)
        copies: list[ReadValues] = [
            (replace(column, positions=column.positions[rows]), nominal)
            if isinstance(column, EncodedValues)
            else (column[rows], nominal)
            for column, nominal in values
        ]
        return Table(self.names, len(rows), lambda places: [copies[j] for j in places])

    def is_ordered(self, j: int) -> bool:
        """Return whether a column holds numbers, dates or the like."""
        return self.numbers is not None or self.column(j).ordered

    def has_order(self, j: int) -> bool:
        """Return whether the values of a column have an order: numbers, and categories of a type that has one."""
        return self.is_ordered(j) or self.column(j).levels is not None

    def as_nominal(self, columns: Collection[int]) -> "Table":
        """Return the table with some columns declared nominal."""
        if not columns:
            return self

        def read(places: Sequence[int]) -> list[ReadValues]:
            typed = zip(places, _listed(self.read(places)), strict=True)
            return [(values, nominal or j in columns) for j, (values, nominal) in typed]

        return replace(self, read=read, numbers=None)

    def batches(self, n_threads: int = 1, n_labels: int = _BATCH) -> Iterator[tuple[int, ColumnBatch]]:
        """Read adjacent columns, as many at a time as fit the cache and have at most `n_labels` labels.

        Each batch comes with the position of its first column.
        """
        step = min(_MOST_COLUMNS, max(1, _BATCH // self._room))
        for first in range(0, self.n_columns, step):
            for place, batch in self.batch(first, min(first + step, self.n_columns), n_threads).split(n_labels):
                yield first + place, batch

    def batch(self, first: int, end: int, n_threads: int = 1) -> ColumnBatch:
        """Read the columns from ``first`` to ``end - 1``."""
        if issparse(self.numbers):
            return read_sparse_batch(self.numbers, self.names, first, end, n_threads)
        values = self.read(range(first, end))
        if not isinstance(values, np.ndarray):
            return DenseBatch.of(read_columns(self.names[first:end], values, n_threads), n_threads)
        labels, ids = index_columns(values.T, n_threads)
        names = self.names[first:end]
        for name, own in zip(names, labels, strict=True):
            refuse_infinite(name, own)
        return DenseBatch([*map(Column, names, labels, ids)], n_threads, ids)

    @property
    def _room(self) -> int:
        """Number of cells per column of a batch; for a sparse table, its mean number of entries and a few more."""
        return 8 + self.numbers.nnz // self.n_columns if issparse(self.numbers) else self.n_rows


def _listed(columns: NDArray[Any] | list[ReadValues]) -> list[ReadValues]:
    return [(column, False) for column in columns.T] if isinstance(columns, np.ndarray) else columns


def _contiguous_numbers(
    name: str, values: NDArray[Any] | EncodedValues, nominal: bool
) -> tuple[NDArray[Any], Scale] | None:
    if not nominal and isinstance(values, np.ndarray) and values.dtype == np.float32:
        return np.ascontiguousarray(values), Scale.numeric
    return ordered_numbers(name, values, nominal)


def read_table(X: Any, names: Sequence[str] | None = None) -> Table:
    """Open a pandas, polars or arrow table, or a two-dimensional array; ``names`` replace its column names."""
    numbers = None
    if isinstance(X, ParquetFrame):
        raise DataError("X is a ParquetFrame, but a table in memory is expected here; call X.read() first.")
    if isinstance(X, IndexedFrame):
        indexed: Table = X.table
        return indexed if names is None else indexed.renamed(names)
    if is_frame(X):
        column_names, n_rows, read = frame_columns(X)
    elif issparse(X):
        numbers = sparse = compress_columns(X)
        n_rows, column_names = X.shape[0], [f"x{j}" for j in range(X.shape[1])]

        def read(places: Sequence[int]) -> NDArray[Any]:
            return np.asarray(sparse[:, as_index(places)].toarray())

    else:
        array = _two_dimensional(X)
        column_names, n_rows = [f"x{j}" for j in range(array.shape[1])], len(array)
        numbers, read = (array if array.dtype.kind in "iuf" else None), _array_reader(array)
    shape = (n_rows, len(column_names))
    if not shape[1]:
        raise DataError(f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required.")
    if not shape[0]:
        raise DataError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
    return Table(column_names if names is None else list(names), n_rows, read, numbers)


def _array_reader(array: NDArray[Any]) -> Reader:
    def read(places: Sequence[int]) -> NDArray[Any] | list[ReadValues]:
        is_numeric = array.dtype.kind in "iuf"
        return array[:, as_index(places)] if is_numeric else [(array[:, j], False) for j in places]

    return read


def _two_dimensional(X: Any) -> NDArray[Any]:
    array = np.asarray(X)
    if array.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {array.ndim}D array instead: a table has rows and columns. "
            "Reshape your data with .reshape(-1, 1) if it has one column or .reshape(1, -1) if it has one row."
        )
    return array


def resolve_columns(columns: Any, names: Sequence[str], parameter: str, table: Any = None) -> list[int]:
    """Return the positions of the given columns, in table order and without duplicates.

    Parameters
    ----------
    columns : None, str, int, iterable of str or int, boolean mask, or callable
        A callable gets ``table``, the user's own data frame, and returns names or positions.
    names : sequence of str
        All column names.
    parameter : str
        The parameter that is being read, for messages.
    table : object
        The argument of the callable.
    """
    if columns is None:
        return []
    if isinstance(columns, Callable):  # type: ignore[arg-type]
        columns = columns(table)
    if isinstance(columns, str | Integral):
        columns = [columns]
    if not isinstance(columns, Iterable):
        raise ParameterError(f"{parameter} must be column names or positions, got {columns!r}.")
    entries = list(columns)
    if entries and all(isinstance(entry, bool | np.bool_) for entry in entries):
        if len(entries) != len(names):
            raise ParameterError(
                f"{parameter} is a mask of {len(entries)} entries; {len(names)} are expected, one per column."
            )
        return [j for j, entry in enumerate(entries) if entry]
    position = {name: j for j, name in enumerate(names)}
    return sorted({_position(entry, position, parameter) for entry in entries})


def _position(entry: Any, position: dict[str, int], parameter: str) -> int:
    n_columns = len(position)
    if isinstance(entry, Integral):
        if not -n_columns <= int(entry) < n_columns:
            raise ParameterError(f"{parameter} names column {entry}, but the table has {n_columns} columns.")
        return int(entry) % n_columns
    if not isinstance(entry, str) or entry not in position:
        near = nearest_name(str(entry), position)
        end = f"; did you mean {near!r}?" if near is not None else f"; its columns are {_first_names(list(position))}."
        raise ParameterError(f"{parameter} names the column {entry!r}, which the table does not have{end}")
    return position[entry]


def _first_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(repr(name[:_LONGEST]) for name in names[:_SHOWN]) + more


def nearest_name(entry: str, names: Iterable[str]) -> str | None:
    """Return the name that was perhaps meant: one that differs in blanks or case only, or else a similar one."""
    from difflib import get_close_matches

    stripped = {name.strip(): name for name in names}
    if entry.strip() in stripped:
        return stripped[entry.strip()]
    folded = {name.casefold(): stripped[name] for name in stripped}
    close = get_close_matches(entry.strip().casefold(), folded, n=1)
    return folded[close[0]] if close else None
