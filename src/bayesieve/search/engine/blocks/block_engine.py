# SPDX-License-Identifier: BSD-3-Clause
"""The engine on blocks of rows: the same kernel on each block, and a merge.

Every measure of a pointwise criterion is a sum of integers over rows, so blocks add up to what one process would find,
to the last bit. Estimates add up too, and so do their bounds. A step sends the subset and the moves, and brings back
two numbers per move; the few that could be best are then asked for exactly. For criteria of ranks, `BlockRanks`
brings back something else.
"""

from collections.abc import Sequence
from functools import partial
from typing import cast

import numpy as np

from bayesieve._typing import Floats
from bayesieve.models import Model
from bayesieve.search.criteria import Criterion
from bayesieve.search.criteria.ranking import RankCriterion
from bayesieve.search.engine.base import Scorer, Segment, Segments, Words, add_words
from bayesieve.search.engine.blocks.block_ranks import BlockRanks
from bayesieve.search.engine.blocks.subset_state import SubsetBlocks
from bayesieve.search.engine.memory import compiled_rows, has_kernels
from bayesieve.search.engine.moves import Moves
from bayesieve.search.engine.reference_rows import ReferenceRows
from bayesieve.search.engine.scan_and_confirm import Columns, Rows, ScanEngine, Starts

__all__ = ["BlockRowScores", "DistributedEngine"]


class DistributedEngine(ScanEngine):
    """Scores moves on blocks of rows; each block holds its own part of every segment."""

    def __init__(
        self, segments: Segments, model: Model, criterion: Criterion, backend: str = "auto", n_threads: int = 1
    ) -> None:
        scorer = Scorer(criterion, segments.masses)
        how = (scorer.slopes, backend, n_threads)
        if criterion.additive:
            super().__init__(BlockRowScores(segments, model, criterion, *how), criterion, scorer)
        else:
            super().__init__(BlockRanks(segments, model, cast(RankCriterion, criterion), *how), criterion, scorer)


class BlockRowScores(SubsetBlocks[Rows]):
    """Rows in blocks, whose measures add up."""

    def __init__(
        self,
        segments: Segments,
        model: Model,
        criterion: Criterion,
        slopes: Sequence[Sequence[float]],
        backend: str = "auto",
        n_threads: int = 1,
    ) -> None:
        super().__init__(segments, partial(_make_rows, model, criterion, slopes, backend, n_threads))
        self.can_estimate: bool = self._ask(_can_estimate, _both)

    def estimate(self, columns: Columns, before: Floats, after: Floats, starts: Starts, effort: int) -> Floats:
        """Return the score after each move of one column, and a bound of its error."""
        return self._ask(_estimates, _add_estimates, columns, before, after, starts, effort)

    def _measure(self, moves: Moves) -> Words:
        return self._ask(_measures, add_words, *moves.arrays)


def _make_rows(
    model: Model,
    criterion: Criterion,
    slopes: Sequence[Sequence[float]],
    backend: str,
    n_threads: int,
    segments: Sequence[Segment],
) -> Rows:
    if backend != "reference" and has_kernels(model, criterion):
        return compiled_rows(segments, model, criterion, slopes, n_threads)
    return ReferenceRows(segments, model, criterion, slopes)


def _measures(rows: Rows, columns: Columns, before: Floats, after: Floats, starts: Starts) -> Words:
    return rows.measure_moves(columns, before, after, starts)


def _estimates(rows: Rows, columns: Columns, before: Floats, after: Floats, starts: Starts, effort: int) -> Floats:
    return rows.estimate(columns, before, after, starts, effort)


def _can_estimate(rows: Rows) -> bool:
    return rows.can_estimate


def _both(a: bool, b: bool) -> bool:
    return a and b


def _add_estimates(a: Floats, b: Floats) -> Floats:
    """Add scores and bounds; what the addition itself may lose goes into the bound."""
    total = a + b
    total[:, 1] = total[:, 1] * (1.0 + 2.0**-50) + np.abs(total[:, 0]) * 2.0**-52
    return total
