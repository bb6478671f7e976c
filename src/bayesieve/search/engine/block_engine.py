# SPDX-License-Identifier: BSD-3-Clause
"""The engine on blocks of rows: the same kernel on each block, and a merge.

Every measure of a pointwise criterion is a sum of integers over rows, so blocks add up to what one process would find,
to the last bit. Estimates add up too, and so do their bounds. A step sends the subset and the moves, and brings back
two numbers per move; the few that could be best are then asked for exactly.

For criteria of ranks, blocks bring back what they have at each key, and it merges by key. Where evidence adds up, the
area under the ROC curve is first bounded by histograms of few buckets for all moves, then of more buckets for those
that could be best; the tables of all keys are asked for the few that are left. The pairs of two blocks do not follow
from those of each, so nothing less than the rows at each key would be exact. Early in a search there are few keys, and
their tables are smaller than histograms.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.models import Model
from bayesieve.search.criteria import Criterion
from bayesieve.search.criteria.ranking import RankCriterion, ranked_classes
from bayesieve.search.engine.block_state import Subset, SubsetBlocks
from bayesieve.search.engine.moves import Change, Columns, Moves, Starts
from bayesieve.search.engine.rank_summaries import (
    RankTable,
    add_histograms,
    bounds_of,
    equal_weights,
    merge_buckets,
    merge_ranges,
    merge_tables,
    merged_limits,
    narrow,
    shift_ranges,
    widths_of,
)
from bayesieve.search.engine.reference import ReferenceRanks, ReferenceScores, words_of
from bayesieve.search.engine.scan_and_confirm import RowRanks, RowScores, ScanEngine, compiled_rows, has_kernels
from bayesieve.search.engine.scorer import Scorer, Words, add_words
from bayesieve.search.engine.segments import Segment, Segments

__all__ = ["BlockRanks", "BlockScores", "DistributedEngine"]

_FEW_BUCKETS: Final = 256  # of every move
_COUNTED: Final = 32  # equal buckets that are counted for one that is sent
_STATE_BUCKETS: Final = 2048  # equal buckets of the present state, to find equal weights
_COUNTED_AT_ONCE: Final = 1 << 21  # by a block
_MOST_BUCKETS: Final = 1 << 16  # of those that are left
_ROOM: Final = 1 << 16  # buckets of all moves of a second look together
_TABLES_AT_ONCE: Final = 8  # of a message
_FEW_KEYS: Final = 4096  # of a table that is asked for without a histogram
_FEW_TABLES_AT_ONCE: Final = 512
_HISTOGRAMS_AT_ONCE: Final = 4096


class DistributedEngine(ScanEngine):
    """Scores moves on blocks of rows; each block holds its own part of every segment."""

    def __init__(
        self, segments: Segments, model: Model, criterion: Criterion, backend: str = "auto", n_threads: int = 1
    ) -> None:
        scorer = Scorer(criterion, segments.masses)
        how = (scorer.slopes, backend, n_threads)
        if criterion.additive:
            super().__init__(BlockScores(segments, model, criterion, *how), criterion, scorer)
        else:
            super().__init__(BlockRanks(segments, model, cast(RankCriterion, criterion), *how), criterion, scorer)


class BlockScores(SubsetBlocks[RowScores]):
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
) -> RowScores:
    if backend != "reference" and has_kernels(model, criterion):
        return compiled_rows(segments, model, criterion, slopes, n_threads)
    return ReferenceScores(segments, model, criterion, slopes)


def _measures(rows: RowScores, columns: Columns, before: Floats, after: Floats, starts: Starts) -> Words:
    return rows.measure_moves(columns, before, after, starts)


def _estimates(rows: RowScores, columns: Columns, before: Floats, after: Floats, starts: Starts, effort: int) -> Floats:
    return rows.estimate(columns, before, after, starts, effort)


def _can_estimate(rows: RowScores) -> bool:
    return rows.can_estimate


def _both(a: bool, b: bool) -> bool:
    return a and b


def _add_estimates(a: Floats, b: Floats) -> Floats:
    """Add scores and bounds; what the addition itself may lose goes into the bound."""
    total = a + b
    total[:, 1] = total[:, 1] * (1.0 + 2.0**-50) + np.abs(total[:, 0]) * 2.0**-52
    return total


class BlockRanks(SubsetBlocks[RowRanks]):
    """Rows in blocks, whose ranks merge."""

    def __init__(
        self,
        segments: Segments,
        model: Model,
        criterion: RankCriterion,
        slopes: Sequence[Sequence[float]],
        backend: str = "auto",
        n_threads: int = 1,
    ) -> None:
        super().__init__(segments, partial(_make_ranks, model, criterion, slopes, backend, n_threads))
        self._criterion = criterion
        self._tables = segments.tables
        self._n_ranked = len(ranked_classes(segments.n_classes))
        self._slopes = np.array(slopes)
        # Bounds hold for pairs of rows, and where a column adds the same evidence to any state.
        self.can_estimate = model.adds_evidence and criterion.kernel == "pairs"
        self._ranges: tuple[Subset, Ints] | None = None
        self._distribution: tuple[Subset, Ints, NDArray[np.integer]] | None = None

    def estimate(self, columns: Columns, before: Floats, after: Floats, starts: Starts, effort: int) -> Floats:
        """Return the score after each move of one column, and a bound of its error."""
        moves = Moves(columns, before, after, starts)
        bounds = np.empty((len(starts) - 1, 2))
        sizes = np.stack([np.diff(tables.offsets)[columns] for tables in self._tables], axis=1)
        few = (sizes * self._key_ranges()[..., 2].max(axis=1)).max(axis=1) <= _FEW_KEYS
        bounds[few] = self._tabled(moves.take(np.flatnonzero(few)))
        bounds[~few] = self._bucketed(moves.take(np.flatnonzero(~few)), effort)
        return bounds

    def _tabled(self, moves: Moves) -> Floats:
        """Return exact scores, but for the rounding of floats."""
        statistics = np.array(self._statistics(moves, _FEW_TABLES_AT_ONCE), dtype=np.float64)
        terms = statistics.reshape(len(moves), *self._slopes.shape) * self._slopes
        return np.stack([terms.sum(axis=(1, 2)), np.abs(terms).sum(axis=(1, 2)) * 2.0**-48], axis=1)

    def _bucketed(self, moves: Moves, effort: int) -> Floats:
        """Return scores and bounds from histograms."""
        n_buckets = _FEW_BUCKETS if effort == 0 else self._n_buckets_that_fit(max(1, len(moves)))
        size = max(1, _HISTOGRAMS_AT_ONCE * _FEW_BUCKETS // (n_buckets * self._slopes.size))
        bounds = [self._bounded(each, n_buckets) for each in _split(moves, size)]
        return np.concatenate(bounds) if bounds else np.empty((0, 2))

    def _n_buckets_that_fit(self, n_moves: int) -> int:
        """Return as many as there is room for: the fewer moves are left, the narrower their bounds."""
        room = _ROOM // (n_moves * self._slopes.size)
        return int(min(_MOST_BUCKETS, max(2 * _FEW_BUCKETS, 1 << (room.bit_length() - 1))))

    def _bounded(self, moves: Moves, n_buckets: int) -> Floats:
        n_counted = min(_COUNTED * n_buckets, _MOST_BUCKETS)
        buckets = self._equal_buckets(moves, n_counted)
        begins = self._begins(n_buckets)
        histograms = self._ask(_histograms, add_histograms, moves, buckets, n_counted, begins)
        widths = np.diff(merged_limits(buckets, begins, n_counted), axis=-1)
        low, high = bounds_of(histograms, (widths <= 1) & (buckets[..., 1:] == 0))
        middle = self._slopes * (low + high) / 2
        radius = np.abs(self._slopes) * ((high - low) / 2 + high * 2.0**-48)
        return np.stack([middle.sum(axis=(1, 2)), radius.sum(axis=(1, 2))], axis=1)

    def _equal_buckets(self, moves: Moves, n_buckets: int) -> Ints:
        """Return the lowest key and the bits of buckets that hold all keys after each move."""
        ranges = self._key_ranges()[..., :2] + shift_ranges(moves, self._tables)
        return np.stack([ranges[..., 0], widths_of(ranges, n_buckets)], axis=-1)

    def _begins(self, n_merged: int) -> Ints:
        """Return the first keys of merged buckets, of about equal weights in the present state: asked for once."""
        if self._distribution is None or self._distribution[0] != self._present:
            weight = float(dict(self._present).get(0, 0.0))
            nothing = Moves.of([(Change(0, weight, weight),)])
            buckets = self._equal_buckets(nothing, _STATE_BUCKETS)
            counted = self._ask(_histograms, add_histograms, nothing, buckets, _STATE_BUCKETS)
            self._distribution = self._present, buckets, counted
        _, buckets, counted = self._distribution
        begins: Ints = equal_weights(counted, buckets, n_merged)[0]
        return begins

    def _key_ranges(self) -> Ints:
        """Return the range of keys of the present state in each segment, and about how many: asked for once."""
        if self._ranges is None or self._ranges[0] != self._present:
            ranges = self._ask(_key_ranges, merge_ranges)
            empty = ranges[..., :1] > ranges[..., 1:2]
            self._ranges = (self._present, np.where(empty, 0, ranges))
        return self._ranges[1]

    def _measure(self, moves: Moves) -> Words:
        flat = words_of([[tuple(self._statistics(moves, _TABLES_AT_ONCE))]])
        return flat.reshape(len(moves), len(self._tables), self._n_ranked, 2)

    def _statistics(self, moves: Moves, at_once: int) -> list[int]:
        """Return the measure of each move, segment and class, from merged tables."""
        each = max(1, at_once // self._slopes.size)
        merged = (self._ask(_tables, merge_tables, *part.arrays) for part in _split(moves, each))
        return [self._criterion.measure_ties(table.ties) for tables in merged for table in tables]


def _split(moves: Moves, size: int) -> Iterator[Moves]:
    """Yield some moves at a time."""
    for begin in range(0, len(moves), size):
        yield moves.take(np.arange(begin, min(begin + size, len(moves))))


def _make_ranks(
    model: Model,
    criterion: RankCriterion,
    slopes: Sequence[Sequence[float]],
    backend: str,
    n_threads: int,
    segments: Sequence[Segment],
) -> RowRanks:
    if backend != "reference" and has_kernels(model, criterion):
        return compiled_rows(segments, model, criterion, slopes, n_threads)
    return ReferenceRanks(segments, model, criterion, slopes)


def _tables(rows: RowRanks, columns: Columns, before: Floats, after: Floats, starts: Starts) -> list[RankTable]:
    rank_tables = rows.rank_tables(columns, before, after, starts)
    return [RankTable(keys, ties) for tables in rank_tables for keys, ties in tables]


def _key_ranges(rows: RowRanks) -> Ints:
    return rows.key_ranges()


def _histograms(
    rows: RowRanks, moves: Moves, buckets: Ints, n_buckets: int, begins: Ints | None = None
) -> NDArray[np.integer]:
    """Return the histograms of all moves, of merged buckets where their first keys are given."""
    size = max(1, _COUNTED_AT_ONCE // (n_buckets * buckets[0].size))
    found = []
    for k, part in enumerate(_split(moves, size)):
        own = buckets[k * size : (k + 1) * size]
        counted = rows.histograms(*part.arrays, own, n_buckets)
        found.append(counted if begins is None else merge_buckets(counted, merged_limits(own, begins, n_buckets)))
    return narrow(np.concatenate(found))
