# SPDX-License-Identifier: BSD-3-Clause
"""The score table of a pair of columns: what their values add together, beyond what each adds alone."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.bins import Partition
from bayesieve.exact import in_nats

__all__ = ["PairCodes", "PairTable", "join_texts"]

PairCodes = tuple[NDArray[Any], NDArray[Any]]
"""The codes of the two columns of a pair, one of each per row."""


def join_texts(first: str, second: str) -> str:
    """Return the texts of two names, values or bins as one text of the pair."""
    return f"{first} × {second}"


@dataclass(frozen=True)
class PairTable:
    """The weights of evidence of two columns together.

    Attributes
    ----------
    names : tuple of two str
        Names of the columns.
    partitions : tuple of two Partition
        The bins of this pair, which are not those of the columns' own tables.
    table : int64 array of shape (n_bins_a + 1, n_bins_b + 1, n_classes)
        Weight of evidence in multiples of 2^-40 nats; the last row and the last column, *unseen*, are zero.
    counts : array of shape (n_bins_a, n_bins_b, n_classes), or None
        Weight of the training rows per cell and class.
    log_bayes_factor : float or None
        Logarithm of the Bayes factor of the pair against none, in nats.
    gain : float or None
        Improvement of the out-of-fold log loss by the pair, in nats per row.
    """

    names: tuple[str, str]
    partitions: tuple[Partition, Partition]
    table: NDArray[np.int64]
    counts: NDArray[Any] | None = None
    log_bayes_factor: float | None = None
    gain: float | None = None

    def __repr__(self) -> str:
        return f"PairTable({self.label}: {' × '.join(map(str, self.n_bins))} bins)"

    @property
    def label(self) -> str:
        """The two names as one text."""
        return join_texts(*self.names)

    @property
    def n_bins(self) -> tuple[int, int]:
        """Number of bins of each column."""
        return self.partitions[0].n_bins, self.partitions[1].n_bins

    @property
    def cell_mass(self) -> NDArray[Any]:
        """Weight of the training rows per cell, shape (n_bins_a, n_bins_b)."""
        if self.counts is None:
            raise ValueError(f"The table of the pair {self.label!r} has no counts.")
        mass: NDArray[Any] = self.counts.sum(axis=2)
        return mass

    @property
    def cells(self) -> list[tuple[int, int]]:
        """The codes of all cells, row by row, without those of unseen values."""
        n_first, n_second = self.n_bins
        return [(a, b) for a in range(n_first) for b in range(n_second)]

    def contributions(self, c: int) -> Floats:
        """Return what each cell adds to the log-odds of class c against the other, shape (n_bins_a, n_bins_b).

        With more than two classes, what it adds to the score of class c relative to the mean over classes.
        """
        points = in_nats(self.table[:-1, :-1])
        other = points[..., 1 - c] if points.shape[2] == 2 else points.mean(axis=2)
        difference: Floats = points[..., c] - other
        return difference

    def describe(self, first: int, second: int) -> str:
        """Return the description of a cell: its two bins."""
        return join_texts(self.partitions[0].describe(first), self.partitions[1].describe(second))
