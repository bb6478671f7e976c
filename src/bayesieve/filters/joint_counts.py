# SPDX-License-Identifier: BSD-3-Clause
"""Σ n log n over the joint tables of two coded columns, with and without the class: the kernel of the filters.

The compiled core joins bit-planes of columns of few codes and counts the bits; other columns are counted row by row,
into an array or a hash table by size. The NumPy version counts directly and gives the same integers. Sums are turned
into information terms of a selected column s and each candidate f, in N times fixed-point nats.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Ints
from bayesieve.bins import Codes
from bayesieve.filters.univariate import ClassTables, FixedLogs, shared_uncertainty

__all__ = ["CodedColumns", "JointSums", "JointSumsNumpy", "PairTerms", "joint_sums"]


@dataclass(frozen=True)
class CodedColumns:
    """Columns of rows sorted by class: codes below each column's number of bins, classes, positive weights in units."""

    codes: Codes
    target: NDArray[np.int32]
    weights: Ints
    n_classes: int

    @property
    def logs(self) -> FixedLogs:
        """Logarithms for this total weight."""
        return FixedLogs(int(self.weights.sum()))


class JointSumsNumpy:
    """Specification of the counts of the compiled core, and their fallback."""

    def __init__(self, rows: CodedColumns) -> None:
        self._rows, self._logs = rows, rows.logs

    def sums(self, other: int, columns: Ints, *, with_class: bool) -> tuple[Ints, Ints | None]:
        """Return the sums over the cells of (column, other), and over those of (column, other, class) if needed."""
        codes, classes = self._rows.codes, self._rows.n_classes
        other_codes = codes.column(other).astype(np.int64)
        pairs, triples = np.empty(len(columns), dtype=np.int64), np.empty(len(columns), dtype=np.int64)
        for i, j in enumerate(columns.tolist()):
            cells = other_codes * codes.n_bins[j] + codes.column(j)
            pairs[i] = self._sum(cells)
            if with_class:
                triples[i] = self._sum(cells * classes + self._rows.target)
        return pairs, triples if with_class else None

    def _sum(self, cells: Ints) -> int:
        distinct, place = np.unique(cells, return_inverse=True)
        counts = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(counts, place.ravel(), self._rows.weights)
        return int(self._logs.of(counts).sum())


class JointSums:
    """Counts on the compiled core; codes are not copied and must not change."""

    def __init__(self, rows: CodedColumns, n_threads: int = 1) -> None:
        codes, sparse = rows.codes, rows.codes.sparse
        arrays: tuple[NDArray[Any], ...] = (codes.narrow, codes.wide, codes.place, codes.n_bins, *sparse.arrays)
        self._core = core.JointSums(arrays, rows.target, rows.weights, rows.n_classes, rows.logs.shift, n_threads)

    def sums(self, other: int, columns: Ints, *, with_class: bool) -> tuple[Ints, Ints | None]:
        """Return the sums over the cells of (column, other), and over those of (column, other, class) if needed."""
        return self._core.sums(other, columns, with_class)


def joint_sums(rows: CodedColumns, n_threads: int = 1) -> JointSums | JointSumsNumpy:
    """Return the compiled counter, or the NumPy version without the compiled core."""
    if core is None:
        warn_if_missing()
        return JointSumsNumpy(rows)
    return JointSums(rows, n_threads)


@dataclass(frozen=True)
class PairTerms:
    """Information terms of candidates and one selected column; none is negative."""

    tables: ClassTables
    counter: JointSums | JointSumsNumpy
    selected: int
    columns: Ints
    with_class: bool = True

    @cached_property
    def _sums(self) -> tuple[Ints, Ints]:
        pairs, triples = self.counter.sums(self.selected, self.columns, with_class=self.with_class)
        return pairs, pairs if triples is None else triples

    @property
    def redundancy(self) -> Ints:
        """I(f; s)."""
        bins = self.tables.bins
        return np.asarray(
            np.maximum(self.tables.logs.of_total - bins[self.columns] - bins[self.selected] + self._sums[0], 0)
        )

    @property
    def conditional_redundancy(self) -> Ints:
        """I(f; s | Y)."""
        cells = self.tables.cell_log_sums
        return np.asarray(
            np.maximum(self.tables.classes + self._sums[1] - cells[self.columns] - cells[self.selected], 0)
        )

    @property
    def joint_relevance(self) -> Ints:
        """I(f, s; Y)."""
        pairs, triples = self._sums
        return np.asarray(np.maximum(self.tables.logs.of_total - self.tables.classes - pairs + triples, 0))

    @property
    def conditional_relevance(self) -> Ints:
        """I(f; Y | s)."""
        pairs, triples = self._sums
        return np.asarray(
            np.maximum(self.tables.bins[self.selected] - self.tables.cell_log_sums[self.selected] - pairs + triples, 0)
        )

    @property
    def joint_entropy(self) -> Ints:
        """H(f, s, Y)."""
        return self.tables.logs.of_total - self._sums[1]

    @property
    def symmetric_uncertainty(self) -> NDArray[np.float64]:
        """2 I(f; s) / (H(f) + H(s)), 0 if either entropy is 0."""
        bins = self.tables.bins
        both = 2 * self.tables.logs.of_total - bins[self.columns] - bins[self.selected]
        return shared_uncertainty(self.redundancy, both)
