"""Typed columns: the one form in which every table enters the library.

Integers, floats, dates and durations are ordered; booleans, strings and categoricals are nominal. NaN, null and NaT
are missing. Infinite values are refused.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data.frames import frame_columns, is_frame
from bayesieve.data.missing import is_missing
from bayesieve.data.ordered import as_numbers
from bayesieve.exceptions import DataError

__all__ = ["Column", "NominalColumn", "OrderedColumn", "Table", "read_table", "table_header"]


@dataclass(frozen=True)
class OrderedColumn:
    """Numbers; missing is NaN."""

    name: str
    values: NDArray[np.float64]

    def take(self, rows: NDArray[np.intp]) -> "OrderedColumn":
        """Return some rows."""
        return OrderedColumn(self.name, self.values[rows])


@dataclass(frozen=True)
class NominalColumn:
    """Labels without order: each row's position in ``labels``, -1 where missing.

    ``labels`` are sorted, so that their numbering does not depend on the order of the rows.
    """

    name: str
    ids: NDArray[np.int64]
    labels: tuple[Any, ...]

    def take(self, rows: NDArray[np.intp]) -> "NominalColumn":
        """Return some rows; labels that no longer occur stay listed."""
        return NominalColumn(self.name, self.ids[rows], self.labels)


Column = OrderedColumn | NominalColumn


@dataclass(frozen=True)
class Table:
    """Named columns of one length."""

    columns: tuple[Column, ...]
    n_rows: int

    @property
    def names(self) -> list[str]:
        """Column names, in order."""
        return [column.name for column in self.columns]

    def take(self, rows: NDArray[np.intp]) -> "Table":
        """Return some rows of every column."""
        return Table(tuple(column.take(rows) for column in self.columns), len(rows))

    def pick(self, positions: Sequence[int]) -> "Table":
        """Return some columns."""
        return Table(tuple(self.columns[j] for j in positions), self.n_rows)


def read_table(X: Any, positions: Sequence[int] | None = None, names: Sequence[str] | None = None) -> Table:
    """Read a pandas, polars or arrow table, or a two-dimensional array, as typed columns: all, or some positions."""
    own_names, shape, get = _parts(X)
    names = names or own_names
    if not shape[1]:
        raise DataError(f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required.")
    if not shape[0]:
        raise DataError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
    wanted = range(shape[1]) if positions is None else positions
    return Table(tuple(_read_column(names[j], *get(j)) for j in wanted), shape[0])


def table_header(X: Any) -> tuple[list[str], tuple[int, int]]:
    """Return names and shape of a table; refuse what is not a dense one of two dimensions."""
    names, shape, _ = _parts(X)
    return names, shape


Getter = Callable[[int], tuple[NDArray[Any], bool]]


def _parts(X: Any) -> tuple[list[str], tuple[int, int], Getter]:
    if is_frame(X):
        return _frame_parts(X)
    if hasattr(X, "toarray"):
        raise DataError("Sparse input is not accepted here: the table must be dense, for instance X.toarray().")
    return _array_parts(X)


def _frame_parts(X: Any) -> tuple[list[str], tuple[int, int], Getter]:
    names, n_rows, get = frame_columns(X)
    return names, (n_rows, len(names)), get


def _array_parts(X: Any) -> tuple[list[str], tuple[int, int], Getter]:
    array = np.asarray(X)
    if array.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {array.ndim}D array instead: a table has rows and columns. "
            "Reshape your data with .reshape(-1, 1) if it has one column or .reshape(1, -1) if it has one row."
        )
    n_rows, n_columns = array.shape
    return [f"x{j}" for j in range(n_columns)], (n_rows, n_columns), lambda j: (array[:, j], False)


def _read_column(name: str, values: NDArray[Any], nominal: bool) -> Column:
    """Type one column: ``nominal`` is what a data frame's own type says, otherwise the values decide."""
    if values.dtype.kind == "c":
        raise DataError(f"Complex data not supported: column {name!r} has complex numbers.")
    try:
        numbers = None if nominal else as_numbers(values)
    except OverflowError:
        raise DataError(f"Column {name!r} has numbers beyond the largest float.") from None
    if numbers is None:
        return _nominal(name, values)
    if np.isinf(numbers).any():
        raise DataError(
            f"Column {name!r} has infinite values; replace them by a number, or by a missing value if that is meant."
        )
    return OrderedColumn(name, numbers)


def _nominal(name: str, values: NDArray[Any]) -> NominalColumn:
    if values.dtype.kind in "bSU":
        labels, ids = np.unique(values, return_inverse=True)
        return NominalColumn(name, ids.astype(np.int64).ravel(), tuple(labels.tolist()))
    entries = values.tolist()
    try:
        distinct = {entry for entry in entries if not is_missing(entry)}
    except TypeError:
        raise TypeError(
            f"Column {name!r} holds values of a type that cannot be a category: "
            "argument must be a string, a number or a boolean."
        ) from None
    try:
        ordered = sorted(distinct, key=lambda label: (type(label).__name__, label))
    except TypeError:
        ordered = sorted(distinct, key=lambda label: (type(label).__name__, repr(label)))
    position = {label: i for i, label in enumerate(ordered)}
    ids = np.fromiter((-1 if is_missing(e) else position[e] for e in entries), dtype=np.int64, count=len(entries))
    return NominalColumn(name, ids, tuple(ordered))
