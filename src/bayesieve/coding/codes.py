"""Code columns, feature-major: one byte a cell, two only where a column needs it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding.counting import count_codes
from bayesieve.coding.partition import Partition
from bayesieve.data import Table

__all__ = ["Codes", "encode_table"]


@dataclass(frozen=True)
class Codes:
    """Codes of every column.

    Attributes
    ----------
    narrow : uint8 array of shape (n_narrow, n_rows)
        Columns of at most 255 parts.
    wide : uint16 array of shape (n_wide, n_rows)
        The others.
    place : int64 array of shape (n_columns,)
        Row of ``narrow``, or -1 - row of ``wide``.
    n_parts : int64 array of shape (n_columns,)
        Codes 0 .. n_parts - 1 are parts, n_parts is *unseen*.
    """

    narrow: NDArray[np.uint8]
    wide: NDArray[np.uint16]
    place: NDArray[np.int64]
    n_parts: NDArray[np.int64]

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
        return np.concatenate([[0], np.cumsum(self.n_parts + 1)]).astype(np.int64)

    def column(self, j: int) -> NDArray[np.uint8] | NDArray[np.uint16]:
        """Return the codes of one column."""
        place = int(self.place[j])
        codes: NDArray[np.uint8] | NDArray[np.uint16] = self.narrow[place] if place >= 0 else self.wide[-1 - place]
        return codes

    def pick(self, columns: Sequence[int], rows: NDArray[np.intp]) -> "Codes":
        """Return some rows of some columns of at most 255 parts."""
        narrow = self.narrow[np.ix_(self.place[list(columns)], rows)]
        return Codes(narrow, self.wide[:0, rows], np.arange(len(narrow)), self.n_parts[list(columns)])

    def count(self, target: NDArray[np.int32], weights: NDArray[np.int64], n_classes: int) -> NDArray[np.int64]:
        """Return the weight of each code of each column in each class, shape (offsets[-1], n_classes)."""
        counts = np.empty((int(self.offsets[-1]), n_classes), dtype=np.int64)
        for block, members in ((self.narrow, self.place >= 0), (self.wide, self.place < 0)):
            if not len(block):
                continue
            sizes = self.n_parts[members] + 1
            offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
            rows = np.repeat(members, self.n_parts + 1)
            counts[rows] = count_codes(block, target, weights, offsets, n_classes)
        return counts


def encode_table(table: Table, partitions: Sequence[Partition]) -> Codes:
    """Encode each column by its partition."""
    n_parts = np.array([partition.n_parts for partition in partitions], dtype=np.int64)
    is_wide = n_parts >= 2**8
    n_wide = int(is_wide.sum())
    place = np.where(is_wide, 0 - np.cumsum(is_wide), np.arange(len(n_parts)) - np.cumsum(is_wide)).astype(np.int64)
    narrow = np.empty((len(n_parts) - n_wide, table.n_rows), dtype=np.uint8)
    wide = np.empty((n_wide, table.n_rows), dtype=np.uint16)
    for column, partition, where in zip(table.columns, partitions, place.tolist(), strict=True):
        block, row = (narrow, where) if where >= 0 else (wide, -1 - where)
        block[row] = partition.encode(column)
    return Codes(narrow, wide, place, n_parts)
