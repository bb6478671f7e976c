"""Code columns, feature-major: one byte a cell, two only where a column needs it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core
from bayesieve.coding.counting import count_codes
from bayesieve.data import Column

__all__ = ["CodeBuilder", "Codes", "look_up"]


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
    """Collects the codes of one column after another."""

    def __init__(self, n_columns: int, n_rows: int) -> None:
        self._narrow = np.empty((n_columns, n_rows), dtype=np.uint8)
        self._wide: list[NDArray[np.uint16]] = []
        self._place: list[int] = []
        self._n_parts: list[int] = []

    def add(self, column: Column, rows: NDArray[np.int64], parts: NDArray[np.intp], n_parts: int) -> None:
        """Add some rows of the next column; ``parts`` are the codes of its labels, missing last."""
        if n_parts < 2**8:
            place = len(self._place) - len(self._wide)
            look_up(column.ids, rows, parts, self._narrow[place])
        else:
            self._wide.append(np.empty(len(rows), dtype=np.uint16))
            place = -len(self._wide)
            look_up(column.ids, rows, parts, self._wide[-1])
        self._place.append(place)
        self._n_parts.append(n_parts)

    def build(self) -> Codes:
        """Return all columns."""
        n_rows = self._narrow.shape[1]
        wide = np.array(self._wide, dtype=np.uint16).reshape(len(self._wide), n_rows)
        narrow = self._narrow[: len(self._place) - len(wide)]
        return Codes(narrow, wide, np.array(self._place, dtype=np.int64), np.array(self._n_parts, dtype=np.int64))


def look_up(
    ids: NDArray[np.int32],
    rows: NDArray[np.int64],
    parts: NDArray[np.intp],
    codes: NDArray[np.uint8] | NDArray[np.uint16],
) -> None:
    """Write the part of each row's label into ``codes``."""
    if core is None:
        codes[:] = parts[ids[rows]]
    else:
        core.look_up(ids, rows, parts, codes)
