# SPDX-License-Identifier: BSD-3-Clause
"""Information terms of a selected column s and each candidate f, in N times fixed-point nats."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.filters.joint_counts import JointSums, JointSumsNumpy
from bayesieve.filters.univariate import ClassTables, shared_uncertainty

__all__ = ["PairTerms"]


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
