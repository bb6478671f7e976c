"""Adjacent columns of a table that are counted and coded together."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.data.column import Values
from bayesieve.data.sparse_codes import SparseCodes

__all__ = ["CodeRows", "ColumnBatch", "LabeledColumns", "Strata", "entries_of"]

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
