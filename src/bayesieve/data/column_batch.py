# SPDX-License-Identifier: BSD-3-Clause
"""Adjacent columns of a table that are counted and coded together: dense, or sparse with entries other than zero."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Ints
from bayesieve.data.column import Column, Values, refuse_infinite
from bayesieve.exceptions import DataError

__all__ = [
    "CodeRows",
    "ColumnBatch",
    "DenseBatch",
    "LabeledColumns",
    "SparseBatch",
    "SparseCodes",
    "Strata",
    "compress_columns",
    "entries_of",
    "read_sparse_batch",
]


@dataclass(frozen=True, eq=False)
class SparseCodes:
    """Columns as their common code and their entries: six bytes per entry, and none for the other rows.

    Attributes
    ----------
    common : uint16 array of shape (n_columns,)
        The code of the rows without an entry.
    begins : int64 array of shape (n_columns + 1,)
        Where the entries of each column begin.
    rows : int32 array of shape (n_entries,)
        The row of each entry, increasing within a column.
    codes : uint16 array of shape (n_entries,)
        The code of each entry.
    """

    common: NDArray[np.uint16]
    begins: NDArray[np.int64]
    rows: NDArray[np.int32]
    codes: NDArray[np.uint16]

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All arrays, in the order that the compiled core expects."""
        return self.common, self.begins, self.rows, self.codes

    @classmethod
    def join(cls, batches: Sequence["SparseCodes"]) -> "SparseCodes":
        """Return the columns of several batches, or none at all."""
        sizes = [np.zeros(1, dtype=np.int64), *(np.diff(batch.begins) for batch in batches)]
        return cls(
            np.concatenate([np.empty(0, dtype=np.uint16), *(batch.common for batch in batches)]),
            np.cumsum(np.concatenate(sizes)),
            np.concatenate([np.empty(0, dtype=np.int32), *(batch.rows for batch in batches)]),
            np.concatenate([np.empty(0, dtype=np.uint16), *(batch.codes for batch in batches)]),
        )

    def column(self, k: int, n_rows: int, dtype: Any) -> NDArray[Any]:
        """Return every row's code of one column."""
        entries = slice(int(self.begins[k]), int(self.begins[k + 1]))
        codes = np.full(n_rows, self.common[k], dtype=dtype)
        codes[self.rows[entries]] = self.codes[entries]
        return codes

    def between(self, begin: int, end: int) -> "SparseCodes":
        """Return the rows from ``begin`` to ``end - 1``."""
        inside = (self.rows >= begin) & (self.rows < end)
        begins = np.append(0, np.cumsum(inside))[self.begins]
        return SparseCodes(self.common, begins, self.rows[inside] - np.int32(begin), self.codes[inside])


CodeRows = NDArray[np.uint8] | NDArray[np.uint16]


@dataclass(frozen=True)
class Strata:
    """A division of the rows into strata, by class for instance, and the row weights.

    Attributes
    ----------
    of_row : int32 array of shape (n_rows,)
        Each row's stratum, from 0 to n - 1.
    weights : int64 array of shape (n_rows,), or None
        Weights in units; None if all are 1.
    """

    of_row: NDArray[np.int32]
    n: int
    weights: Ints | None = None


@dataclass(frozen=True)
class LabeledColumns(ABC):
    """Names and labels of several columns."""

    columns: Sequence[Values]
    n_threads: int

    @cached_property
    def offsets(self) -> Ints:
        """Where the labels of each column begin in the list of all; the last label of each column is *missing*."""
        sizes = [len(column.labels) + 1 for column in self.columns]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def split(self, n_labels: int) -> Iterator[tuple[int, Self]]:
        """Yield batches of at most `n_labels` labels, or of one column, each with the position of its first column."""
        ends, first = self.offsets[1:], 0
        while first < len(self.columns):
            end = max(first + 1, int(np.searchsorted(ends, self.offsets[first] + n_labels, side="right")))
            yield first, self.take(np.arange(first, end))
            first = end

    @abstractmethod
    def take(self, which: NDArray[np.intp]) -> Self:
        """Return a batch of some columns, in increasing order."""


class ColumnBatch(LabeledColumns):
    """Columns with their rows; subclasses define how these are stored."""

    @abstractmethod
    def count(self, strata: Strata) -> Ints:
        """Return the weight of each label of each column in each stratum."""

    @abstractmethod
    def code(self, rows: Ints, bins: Sequence[Ints], codes: CodeRows) -> None:
        """Write the codes of some rows; ``bins`` are the bins of each column's labels, missing last."""

    def sparse_codes(self, rows: Ints, bins: Sequence[Ints]) -> tuple[NDArray[np.bool_], SparseCodes]:
        """Return which columns are best coded by their entries alone, and the codes of those."""
        return np.zeros(len(self.columns), dtype=bool), SparseCodes.join([])


def entries_of(begins: Ints, which: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the positions of the entries of some columns, given where the entries of each column begin."""
    is_member = np.zeros(len(begins) - 1, dtype=bool)
    is_member[which] = True
    return np.flatnonzero(np.repeat(is_member, np.diff(begins)))


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
            core.code_columns(self.ids, self.offsets, rows, list(bins), codes, self.n_threads)


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
