"""What a chosen column s means for each candidate f, from the joint counts of the two, in N times fixed-point nats."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayesieve.filters.class_tables import ClassTables
from bayesieve.filters.joint_sums import JointSums, JointSumsNumpy

__all__ = ["PairTerms"]

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class PairTerms:
    """Informations of candidates and one chosen column; none is negative."""

    tables: ClassTables
    counter: JointSums | JointSumsNumpy
    chosen: int
    columns: Ints
    with_class: bool = True

    @cached_property
    def _sums(self) -> tuple[Ints, Ints]:
        pairs, triples = self.counter.sums(self.chosen, self.columns, with_class=self.with_class)
        return pairs, pairs if triples is None else triples

    @property
    def redundancy(self) -> Ints:
        """I(f; s)."""
        parts = self.tables.parts
        return np.asarray(
            np.maximum(self.tables.logs.whole - parts[self.columns] - parts[self.chosen] + self._sums[0], 0)
        )

    @property
    def conditional_redundancy(self) -> Ints:
        """I(f; s | Y)."""
        cells = self.tables.cells
        return np.asarray(np.maximum(self.tables.classes + self._sums[1] - cells[self.columns] - cells[self.chosen], 0))

    @property
    def joint_relevance(self) -> Ints:
        """I(f, s; Y)."""
        pairs, triples = self._sums
        return np.asarray(np.maximum(self.tables.logs.whole - self.tables.classes - pairs + triples, 0))

    @property
    def conditional_relevance(self) -> Ints:
        """I(f; Y | s)."""
        pairs, triples = self._sums
        return np.asarray(
            np.maximum(self.tables.parts[self.chosen] - self.tables.cells[self.chosen] - pairs + triples, 0)
        )

    @property
    def joint_entropy(self) -> Ints:
        """H(f, s, Y)."""
        return self.tables.logs.whole - self._sums[1]

    @property
    def symmetric_uncertainty(self) -> NDArray[np.float64]:
        """2 I(f; s) / (H(f) + H(s)), 0 if either entropy is 0."""
        parts = self.tables.parts
        both = 2 * self.tables.logs.whole - parts[self.columns] - parts[self.chosen]
        shared = 2 * self.redundancy
        return np.asarray(np.divide(shared, both, out=np.zeros(len(both)), where=(both > 0) & (shared > 0)))
