# SPDX-License-Identifier: BSD-3-Clause
"""A batch of columns that are mostly zero: only the other entries are stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.data.column import Values, refuse_infinite
from bayesieve.data.column_batch import CodeRows, ColumnBatch, SparseCodes, Strata, entries_of
from bayesieve.exceptions import DataError

__all__ = ["SparseBatch", "compress_columns", "read_sparse_batch"]

_EXACT = 2**53  # floats hold every integer below, and bincount adds in floats
# An engine expands entries into rows whenever it reads a column, so entries have to be few: at six bytes each, they
# take at most a seventh of one byte per row.
_ROWS_PER_ENTRY = 40


@dataclass(frozen=True)
class SparseBatch(ColumnBatch):
    """Columns whose rows are zero except for the entries.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    rows : array of shape (n_entries,)
        The row of each entry, column by column.
    labels : int64 array of shape (n_entries,)
        The position of each entry's value in the list of all labels.
    begins : int64 array of shape (n_columns + 1,)
        Where the entries of each column begin.
    zeros : int64 array of shape (n_columns,)
        The position of zero in the list of all labels; for a column without zeros, the position of *missing*.
    """

    n_rows: int
    rows: NDArray[Any]
    labels: Ints
    begins: Ints
    zeros: Ints

    def take(self, which: NDArray[np.intp]) -> "SparseBatch":
        """Return a batch of some columns, in increasing order."""
        if len(which) == len(self.columns):
            return self
        sizes = np.diff(self.offsets)[which]
        moved = np.concatenate([[0], np.cumsum(sizes)])[:-1] - self.offsets[which]
        entries = entries_of(self.begins, which)
        lengths = np.diff(self.begins)[which]
        return SparseBatch(
            [self.columns[j] for j in which],
            self.n_threads,
            self.n_rows,
            self.rows[entries],
            self.labels[entries] + np.repeat(moved, lengths),
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            self.zeros[which] + moved,
        )

    def count(self, strata: Strata) -> Ints:
        """Return the weight of each label of each column in each stratum; zeros have the weight without an entry."""
        weights = np.ones(self.n_rows, dtype=np.int64) if strata.weights is None else strata.weights
        totals = _add_up(strata.of_row.astype(np.int64), weights, strata.n)
        shape = (int(self.offsets[-1]), strata.n)
        cells = self.labels * strata.n + strata.of_row[self.rows]
        counts = _add_up(cells, weights[self.rows], shape[0] * shape[1]).reshape(shape)
        counts[self.zeros] += totals - np.add.reduceat(counts, self.offsets[:-1], axis=0)
        return counts

    def code(self, rows: Ints, bins: Sequence[Ints], codes: CodeRows) -> None:
        """Write the codes of some rows; ``bins`` are the bins of each column's labels, missing last."""
        sparse = self._code_entries(rows, bins)
        codes[:] = sparse.common[:, None]
        codes[np.repeat(np.arange(len(bins)), np.diff(sparse.begins)), sparse.rows] = sparse.codes

    def sparse_codes(self, rows: Ints, bins: Sequence[Ints]) -> tuple[NDArray[np.bool_], SparseCodes]:
        """Return which columns are best coded by their entries alone, and the codes of those."""
        is_thin = np.diff(self.begins) * _ROWS_PER_ENTRY <= self.n_rows
        thin = np.flatnonzero(is_thin)
        return is_thin, self.take(thin)._code_entries(rows, [bins[j] for j in thin.tolist()])

    def _code_entries(self, rows: Ints, bins: Sequence[Ints]) -> SparseCodes:
        table = np.concatenate([np.empty(0, dtype=np.int64), *bins])
        codes, common = table[self.labels], table[self.zeros]
        column = np.repeat(np.arange(len(bins)), np.diff(self.begins))
        kept = codes != common[column]
        column, codes, entry_places = column[kept], codes[kept], self.rows[kept]
        # Where the row of an entry is among the requested rows: nowhere, once or several times.
        order = np.argsort(rows, kind="stable")
        begins = np.searchsorted(rows[order], np.arange(self.n_rows + 1))
        times = np.diff(begins)[entry_places]
        turn = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
        entry_rows = order[np.repeat(begins[entry_places], times) + turn]
        column, codes = np.repeat(column, times), np.repeat(codes, times)
        inside = np.lexsort((entry_rows, column))
        return SparseCodes(
            common.astype(np.uint16),
            np.concatenate([[0], np.cumsum(np.bincount(column, minlength=len(bins)))]).astype(np.int64),
            entry_rows[inside].astype(np.int32),
            codes[inside].astype(np.uint16),
        )


def _add_up(cells: Ints, weights: Ints, n_cells: int) -> Ints:
    if not len(weights) or int(weights.max()) * len(weights) < _EXACT:
        return np.bincount(cells, weights, minlength=n_cells).astype(np.int64)
    counts = np.zeros(n_cells, dtype=np.int64)
    np.add.at(counts, cells, weights)
    return counts


def compress_columns(X: Any) -> Any:
    """Return a SciPy sparse table as CSC without duplicate entries."""
    if X.ndim != 2:
        raise DataError(f"Expected 2D array, got {X.ndim}D array instead: a table has rows and columns.")
    if X.dtype.kind == "c":
        raise DataError("Complex data not supported: the sparse table has complex numbers.")
    table = X.tocsc(copy=False)
    if not (table.has_canonical_format and table.data.dtype == np.float64):
        table = table.astype(np.float64, copy=True)
        table.sum_duplicates()
    return table


def read_sparse_batch(table: Any, names: Sequence[str], first: int, end: int, n_threads: int) -> SparseBatch:
    """Read some columns of a table that `compress_columns` made."""
    begins = table.indptr[first : end + 1].astype(np.int64)
    entries = slice(int(begins[0]), int(begins[-1]))
    begins = begins - begins[0]
    rows, numbers = table.indices[entries], table.data[entries] + 0.0  # + 0.0: minus zero is zero
    n_rows, n_columns = table.shape[0], end - first
    column = np.repeat(np.arange(n_columns), np.diff(begins))
    present = ~np.isnan(numbers)
    has_zero = np.diff(begins) < n_rows
    # Distinct (column, number) pairs in order; each column with implicit zeros has one more, zero.
    pairs = np.stack(
        [
            np.concatenate([column[present], np.flatnonzero(has_zero)]),
            np.concatenate([numbers[present], np.zeros(int(has_zero.sum()))]),
        ]
    )
    order = np.lexsort((pairs[1], pairs[0]))
    pairs = pairs[:, order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (pairs[:, 1:] != pairs[:, :-1]).any(axis=0)
    owner, distinct = pairs[0, is_new].astype(np.int64), pairs[1, is_new]
    # Each column has a label for missing values after its own: its labels begin that many entry_places later.
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.cumsum(is_new) - 1
    sizes = np.bincount(owner, minlength=n_columns)
    ends = np.cumsum(sizes)
    labels = np.empty(len(numbers), dtype=np.int64)
    labels[present] = place[: int(present.sum())] + column[present]
    labels[~present] = ends[column[~present]] + column[~present]
    zeros = ends + np.arange(n_columns)
    zeros[has_zero] = place[int(present.sum()) :] + np.flatnonzero(has_zero)
    for j in owner[np.isinf(distinct)].tolist():
        refuse_infinite(names[first + j], distinct[owner == j])
    columns = [
        Values(name, distinct[begin:stop])
        for name, begin, stop in zip(names[first:end], (ends - sizes).tolist(), ends.tolist(), strict=True)
    ]
    return SparseBatch(columns, n_threads, n_rows, rows, labels, begins, zeros)
