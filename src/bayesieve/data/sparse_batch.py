"""A batch of columns most of whose rows hold zero: only the other entries are stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data.column import Values, refuse_infinite
from bayesieve.data.column_batch import CodeRows, ColumnBatch, Ints, Strata, entries_of
from bayesieve.data.sparse_codes import SparseCodes
from bayesieve.exceptions import DataError

__all__ = ["SparseBatch", "compress_columns", "read_sparse_batch"]

_EXACT = 2**53  # floats hold every integer below, and bincount adds in floats
# Entries are spread out into rows whenever an engine looks at a column, so they have to be worth it: at six bytes each,
# they take at most a seventh of one byte a row.
_ROWS_AN_ENTRY = 40


@dataclass(frozen=True)
class SparseBatch(ColumnBatch):
    """Columns whose rows hold zero, but for the entries.

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
        The position of zero in the list of all labels; of a column without zeros, that of *missing*.
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
        """Return the weight of each label of each column in each stratum: zeros have what entries leave."""
        weights = np.ones(self.n_rows, dtype=np.int64) if strata.weights is None else strata.weights
        whole = _add_up(strata.of_row.astype(np.int64), weights, strata.n)
        shape = (int(self.offsets[-1]), strata.n)
        cells = self.labels * strata.n + strata.of_row[self.rows]
        counts = _add_up(cells, weights[self.rows], shape[0] * shape[1]).reshape(shape)
        counts[self.zeros] += whole - np.add.reduceat(counts, self.offsets[:-1], axis=0)
        return counts

    def code(self, rows: Ints, parts: Sequence[Ints], codes: CodeRows) -> None:
        """Write the codes of some rows; ``parts`` are those of each column's labels, missing last."""
        sparse = self._code_entries(rows, parts)
        codes[:] = sparse.common[:, None]
        codes[np.repeat(np.arange(len(parts)), np.diff(sparse.begins)), sparse.rows] = sparse.codes

    def sparse_codes(self, rows: Ints, parts: Sequence[Ints]) -> tuple[NDArray[np.bool_], SparseCodes]:
        """Tell which columns are best coded by their entries alone, and return the codes of those."""
        is_thin = np.diff(self.begins) * _ROWS_AN_ENTRY <= self.n_rows
        thin = np.flatnonzero(is_thin)
        return is_thin, self.take(thin)._code_entries(rows, [parts[j] for j in thin.tolist()])

    def _code_entries(self, rows: Ints, parts: Sequence[Ints]) -> SparseCodes:
        table = np.concatenate([np.empty(0, dtype=np.int64), *parts])
        codes, common = table[self.labels], table[self.zeros]
        column = np.repeat(np.arange(len(parts)), np.diff(self.begins))
        kept = codes != common[column]
        column, codes, places = column[kept], codes[kept], self.rows[kept]
        # Where the row of an entry is among those asked for: nowhere, once or several times.
        order = np.argsort(rows, kind="stable")
        begins = np.searchsorted(rows[order], np.arange(self.n_rows + 1))
        times = np.diff(begins)[places]
        turn = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
        found = order[np.repeat(begins[places], times) + turn]
        column, codes = np.repeat(column, times), np.repeat(codes, times)
        inside = np.lexsort((found, column))
        return SparseCodes(
            common.astype(np.uint16),
            np.concatenate([[0], np.cumsum(np.bincount(column, minlength=len(parts)))]).astype(np.int64),
            found[inside].astype(np.int32),
            codes[inside].astype(np.uint16),
        )


def _add_up(cells: Ints, weights: Ints, n_cells: int) -> Ints:
    if not len(weights) or int(weights.max()) * len(weights) < _EXACT:
        return np.bincount(cells, weights, minlength=n_cells).astype(np.int64)
    counts = np.zeros(n_cells, dtype=np.int64)
    np.add.at(counts, cells, weights)
    return counts


def compress_columns(X: Any) -> Any:
    """Return a SciPy sparse table by columns, entries in order and each once."""
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
    known = ~np.isnan(numbers)
    has_zero = np.diff(begins) < n_rows
    # Distinct (column, number) pairs in order; each column with implicit zeros has one more, zero.
    pairs = np.stack(
        [
            np.concatenate([column[known], np.flatnonzero(has_zero)]),
            np.concatenate([numbers[known], np.zeros(int(has_zero.sum()))]),
        ]
    )
    order = np.lexsort((pairs[1], pairs[0]))
    pairs = pairs[:, order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (pairs[:, 1:] != pairs[:, :-1]).any(axis=0)
    owner, distinct = pairs[0, is_new].astype(np.int64), pairs[1, is_new]
    # Each column has a label for missing values after its own: its labels begin that many places later.
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.cumsum(is_new) - 1
    sizes = np.bincount(owner, minlength=n_columns)
    ends = np.cumsum(sizes)
    labels = np.empty(len(numbers), dtype=np.int64)
    labels[known] = place[: int(known.sum())] + column[known]
    labels[~known] = ends[column[~known]] + column[~known]
    zeros = ends + np.arange(n_columns)
    zeros[has_zero] = place[int(known.sum()) :] + np.flatnonzero(has_zero)
    for j in owner[np.isinf(distinct)].tolist():
        refuse_infinite(names[first + j], distinct[owner == j])
    columns = [
        Values(name, distinct[begin:stop])
        for name, begin, stop in zip(names[first:end], (ends - sizes).tolist(), ends.tolist(), strict=True)
    ]
    return SparseBatch(columns, n_threads, n_rows, rows, labels, begins, zeros)
