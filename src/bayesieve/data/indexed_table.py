# SPDX-License-Identifier: BSD-3-Clause
"""A data frame whose columns are indexed once, for many fits on some of its rows.

Each fit needs the distinct values of each column in order, and each row's position among them. Those of some rows
follow from those of all rows, without sorting numbers, hashing text or copying cells.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core
from bayesieve._typing import Ints
from bayesieve.data.column import Column
from bayesieve.data.column_batch import ColumnBatch, DenseBatch
from bayesieve.data.frames import IndexedFrame, ReadValues, frame_columns, is_frame
from bayesieve.data.table import Table, read_table
from bayesieve.exceptions import ColumnTypeError, DataError

__all__ = ["IndexedTable", "index_frame", "pick_column_rows", "pick_ids_numpy"]


def pick_column_rows(
    columns: Sequence[Column], ids: NDArray[np.int32], rows: Ints
) -> tuple[list[Column], NDArray[np.int32]]:
    """Return some rows of columns with the labels that occur in them, and each row's positions among these.

    ``ids`` are the positions of all rows, of shape (n_columns, n_all_rows).
    """
    n_labels = np.array([len(column.labels) for column in columns], dtype=np.int64)
    pick = pick_ids_numpy if core is None else core.pick_rows
    picked, occurring = pick(ids, n_labels, rows)
    chosen = [
        replace(column, labels=_some_labels(column.labels, occurs[:-1]), ids=own)
        for column, occurs, own in zip(columns, occurring, picked, strict=True)
    ]
    return chosen, picked


def _some_labels(labels: Any, occurs: NDArray[np.uint8]) -> Any:
    if occurs.all():
        return labels
    which = np.flatnonzero(occurs)
    return labels[which] if isinstance(labels, np.ndarray) else tuple(labels[k] for k in which.tolist())


def pick_ids_numpy(
    ids: NDArray[np.int32], n_labels: Ints, rows: Ints
) -> tuple[NDArray[np.int32], list[NDArray[np.uint8]]]:
    """Pick as ``core.pick_rows`` does: its specification, and its fallback without a compiled core.

    Returns each row's position among the labels that occur in these rows, missing after the last, and which labels
    occur; the last entry is for missing values.
    """
    picked, occurring = ids[:, rows], []
    for own, n in zip(picked, n_labels.tolist(), strict=True):
        occurs = np.zeros(n + 1, dtype=np.uint8)
        occurs[own] = 1
        own[:] = (np.cumsum(occurs) - occurs)[own]
        occurring.append(occurs)
    return picked, occurring


@dataclass(frozen=True)
class IndexedTable(Table):
    """Columns that are indexed, and some of their rows.

    Attributes
    ----------
    columns : sequence of Column
        All rows of each column.
    ids : int32 array of shape (n_columns, n_all_rows)
        Their positions among the labels.
    rows : int64 array of shape (n_rows,), or None
        The rows of this table; None if it has all.
    """

    columns: Sequence[Column] = ()
    ids: NDArray[np.int32] = field(default_factory=lambda: np.empty((0, 0), dtype=np.int32))
    rows: Ints | None = None
    picked: dict[int, Column] = field(default_factory=dict, repr=False)

    def column(self, j: int) -> Column:
        """Return one column; picked rows are kept."""
        if self.rows is None:
            return replace(self.columns[j], name=self.names[j])
        if j not in self.picked:
            (self.picked[j],), _ = pick_column_rows(self.columns[j : j + 1], self.ids[j : j + 1], self.rows)
        return replace(self.picked[j], name=self.names[j])

    def columns_at(self, places: Sequence[int]) -> list[Column]:
        """Return some columns."""
        return [self.column(j) for j in places]

    def is_ordered(self, j: int) -> bool:
        """Return whether a column holds numbers, dates or the like."""
        return self.columns[j].ordered

    def batch(self, first: int, end: int, n_threads: int = 1) -> ColumnBatch:
        """Return the columns from ``first`` to ``end - 1``."""
        columns, ids = self.columns[first:end], self.ids[first:end]
        if self.rows is not None:
            columns, ids = pick_column_rows(columns, ids, self.rows)
        named = [replace(column, name=name) for column, name in zip(columns, self.names[first:end], strict=True)]
        return DenseBatch(named, n_threads, ids)

    def as_nominal(self, columns: Collection[int]) -> Table:
        """Return the table with some columns declared nominal."""
        return Table(self.names, self.n_rows, self.read).as_nominal(columns) if columns else self

    def pick(self, whole: Any, rows: Ints | None) -> IndexedFrame:
        """Return some of all rows of the data frame that was indexed."""

        def read(places: Sequence[int]) -> list[ReadValues] | NDArray[Any]:
            return frame_columns(frame.native)[2](places)

        n_rows = self.ids.shape[1] if rows is None else len(rows)
        frame = IndexedFrame(whole, rows, replace(self, n_rows=n_rows, read=read, rows=rows, picked={}))
        return frame


def index_frame(X: Any, n_threads: int = 1) -> Any:
    """Return a data frame with an index of its columns; other tables, and what a fit refuses, as they are."""
    if isinstance(X, IndexedFrame) or not is_frame(X):
        return X
    try:
        table = read_table(X)
        ids = np.empty((table.n_columns, table.n_rows), dtype=np.int32)
        columns: list[Column] = []
        for first, batch in table.batches(n_threads):
            assert isinstance(batch, DenseBatch)
            ids[first : first + len(batch.columns)] = batch.ids
            columns += [
                Column(each.name, each.labels, ids[first + k], scale=each.scale) for k, each in enumerate(batch.columns)
            ]
    except (ColumnTypeError, DataError):
        return X
    return IndexedTable(table.names, table.n_rows, table.read, None, columns, ids).pick(X, None)
