# SPDX-License-Identifier: BSD-3-Clause
"""A data set in memory, on which selectors and classifiers are compared."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from bayesieve.data import (
    Column,
    Table,
    Target,
    frame_backend,
    pick_columns,
    read_table,
    read_target,
    read_weights,
)
from bayesieve.estimators._sklearn import pick_rows
from bayesieve.evaluation.measures import Forecast, forecast
from bayesieve.search import fingerprint

__all__ = ["MemoryData", "Rows"]

Rows = NDArray[np.intp]


class MemoryData:
    """A table and its classes; the types of columns depend on all rows, and columns are read at their first use.

    Parameters
    ----------
    X : table
        As the library's estimators take it.
    y : array of shape (n_samples,)
        Class labels.
    """

    in_memory: Final = True

    def __init__(self, X: Any, y: Any) -> None:
        self.X = X
        self.table: Table = read_table(X)
        self.target: Target = read_target(y, self.table.n_rows, read_weights(None, self.table.n_rows))
        self.labels: NDArray[Any] = np.asarray(y).ravel()  # it may have been a column
        self._columns: dict[int, Column] = {}

    def forecast(self, classifier: Any, X: Any, classes: NDArray[Any]) -> Forecast:
        """Return the predictions of a fitted classifier for some rows."""
        return forecast(classifier, X, classes)

    @property
    def backend(self) -> str | None:
        """The library of the table, None if it is not a data frame."""
        return frame_backend(self.X)

    def column(self, j: int) -> Column:
        """Return a typed column, which is cached."""
        if j not in self._columns:
            self._columns[j] = self.table.column(j)
        return self._columns[j]

    def varies(self, rows: Rows, columns: Sequence[int]) -> bool:
        """Return whether any of some columns varies among some rows."""
        return any(np.ptp(self.column(j).ids[rows]) > 0 for j in columns)

    def rows(self, rows: Rows) -> Any:
        """Return some rows of the table, in its own format."""
        return pick_rows(self.X, rows)

    def take(self, rows: Rows, columns: list[int]) -> Any:
        """Return some columns of some rows, in the library of the table."""
        if self.backend is not None:
            return pick_rows(pick_columns(self.X, columns), rows)
        if issparse(self.X):
            return self.X.tocsr()[rows][:, columns]
        return np.asarray(self.X)[rows][:, columns]

    @cached_property
    def fingerprint(self) -> str:
        """Fingerprint of all values."""
        parts: list[str | NDArray[Any]] = [repr(self.target.classes.tolist()), self.target.codes]
        if issparse(self.table.numbers):
            sparse = self.table.numbers
            return fingerprint([*parts, repr(sparse.shape), sparse.data, sparse.indices, sparse.indptr])
        for j, name in enumerate(self.table.names):
            column = self.table.column(j)
            labels = np.asarray(column.labels) if column.ordered else repr(column.labels)
            parts += [name, labels, column.ids]
        return fingerprint(parts)
