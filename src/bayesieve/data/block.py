"""Columns next to each other in a table, whose rows are counted and coded together.

Loops over rows run in the compiled core, a column a thread; each has its NumPy twin here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve.data.column import Column

__all__ = ["Block", "Strata"]

Ints = NDArray[np.int64]
CodeRows = NDArray[np.uint8] | NDArray[np.uint16]


@dataclass(frozen=True)
class Strata:
    """A division of the rows, by class for instance, and their weights.

    Attributes
    ----------
    of_row : int32 array of shape (n_rows,)
        Each row's stratum, from 0 to n - 1.
    weights : int64 array of shape (n_rows,), or None
        Weights in units; None where each is 1.
    """

    of_row: NDArray[np.int32]
    n: int
    weights: Ints | None = None


@dataclass(frozen=True)
class Block:
    """Some columns.

    Attributes
    ----------
    columns : sequence of Column
        Their names and labels; their ids are the rows of ``ids``.
    ids : int32 array of shape (n_columns, n_rows)
        Each row's position among the labels of the column, ``len(labels)`` where the value is missing.
    """

    columns: Sequence[Column]
    ids: NDArray[np.int32]
    n_threads: int = 1

    @staticmethod
    def of(columns: Sequence[Column], n_threads: int = 1) -> "Block":
        """Join columns that were read one by one."""
        return Block(columns, np.array([column.ids for column in columns]), n_threads)

    @cached_property
    def offsets(self) -> Ints:
        """Where the labels of each column begin in a list of all, *missing* as the last label of each."""
        sizes = [len(column.labels) + 1 for column in self.columns]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def split(self, n_labels: int) -> "Iterator[tuple[int, Block]]":
        """Divide the columns into blocks of at most so many labels, or of one column; each with its first position."""
        ends, first = self.offsets[1:], 0
        while first < len(self.columns):
            end = max(first + 1, int(np.searchsorted(ends, self.offsets[first] + n_labels, side="right")))
            yield first, Block(self.columns[first:end], self.ids[first:end], self.n_threads)
            first = end

    def count(self, strata: Strata) -> Ints:
        """Return the weight of each label of each column in each stratum."""
        if core is None:
            warn_if_missing()
            return self.count_numpy(strata)
        weights = np.empty(0, dtype=np.int64) if strata.weights is None else strata.weights
        return core.count_columns(self.ids, self.offsets, strata.of_row, weights, strata.n, self.n_threads)

    def count_numpy(self, strata: Strata) -> Ints:
        """Count as `count` does: its specification, and its fallback without a compiled core."""
        cells = (self.ids + self.offsets[:-1, None]) * strata.n + strata.of_row
        shape = (int(self.offsets[-1]), strata.n)
        if strata.weights is None:
            return np.bincount(cells.ravel(), minlength=shape[0] * shape[1]).reshape(shape)
        counts = np.zeros(shape[0] * shape[1], dtype=np.int64)
        # Not broadcast by add.at itself, which then reads beyond the weights (NumPy 2.4).
        np.add.at(counts, cells.ravel(), np.broadcast_to(strata.weights, cells.shape).ravel())
        return counts.reshape(shape)

    def code(self, which: NDArray[np.intp], rows: NDArray[np.int64], parts: Sequence[Ints], codes: CodeRows) -> None:
        """Write the codes of some rows of some columns; ``parts`` are those of each column's labels, missing last."""
        if not len(which):
            return
        every = len(which) == len(self.columns)
        ids = self.ids if every else np.ascontiguousarray(self.ids[which])
        if core is None:
            for row, table, column in zip(codes, parts, ids, strict=True):
                row[:] = table[column[rows]]
            return
        offsets = np.concatenate([[0], np.cumsum([len(table) for table in parts])]).astype(np.int64)
        core.code_columns(ids, offsets, rows, np.concatenate(parts), codes, self.n_threads)
