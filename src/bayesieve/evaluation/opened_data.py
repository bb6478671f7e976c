"""A data set on which selectors and classifiers are compared."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing

from bayesieve.data import (
    Column,
    Table,
    Target,
    frame_backend,
    open_raw,
    pick_columns,
    read_table,
    read_target,
    read_weights,
)
from bayesieve.evaluation.scattered_data import ScatteredData
from bayesieve.exceptions import DataError
from bayesieve.search import fingerprint

__all__ = ["OpenedData", "Rows", "Source", "open_data"]

Rows = NDArray[np.intp]
Source = Any  # (X, y), a Bunch, or a function without arguments that returns one of them


class OpenedData:
    """A table and its classes, whose columns are typed by all rows and read when they are asked for.

    Parameters
    ----------
    X : table
        As the library's estimators take it.
    y : array of shape (n_rows,)
        Class labels.
    """

    def __init__(self, X: Any, y: Any) -> None:
        self.X = X
        self.table: Table = read_table(X)
        self.labels: NDArray[Any] = np.asarray(y)
        self.target: Target = read_target(self.labels, self.table.n_rows, read_weights(None, self.table.n_rows))
        self._columns: dict[int, Column] = {}

    @property
    def backend(self) -> str | None:
        """The library of the table, None if it is no data frame."""
        return frame_backend(self.X)

    def column(self, j: int) -> Column:
        """Return a typed column; it is kept."""
        if j not in self._columns:
            self._columns[j] = self.table.column(j)
        return self._columns[j]

    def tells(self, rows: Rows, columns: Sequence[int]) -> bool:
        """Tell whether any of some columns varies among some rows."""
        return any(np.ptp(self.column(j).ids[rows]) > 0 for j in columns)

    def rows(self, rows: Rows) -> Any:
        """Return some rows of the table as they came."""
        return _safe_indexing(self.X, rows)

    def part(self, rows: Rows, columns: list[int]) -> Any:
        """Return some columns of some rows, in the library of the table."""
        if self.backend is not None:
            return _safe_indexing(pick_columns(self.X, columns), rows)
        if issparse(self.X):
            return self.X.tocsr()[rows][:, columns]
        return np.asarray(self.X)[rows][:, columns]

    @cached_property
    def mark(self) -> str:
        """A fingerprint of all values."""
        parts: list[str | NDArray[Any]] = [repr(self.target.classes.tolist()), self.target.codes]
        if issparse(self.table.numbers):
            sparse = self.table.numbers
            return fingerprint([*parts, repr(sparse.shape), sparse.data, sparse.indices, sparse.indptr])
        for j, name in enumerate(self.table.names):
            column = self.table.column(j)
            labels = np.asarray(column.labels) if column.ordered else repr(column.labels)
            parts += [name, labels, column.ids]
        return fingerprint(parts)


def open_data(source: Source) -> OpenedData | ScatteredData:
    """Read what a source stands for."""
    found = source() if callable(source) else source
    if hasattr(found, "data") and hasattr(found, "target"):
        found = (found.data, found.target)
    if isinstance(found, tuple | list) and len(found) == 2:
        raw = open_raw(found[0], found[1], None, "auto")
        return OpenedData(*found) if raw is None else ScatteredData(raw)
    raise DataError(f"data must be (X, y), or what a data set loader returns, got {type(found).__name__}.")
