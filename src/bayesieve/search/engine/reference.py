# SPDX-License-Identifier: BSD-3-Clause
"""The reference engine: NumPy, obvious, and the specification of every other engine."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.models import Model
from bayesieve.search.criteria import Criterion
from bayesieve.search.engine.base import Scorer, Segment
from bayesieve.search.engine.moves import Change, Move
from bayesieve.search.engine.reference_rows import ReferenceRows

__all__ = ["ReferenceEngine"]


class ReferenceEngine:
    """Measures every move from scratch."""

    def __init__(self, segments: Sequence[Segment], model: Model, criterion: Criterion) -> None:
        self._rows = ReferenceRows(segments, model, criterion)
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
