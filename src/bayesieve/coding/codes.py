"""Coded columns: one byte per value, two bytes for columns of many bins, and sparse codes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding.counting import count_codes
from bayesieve.data import ColumnBatch, SparseCodes

__all__ = ["CodeBuilder", "Codes"]

Scalar = TypeVar("Scalar", np.uint8, np.uint16)

_WIDE = 2**8  # bins; with the code for unseen values, one code more than a byte holds


@dataclass(frozen=True)
class Codes:
    """Codes of every column.

    Attributes
    ----------
    narrow : uint8 array of shape (n_narrow, n_rows)
        Columns of at most 255 bins.
    wide : uint16 array of shape (n_wide, n_rows)
        The others.
    place : int64 array of shape (n_columns,)
        The position of each column in the list of narrow, then wide, then sparse columns.
    n_bins : int64 array of shape (n_columns,)
        Codes 0 .. n_bins - 1 are bins, n_bins is *unseen*.
    sparse : SparseCodes
        Columns of any number of bins in which most rows have the same code.
    """

    narrow: NDArray[np.uint8]
    wide: NDArray[np.uint16]
    place: NDArray[np.int64]
    n_bins: NDArray[np.int64]
    sparse: SparseCodes = field(default_factory=lambda: SparseCodes.join([]))

    @classmethod
    def empty(cls, n_bins: Sequence[int], n_rows: int) -> "Codes":
        """Return uninitialized columns, to be written through ``column(j)``."""
        wide = np.array(n_bins, dtype=np.int64) >= _WIDE
        place = np.empty(len(wide), dtype=np.int64)
        place[np.argsort(wide, kind="stable")] = np.arange(len(wide))
        narrow = np.empty((int((~wide).sum()), n_rows), dtype=np.uint8)
        return cls(narrow, np.empty((int(wide.sum()), n_rows), dtype=np.uint16), place, np.array(n_bins, np.int64))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.narrow.shape[1])

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.place)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each column's codes begin in a table of all codes of all columns, *unseen* included."""
        return np.concatenate([[0], np.cumsum(self.n_bins + 1)]).astype(np.int64)

    def column(self, j: int) -> NDArray[np.uint8] | NDArray[np.uint16]:
        """Return the codes of one column."""
        place, n_narrow, n_wide = int(self.place[j]), len(self.narrow), len(self.wide)
        if place < n_narrow:
            return np.asarray(self.narrow[place])
        if place < n_narrow + n_wide:
            return np.asarray(self.wide[place - n_narrow])
        dtype = np.uint8 if self.is_narrow(j) else np.uint16
        return self.sparse.column(place - n_narrow - n_wide, self.n_rows, dtype)

    def is_narrow(self, j: int) -> bool:
        """Return whether the codes of a column fit a byte."""
        return bool(self.n_bins[j] < _WIDE)

    def pick(self, columns: Sequence[int], rows: NDArray[np.intp]) -> "Codes":
        """Return some rows of some columns, of at most 255 bins each."""
        narrow = np.empty((len(columns), len(rows)), dtype=np.uint8)
        for row, j in zip(narrow, columns, strict=True):
            row[:] = self.column(j)[rows]
        return Codes(narrow, self.wide[:0, rows], np.arange(len(narrow)), self.n_bins[list(columns)])

    def between(self, begin: int, end: int) -> "Codes":
        """Return the rows from ``begin`` to ``end - 1``."""
        narrow = np.ascontiguousarray(self.narrow[:, begin:end])
        wide = np.ascontiguousarray(self.wide[:, begin:end])
        return Codes(narrow, wide, self.place, self.n_bins, self.sparse.between(begin, end))

    def extended(self, codes: NDArray[np.intp], n_bins: int) -> "Codes":
        """Return the columns and one more wide column at the end."""
        wide = np.concatenate([self.wide, codes[None].astype(np.uint16)])
        n_dense = len(self.narrow) + len(self.wide)
        place = np.append(np.where(self.place < n_dense, self.place, self.place + 1), n_dense)
        return Codes(self.narrow, wide, place, np.append(self.n_bins, n_bins), self.sparse)

    def count(self, target: NDArray[np.int32], weights: NDArray[np.int64], n_classes: int) -> NDArray[np.int64]:
        """Return the weight of each code of each column in each class, shape (offsets[-1], n_classes)."""
        offsets = self.offsets
        counts = np.empty((int(offsets[-1]), n_classes), dtype=np.int64)
        n_dense = len(self.narrow) + len(self.wide)
        for batch, first in ((self.narrow, 0), (self.wide, len(self.narrow))):
            members = (first <= self.place) & (self.place < first + len(batch))
            if len(batch):
                sizes = np.concatenate([[0], np.cumsum(self.n_bins[members] + 1)]).astype(np.int64)
                rows = np.repeat(members, self.n_bins + 1)
                counts[rows] = count_codes(batch, target, weights, sizes, n_classes)
        for j in np.flatnonzero(self.place >= n_dense).tolist():
            column = self.column(j)[np.newaxis]
            sizes = np.array([0, self.n_bins[j] + 1], dtype=np.int64)
            counts[offsets[j] : offsets[j + 1]] = count_codes(column, target, weights, sizes, n_classes)
        return counts


class CodeBuilder:
    """Collects the codes of one batch of columns after another."""

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._narrow: list[NDArray[np.uint8]] = []
        self._wide: list[NDArray[np.uint16]] = []
        self._sparse: list[SparseCodes] = []
        self._kinds: list[int] = []
        self._n_bins: list[int] = []

    def add(
        self, batch: ColumnBatch, rows: NDArray[np.int64], bins: Sequence[NDArray[np.int64]], n_bins: Sequence[int]
    ) -> None:
        """Add some rows of the next columns; ``bins`` are the codes of each column's labels, missing last."""
        self._n_bins += n_bins
        is_sparse, sparse = batch.sparse_codes(rows, bins)
        self._sparse.append(sparse)
        # 0: narrow, 1: wide, 2: sparse
        kinds = np.where(is_sparse, 2, np.array(n_bins, dtype=np.int64) >= _WIDE)
        self._kinds += kinds.tolist()
        for kind, dtype, codes in ((0, np.uint8, self._narrow), (1, np.uint16, self._wide)):
            columns = np.flatnonzero(kinds == kind)
            if len(columns):
                codes.append(np.empty((len(columns), self._n_rows), dtype=dtype))
                batch.take(columns).code(rows, [bins[j] for j in columns.tolist()], codes[-1])

    def build(self) -> Codes:
        """Return all columns; the builder is used up."""
        kinds = np.array(self._kinds, dtype=np.int64)
        place = np.empty(len(kinds), dtype=np.int64)
        place[np.argsort(kinds, kind="stable")] = np.arange(len(kinds))
        narrow = _join(self._narrow, np.empty((int((kinds == 0).sum()), self._n_rows), dtype=np.uint8))
        wide = _join(self._wide, np.empty((int((kinds == 1).sum()), self._n_rows), dtype=np.uint16))
        return Codes(narrow, wide, place, np.array(self._n_bins, dtype=np.int64), SparseCodes.join(self._sparse))


def _join(batches: list[NDArray[Scalar]], joined: NDArray[Scalar]) -> NDArray[Scalar]:
    """Move batches into one array; each is freed at once, so that peak memory does not double."""
    end = len(joined)
    while batches:
        batch = batches.pop()
        joined[end - len(batch) : end] = batch
        end -= len(batch)
    return joined
