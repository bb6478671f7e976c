"""The reference engine: NumPy, obvious, and the specification of every other engine."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.criteria import Criterion, Measure
from bayesieve.engine.base import Segment
from bayesieve.engine.moves import Change, Move
from bayesieve.engine.scoring import Scorer
from bayesieve.models import Model

__all__ = ["ReferenceEngine"]


class ReferenceEngine:
    """Keeps one model state a segment and rebuilds beliefs for each move."""

    def __init__(self, segments: Sequence[Segment], model: Model, criterion: Criterion) -> None:
        self._segments = tuple(segments)
        self._model = model
        self._criteria = [criterion.on(segment.benefits) for segment in segments]
        self._scorer = Scorer(criterion, [segment.mass for segment in segments])
        self._states = self._beginning()
        self.segment_scores = self._scorer.segment_scores(self._measures(self._states))

    def reset(self, weights: Mapping[int, float]) -> float:
        """Believe what this weight vector says; return its score."""
        self._states = self._beginning()
        return self.apply(tuple(Change(column, 0.0, weight) for column, weight in weights.items()))

    def score(self, moves: Sequence[Move], *, exact: bool = False) -> NDArray[np.float64]:
        """Return the score after each move, without making it; all are exact."""
        return np.array([self._scorer.mean(self._measures(self._after(move))) for move in moves], dtype=np.float64)

    def apply(self, move: Move) -> float:
        """Make one move; return the score after it."""
        self._states = self._after(move)
        measures = self._measures(self._states)
        self.segment_scores = self._scorer.segment_scores(measures)
        return self._scorer.mean(measures)

    def snapshot(self) -> Any:
        """Return the states; they are never changed in place."""
        return self._states, self.segment_scores

    def restore(self, token: Any) -> None:
        """Return exactly to the state of a token."""
        self._states, self.segment_scores = token

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
            criterion.measure(self._model.beliefs(state), segment.target, segment.weights, segment.n_classes)
            for criterion, segment, state in zip(self._criteria, self._segments, states, strict=True)
        ]
