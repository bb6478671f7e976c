# SPDX-License-Identifier: BSD-3-Clause
"""The reference engine: NumPy, obvious, and the specification of every other engine."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.models import Model
from bayesieve.search.criteria import Criterion, Measure
from bayesieve.search.criteria.ranking import ranked_classes, tie_rows
from bayesieve.search.engine.moves import Change, Columns, Move, Moves, Starts
from bayesieve.search.engine.scorer import Scorer, Words
from bayesieve.search.engine.segments import Segment

__all__ = ["ReferenceEngine", "ReferenceRanks", "ReferenceScores", "words_of"]


class ReferenceScores:
    """Keeps one model state a segment and rebuilds beliefs for each move.

    ``slopes`` are those of the scores in each segment's measures; only estimates ask for them.
    """

    can_estimate = True

    def __init__(
        self, segments: Sequence[Segment], model: Model, criterion: Criterion, slopes: Sequence[Sequence[float]] = ()
    ) -> None:
        self._segments = tuple(segments)
        self._model = model
        self._criteria = [criterion.on(segment.benefits) for segment in segments]
        self._slopes = [slope for each in slopes for slope in each]
        self._states = self._beginning()

    def change(self, move: Move, *, from_nothing: bool = False) -> None:
        """Make a move."""
        if from_nothing:
            self._states = self._beginning()
        self._states = self._after(move)

    def measures(self) -> list[Measure]:
        """Return the measure of each segment."""
        return self._measures(self._states)

    def measures_after(self, move: Move) -> list[Measure]:
        """Return the measure of each segment after a move."""
        return self._measures(self._after(move))

    def snapshot(self) -> Any:
        """Return the states; they are never changed in place."""
        return self._states

    def restore(self, token: Any) -> None:
        """Return exactly to the state of a token."""
        self._states = token

    def apply(self, columns: Columns, before: Floats, after: Floats, from_nothing: bool) -> None:
        """Make a move, given as arrays."""
        parts = (columns.tolist(), before.tolist(), after.tolist())
        self.change(tuple(Change(*each) for each in zip(*parts, strict=True)), from_nothing=from_nothing)

    def measure_state(self) -> Words:
        """Return the measures as words."""
        words: Words = words_of([self.measures()])[0]
        return words

    def measure_moves(self, columns: Columns, before: Floats, after: Floats, starts: Starts) -> Words:
        """Return the measures after each move as words."""
        return words_of([self.measures_after(move) for move in Moves(columns, before, after, starts)])

    def estimate(self, columns: Columns, before: Floats, after: Floats, starts: Starts, effort: int) -> Floats:
        """Return exact scores, but for the rounding of floats."""
        moves = Moves(columns, before, after, starts)
        measures = [[part for measure in self.measures_after(move) for part in measure] for move in moves]
        terms = np.array(measures, dtype=np.float64).reshape(len(moves), len(self._slopes)) * self._slopes
        return np.stack([terms.sum(axis=1), np.abs(terms).sum(axis=1) * 2.0**-48], axis=1)

    def _beginning(self) -> tuple[Any, ...]:
        return tuple(self._model.begin(segment.tables.start, segment.codes.n_rows) for segment in self._segments)

    def _after(self, move: Move) -> tuple[Any, ...]:
        states = []
        for segment, state in zip(self._segments, self._states, strict=True):
            for column, before, after in move:
                table = segment.tables.column(column)
                codes = segment.codes.column(column)
                state = self._model.shift(state, column, table, codes, before, after)
            states.append(state)
        return tuple(states)

    def _measures(self, states: Sequence[Any]) -> list[Measure]:
        return [
            criterion.measure(self._model.predictions(state), segment.target, segment.weights, segment.n_classes)
            for criterion, segment, state in zip(self._criteria, self._segments, states, strict=True)
        ]


def words_of(measures: Sequence[Sequence[Measure]]) -> Words:
    """Return integers of 128 bits as (low, high) words."""
    low = 2**64 - 1
    return np.array(
        [[[(part & low, part >> 64) for part in measure] for measure in each] for each in measures], dtype=np.uint64
    )


class ReferenceRanks(ReferenceScores):
    """The specification of the compiled tables and histograms, and their stand-in."""

    def rank_tables(
        self, columns: Columns, before: Floats, after: Floats, starts: Starts
    ) -> list[list[tuple[Ints, Ints]]]:
        """Return distinct keys and weights."""
        ranks = (self._ranks(self._after(move)) for move in Moves(columns, before, after, starts))
        return [[(keys[(heavy := ties.any(axis=1))], ties[heavy]) for keys, ties in each] for each in ranks]

    def key_ranges(self) -> Ints:
        """Return the smallest and largest key of each segment and ranked class, and how many there are."""
        none = np.iinfo(np.int64)
        ranks = self._ranks(self._states)
        ranges = [[keys.min(initial=none.max), keys.max(initial=none.min), len(keys)] for keys, _ in ranks]
        return np.array(ranges).reshape(len(self._segments), -1, 3)

    def histograms(
        self,
        columns: Columns,
        before: Floats,
        after: Floats,
        starts: Starts,
        buckets: Ints,
        n_buckets: int,
    ) -> Ints:
        """Return the weight in each bucket."""
        counts = np.zeros((*buckets.shape, n_buckets + 1), dtype=np.int64)
        for own, limits, ranks in zip(counts, buckets, self.rank_tables(columns, before, after, starts), strict=True):
            each = zip(own.reshape(-1, 2, n_buckets + 1), limits.reshape(-1, 2), ranks, strict=True)
            for of_class, (lowest, bits), (keys, ties) in each:
                places = (keys - lowest) >> bits
                if len(keys) and not 0 <= places[0] <= places[-1] < n_buckets:
                    raise ValueError("a key lies outside of all buckets")
                np.add.at(of_class.T, places, ties)
        return counts

    def _ranks(self, states: tuple[object, ...]) -> list[tuple[Ints, Ints]]:
        tables = []
        for segment, state in zip(self._segments, states, strict=True):
            beliefs = self._model.predictions(state)
            for c in ranked_classes(segment.n_classes):
                tables.append(tie_rows(beliefs.rank_keys(c), segment.target == c, segment.weights))
        return tables


class ReferenceEngine:
    """Measures every move from scratch."""

    def __init__(self, segments: Sequence[Segment], model: Model, criterion: Criterion) -> None:
        self._rows = ReferenceScores(segments, model, criterion)
        self._scorer = Scorer(criterion, [segment.mass for segment in segments])
        self.segment_scores = self._scorer.segment_scores(self._rows.measures())

    def reset(self, weights: Mapping[int, float]) -> float:
        """Set the weights of all columns; return the score."""
        self._rows.change(tuple(Change(column, 0.0, weight) for column, weight in weights.items()), from_nothing=True)
        return self._score()

    def score(self, moves: Sequence[Move], *, exact: bool = False) -> NDArray[np.float64]:
        """Return the score after each move, without making it; all are exact."""
        return np.array([self._scorer.mean(self._rows.measures_after(move)) for move in moves], dtype=np.float64)

    def apply(self, move: Move) -> float:
        """Make one move; return the score after it."""
        self._rows.change(move)
        return self._score()

    def snapshot(self) -> Any:
        """Return a token of the present state."""
        return self._rows.snapshot(), self.segment_scores

    def restore(self, token: Any) -> None:
        """Return exactly to the state of a token."""
        states, self.segment_scores = token
        self._rows.restore(states)

    def _score(self) -> float:
        measures = self._rows.measures()
        self.segment_scores = self._scorer.segment_scores(measures)
        return self._scorer.mean(measures)
