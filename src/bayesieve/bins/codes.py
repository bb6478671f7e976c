# SPDX-License-Identifier: BSD-3-Clause
"""Coded rows. Codes are one byte per value, two bytes for columns of many bins, and sparse codes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve.data import ColumnBatch, SparseCodes

__all__ = ["CodeBuilder", "CodedRows", "Codes", "count_codes", "count_codes_numpy"]

IntegerCodes = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]

_MAX_CODES = 65536  # the number of values of a uint16


def count_codes(
    codes: IntegerCodes,
    target: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    n_classes: int,
) -> npt.NDArray[np.int64]:
    """Count every column at once, with the compiled core if it is available.

    Parameters
    ----------
    codes : uint8 or uint16 array of shape (n_columns, n_rows), C-contiguous
    target : int32 array of shape (n_rows,)
        Class of each row, from 0 to ``n_classes - 1``.
    weights : int64 array of shape (n_rows,)
        Not negative; 1 counts a row once.
    offsets : int64 array of shape (n_columns + 1,)
        Starts at 0 and does not decrease; see the module's docstring.
    n_classes : int

    Returns
    -------
    counts : int64 array of shape (offsets[-1], n_classes)
        ``counts[offsets[j] + v, c]`` is the weight of the rows with code ``v`` in column ``j`` and class ``c``.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.array([[0, 1, 1]], dtype=np.uint8)
    >>> target = np.array([0, 0, 1], dtype=np.int32)
    >>> weights = np.array([1, 1, 5], dtype=np.int64)
    >>> count_codes(codes, target, weights, np.array([0, 2]), n_classes=2)
    array([[1, 0],
           [1, 5]])
    """
    if core is None:
        warn_if_missing()
        return count_codes_numpy(codes, target, weights, offsets, n_classes)
    return core.count_codes(codes, target, weights, offsets, n_classes)


def count_codes_numpy(
    codes: IntegerCodes,
    target: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    n_classes: int,
) -> npt.NDArray[np.int64]:
    """Specification of `count_codes`, and its fallback without the compiled core."""
    _check_arrays(codes, target, weights, offsets)
    _check_ranges(codes, target, weights, offsets, n_classes)
    counts = np.zeros((int(offsets[-1]), n_classes), dtype=np.int64)
    # A float64 holds every integer below 2**53, so bincount's sums are exact there.
    fits_float = _total(weights) < 2**53
    for column, start, stop in zip(codes, offsets[:-1], offsets[1:], strict=True):
        cells = column.astype(np.int64) * n_classes + target
        block = counts[start:stop].reshape(-1)
        if fits_float:
            block[:] = np.bincount(cells, weights=weights, minlength=block.size)
        else:
            np.add.at(block, cells, weights)
    return counts


def _total(weights: npt.NDArray[np.int64]) -> int:
    """Sum without overflow: high and low halves separately."""
    return (int((weights >> 32).sum()) << 32) + int((weights & 0xFFFFFFFF).sum())


def _check_arrays(
    codes: IntegerCodes, target: npt.NDArray[np.int32], weights: npt.NDArray[np.int64], offsets: npt.NDArray[np.int64]
) -> None:
    """Refuse wrong shapes and dtypes, with the messages of the compiled core."""
    if codes.ndim != 2 or codes.dtype not in (np.uint8, np.uint16) or not codes.flags.c_contiguous:
        raise ValueError("codes must be a C-contiguous uint8 or uint16 array of shape (n_columns, n_rows)")
    n_columns, n_rows = codes.shape
    for name, array, dtype, size, shape in (
        ("target", target, np.int32, n_rows, "(n_rows,)"),
        ("weights", weights, np.int64, n_rows, "(n_rows,)"),
        ("offsets", offsets, np.int64, n_columns + 1, "(n_columns + 1,)"),
    ):
        if array.shape != (size,) or array.dtype != dtype or not array.flags.c_contiguous:
            raise ValueError(f"{name} must be a contiguous {np.dtype(dtype)} array of shape {shape}")


def _check_ranges(
    codes: IntegerCodes,
    target: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    n_classes: int,
) -> None:
    """Refuse values out of range, with the messages of the compiled core."""
    n_codes = np.diff(offsets)
    rows = codes.shape[1]
    faults = {
        "offsets must start at 0": offsets[0] != 0,
        "offsets must not decrease": (n_codes < 0).any(),
        f"a column must not have more than {_MAX_CODES} codes": (n_codes > _MAX_CODES).any(),
        "n_classes must be at least 1": n_classes < 1,
        "target must hold values from 0 to n_classes - 1": ((target < 0) | (target >= n_classes)).any(),
        "weights must not be negative": (weights < 0).any(),
        "weights must sum to less than 2**63": _total(weights) >= 2**63,
        "codes of a column must be smaller than its number of codes in offsets": rows > 0
        and (codes.max(axis=1) >= n_codes).any(),
    }
    for message, present in faults.items():
        if present:
            raise ValueError(message)


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

    @property
    def are_narrow(self) -> NDArray[np.bool_]:
        """Whether the codes of each column fit a byte."""
        return np.asarray(self.n_bins < _WIDE)

    def pick(self, columns: Sequence[int], rows: NDArray[np.intp]) -> "Codes":
        """Return some rows of some columns, of at most 255 bins each."""
        places = self.place[list(columns)]
        if (places < len(self.narrow)).all():
            narrow = self.narrow[places[:, None], rows]
        else:
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
        self._n_bins: list[NDArray[np.int64]] = []

    def add(
        self, batch: ColumnBatch, rows: NDArray[np.int64], bins: Sequence[NDArray[np.int64]], n_bins: npt.ArrayLike
    ) -> None:
        """Add some rows of the next columns; ``bins`` are the codes of each column's labels, missing last."""
        n_bins = np.asarray(n_bins, dtype=np.int64)
        self._n_bins.append(n_bins)
        is_sparse, sparse = batch.sparse_codes(rows, bins)
        self._sparse.append(sparse)
        # 0: narrow, 1: wide, 2: sparse
        kinds = np.where(is_sparse, 2, n_bins >= _WIDE)
        self._kinds += kinds.tolist()
        for kind, dtype, codes in ((0, np.uint8, self._narrow), (1, np.uint16, self._wide)):
            columns = np.flatnonzero(kinds == kind)
            if len(columns):
                codes.append(np.empty((len(columns), self._n_rows), dtype=dtype))
                some = bins if len(columns) == len(bins) else [bins[j] for j in columns.tolist()]
                batch.take(columns).code(rows, some, codes[-1])

    def build(self) -> Codes:
        """Return all columns; the builder is used up."""
        kinds = np.array(self._kinds, dtype=np.int64)
        place = np.empty(len(kinds), dtype=np.int64)
        place[np.argsort(kinds, kind="stable")] = np.arange(len(kinds))
        narrow = _join(self._narrow, np.empty((int((kinds == 0).sum()), self._n_rows), dtype=np.uint8))
        wide = _join(self._wide, np.empty((int((kinds == 1).sum()), self._n_rows), dtype=np.uint16))
        n_bins = np.concatenate([np.empty(0, dtype=np.int64), *self._n_bins])
        return Codes(narrow, wide, place, n_bins, SparseCodes.join(self._sparse))


def _join(batches: list[NDArray[Scalar]], joined: NDArray[Scalar]) -> NDArray[Scalar]:
    """Move batches into one array; each is freed at once, so that peak memory does not double."""
    end = len(joined)
    if len(batches) == 1:
        return batches.pop()
    while batches:
        batch = batches.pop()
        joined[end - len(batch) : end] = batch
        end -= len(batch)
    return joined


@dataclass(frozen=True)
class CodedRows:
    """Rows of a table whose values are bins.

    Attributes
    ----------
    codes : Codes
        The bin of each column and row.
    target : int32 array of shape (n_rows,)
        The number of the class.
    weights : int64 array of shape (n_rows,)
        Weight of each row, in multiples of a unit.
    n_classes : int
        Number of classes.
    """

    codes: Codes
    target: NDArray[np.int32]
    weights: NDArray[np.int64]
    n_classes: int
