"""Coded rows of every fold, in memory or in blocks, and what training asks of them wherever they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import add
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve.engine import BlockSegments, Segment
from bayesieve.models import Model, Tables
from bayesieve.search import fingerprint
from bayesieve.training.scored_rows import BlockScorer, RowScorer

__all__ = ["BlockFolds", "CodedFolds", "MemoryFolds"]

_MOST_SAMPLED: Final = 1 << 19  # rows
_MOST_CODES: Final = 1 << 28  # bytes


class MemoryFolds(tuple[Segment, ...]):
    """A segment per fold."""

    __slots__ = ()

    def separate(self) -> Sequence[Segment | BlockSegments]:
        """Return each fold alone."""
        return self

    def scorer(self, model: Model, *, joined: bool) -> RowScorer:
        """Return what scores these rows by candidates, fold by fold or joined."""
        return RowScorer(self, model, joined=joined)

    def fingerprints(self) -> list[str]:
        """Return a fingerprint of all that decides the scores."""
        return _fingerprints(self)

    def leave_one_out(self) -> "MemoryFolds":
        """Return the rows of each class, with tables from which each row itself is left out."""
        rows = self[0]
        tables = [rows.tables.without_own(c) for c in range(rows.n_classes)]
        return MemoryFolds(segment for segment in _by_class(self, tables) if segment.codes.n_rows)

    def in_memory(self, unit: float) -> tuple["MemoryFolds", float]:
        """Return rows that can be held in memory, and the unit of their weights."""
        return self, unit


@dataclass(frozen=True)
class BlockFolds(BlockSegments):
    """A segment per fold, in blocks of rows."""

    def separate(self) -> Sequence[Segment | BlockSegments]:
        """Return each fold alone."""
        return [self.part(s) for s in range(len(self))]

    def scorer(self, model: Model, *, joined: bool) -> BlockScorer:
        """Return what scores these rows by candidates, fold by fold or joined."""
        return BlockScorer(self.blocks, model, joined=joined)

    def fingerprints(self) -> list[str]:
        """Return a fingerprint per block of all that decides the scores."""
        return self.blocks.reduce(_fingerprints, add)

    def leave_one_out(self) -> "BlockFolds":
        """Return the rows of each class, with tables from which each row itself is left out."""
        classes = range(self.n_classes)
        tables, mass = [self.tables[0].without_own(c) for c in classes], self.masses[0]
        masses = [tuple(mass[c] if c == own else 0 for c in classes) for own in classes]
        return BlockFolds(self.blocks.map(_by_class, tables), masses, tables, self.n_classes)

    def in_memory(self, unit: float) -> "tuple[BlockFolds | MemoryFolds, float]":
        """Return rows that can be held in memory, and the unit of their weights.

        Without the memory for all rows, an evenly spread sample stands for them, and each row for those in between.
        """
        if self.blocks.holds:
            return self, unit
        n_rows = self.blocks.reduce(_n_rows, add)
        most = max(1, min(_MOST_SAMPLED, _MOST_CODES // max(1, self.n_columns)))
        step = -(-n_rows // most)
        return MemoryFolds(each for each in self.sampled(step) if each.codes.n_rows), unit * step


CodedFolds = MemoryFolds | BlockFolds


def _n_rows(segments: Sequence[Segment]) -> int:
    return sum(segment.codes.n_rows for segment in segments)


def _by_class(segments: Sequence[Segment], tables: Sequence[Tables]) -> list[Segment]:
    """Return the rows of each class, which are neighbors, each class with its own tables."""
    rows = segments[0]
    ends = np.append(0, np.cumsum(np.bincount(rows.target, minlength=rows.n_classes))).tolist()
    return [
        Segment(rows.codes.between(a, b), rows.target[a:b], rows.weights[a:b], own, rows.n_classes)
        for own, (a, b) in zip(tables, pairwise(ends), strict=True)
    ]


def _fingerprints(segments: Sequence[Segment]) -> list[str]:
    arrays: list[NDArray[Any]] = []
    for segment in segments:
        codes, tables = segment.codes, segment.tables
        arrays += [codes.narrow, codes.wide, *codes.sparse.arrays]
        arrays += [segment.target, segment.weights, tables.start, tables.entries]
        arrays += [array for array in (tables.lowered, segment.benefits) if array is not None]
    return [fingerprint(arrays)]
