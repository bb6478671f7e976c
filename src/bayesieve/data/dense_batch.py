"""A batch of columns with an entry for each row.

Loops over rows run in the compiled core, one column per thread; each has its NumPy version here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Ints
from bayesieve.data.column import Column
from bayesieve.data.column_batch import CodeRows, ColumnBatch, Strata

__all__ = ["DenseBatch"]


@dataclass(frozen=True)
class DenseBatch(ColumnBatch):
    """Columns stored as the position of each value among the column's labels.

    Attributes
    ----------
    ids : int32 array of shape (n_columns, n_rows)
        The position of each row's value among the labels of the column, ``len(labels)`` if it is missing.
    """

    ids: NDArray[np.int32]

    @staticmethod
    def of(columns: Sequence[Column], n_threads: int = 1) -> "DenseBatch":
        """Join columns that were read one by one."""
        return DenseBatch(columns, n_threads, np.array([column.ids for column in columns]))

    def take(self, which: NDArray[np.intp]) -> "DenseBatch":
        """Return a batch of some columns, in increasing order."""
        if len(which) == len(self.columns):
            return self
        adjacent = len(which) and which[-1] - which[0] == len(which) - 1
        ids = self.ids[which[0] : which[-1] + 1] if adjacent else self.ids[which]
        return DenseBatch([self.columns[j] for j in which], self.n_threads, ids)

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

    def code(self, rows: Ints, bins: Sequence[Ints], codes: CodeRows) -> None:
        """Write the codes of some rows; ``bins`` are the bins of each column's labels, missing last."""
        if core is None:
            for row, table, column in zip(codes, bins, self.ids, strict=True):
                row[:] = table[column[rows]]
        elif len(codes):
            core.code_columns(self.ids, self.offsets, rows, np.concatenate(bins), codes, self.n_threads)
