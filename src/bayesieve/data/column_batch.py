"""Columns next to each other in a table, whose rows are counted and coded together."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bayesieve.data.column import Values
from bayesieve.data.sparse_codes import SparseCodes

__all__ = ["CodeRows", "ColumnBatch", "Ints", "LabeledColumns", "Strata", "entries_of"]

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
class LabeledColumns(ABC):
    """Some columns: their names and labels, all together."""

    columns: Sequence[Values]
    n_threads: int

    @cached_property
    def offsets(self) -> Ints:
        """Where the labels of each column begin in a list of all, *missing* as the last label of each."""
        sizes = [len(column.labels) + 1 for column in self.columns]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def split(self, n_labels: int) -> Iterator[tuple[int, Self]]:
        """Divide the columns into batches of at most so many labels, or of one column; each with its first position."""
        ends, first = self.offsets[1:], 0
        while first < len(self.columns):
            end = max(first + 1, int(np.searchsorted(ends, self.offsets[first] + n_labels, side="right")))
            yield first, self.take(np.arange(first, end))
            first = end

    @abstractmethod
    def take(self, which: NDArray[np.intp]) -> Self:
        """Return a batch of some columns, in increasing order."""


class ColumnBatch(LabeledColumns):
    """Columns with their rows, in a form that a subclass knows."""

    @abstractmethod
    def count(self, strata: Strata) -> Ints:
        """Return the weight of each label of each column in each stratum."""

    @abstractmethod
    def code(self, rows: Ints, parts: Sequence[Ints], codes: CodeRows) -> None:
        """Write the codes of some rows; ``parts`` are those of each column's labels, missing last."""

    def sparse_codes(self, rows: Ints, parts: Sequence[Ints]) -> tuple[NDArray[np.bool_], SparseCodes]:
        """Tell which columns are best coded by their entries alone, and return the codes of those."""
        return np.zeros(len(self.columns), dtype=bool), SparseCodes.join([])


def entries_of(begins: Ints, which: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return where the entries of some columns stand, in increasing order, given where those of each column begin."""
    chosen = np.zeros(len(begins) - 1, dtype=bool)
    chosen[which] = True
    return np.flatnonzero(np.repeat(chosen, np.diff(begins)))
