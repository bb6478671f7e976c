"""Code columns, feature-major: one byte a cell, two only where a column needs it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding.counting import count_codes
from bayesieve.data import Block

__all__ = ["CodeBuilder", "Codes"]

Scalar = TypeVar("Scalar", np.uint8, np.uint16)


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


class CodeBuilder:
    """Collects the codes of one block of columns after another."""

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._narrow: list[NDArray[np.uint8]] = []
        self._wide: list[NDArray[np.uint16]] = []
        self._n_parts: list[int] = []

    def add(
        self, block: Block, rows: NDArray[np.int64], parts: Sequence[NDArray[np.int64]], n_parts: Sequence[int]
    ) -> None:
        """Add some rows of the next columns; ``parts`` are the codes of each column's labels, missing last."""
        self._n_parts += n_parts
        fits = _is_narrow(n_parts)
        for which, dtype, codes in ((fits, np.uint8, self._narrow), (~fits, np.uint16, self._wide)):
            if which.any():
                columns = np.flatnonzero(which)
                codes.append(np.empty((len(columns), self._n_rows), dtype=dtype))
                block.take(columns).code(rows, [parts[j] for j in columns.tolist()], codes[-1])

    def build(self) -> Codes:
        """Return all columns; the builder is used up."""
        fits = _is_narrow(self._n_parts)
        # The k-th of the narrow columns is at k, the k-th of the wide ones at -1 - k.
        place = np.where(fits, np.cumsum(fits) - 1, -1 * np.cumsum(~fits)).astype(np.int64)
        narrow = _join(self._narrow, np.empty((int(fits.sum()), self._n_rows), dtype=np.uint8))
        wide = _join(self._wide, np.empty((int((~fits).sum()), self._n_rows), dtype=np.uint16))
        return Codes(narrow, wide, place, np.array(self._n_parts, dtype=np.int64))


def _is_narrow(n_parts: Sequence[int]) -> NDArray[np.bool_]:
    narrow: NDArray[np.bool_] = np.array(n_parts, dtype=np.int64) < 2**8
    return narrow


def _join(blocks: list[NDArray[Scalar]], whole: NDArray[Scalar]) -> NDArray[Scalar]:
    """Move blocks into one array; each is freed at once, so that memory does not double."""
    end = len(whole)
    while blocks:
        block = blocks.pop()
        whole[end - len(block) : end] = block
        end -= len(block)
    return whole
