# SPDX-License-Identifier: BSD-3-Clause
"""A data frame whose columns are indexed once, for many fits on some of its rows.

Each fit needs the distinct values of each column in order, and each row's position among them. Those of some rows
follow from those of all rows, without sorting numbers, hashing text or copying cells.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core
from bayesieve._typing import Ints
from bayesieve.data.column import Column

__all__ = ["IndexedFrame", "pick_column_rows", "pick_ids_numpy"]


@dataclass(eq=False)
class IndexedFrame:
    """Some rows of a data frame, in its own library and as an indexed table.

    Attributes
    ----------
    whole : data frame
        All rows.
    rows : int64 array of shape (n_rows,), or None
        Positions of the rows of this frame; None if it has all.
    table : Table
        The same rows with their index.
    """

    whole: Any
    rows: Ints | None
    table: Any

    def __len__(self) -> int:
        return int(self.table.n_rows)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self), len(self.columns)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.table.names)

    @cached_property
    def native(self) -> Any:
        """The rows as a data frame; they are copied when they are needed first."""
        from bayesieve.data.frames import pick_rows

        return self.whole if self.rows is None else pick_rows(self.whole, self.rows)

    def pick(self, rows: Sequence[int] | NDArray[np.integer[Any]]) -> "IndexedFrame":
        """Return some of the rows."""
        places = np.arange(len(self), dtype=np.int64)[np.asarray(rows)]  # refuses rows that do not exist
        frame: IndexedFrame = self.table.pick(self.whole, places if self.rows is None else self.rows[places])
        return frame


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
