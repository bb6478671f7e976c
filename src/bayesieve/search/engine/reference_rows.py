# SPDX-License-Identifier: BSD-3-Clause
"""Rows in NumPy: what is believed of them, and what every move would make of it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.models import Model
from bayesieve.search.criteria import Criterion, Measure
from bayesieve.search.engine.base import Segment, Words
from bayesieve.search.engine.moves import Change, Move, Moves

__all__ = ["ReferenceRows", "words_of"]

Columns = NDArray[np.int32]
Starts = NDArray[np.int64]


class ReferenceRows:
    """Keeps one model state a segment and rebuilds beliefs for each move.

    ``slopes`` are those of the scores in each segment's measures; only estimates ask for them.
    """

    can_estimate = True

    def __init__(
        self, segments: Sequence[Segment], model: Model, criterion: Criterion, slopes: Sequence[Sequence[float]] = ()
    ) -> None:
        self._segments, self._model = tuple(segments), model
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
                table, codes = segment.tables.column(column), segment.codes.column(column)
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
