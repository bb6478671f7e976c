"""Scores that a candidate gives to validation rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve.criteria import CRITERIA
from bayesieve.data import RowBlocks, add_by_class
from bayesieve.engine import Segment
from bayesieve.engine.scoring import Scorer
from bayesieve.models import Evidence, Model
from bayesieve.search import WeightedSubset

__all__ = ["BlockScorer", "CandidateScorer", "RowScorer", "ScoredRows", "distinct_rows", "merge_scored", "metric_of"]


@dataclass(frozen=True)
class ScoredRows:
    """Class scores of some rows, shape (n_classes, n_rows), their classes and weights."""

    evidence: NDArray[np.int64]
    target: NDArray[np.int32]
    weights: NDArray[np.int64]


class CandidateScorer(Protocol):
    """Scores rows by weighted subsets of the columns."""

    def score(self, subset: WeightedSubset) -> list[ScoredRows]:
        """Return scores, classes and weights of the rows of each fold, or of all rows."""
        ...


class BlockScorer:
    """Scores rows in blocks: rows with the same class and scores count as one, with their weight."""

    def __init__(self, blocks: RowBlocks[Sequence[Segment]], model: Model, *, joined: bool) -> None:
        self._blocks, self._model, self._joined = blocks, model, joined

    def score(self, subset: WeightedSubset) -> list[ScoredRows]:
        """Return scores, classes and weights of the rows."""
        return self._blocks.reduce(_score_block, merge_scored, self._model, subset, self._joined)


def _score_block(segments: Sequence[Segment], model: Model, subset: WeightedSubset, joined: bool) -> list[ScoredRows]:
    return [distinct_rows(rows) for rows in RowScorer(segments, model, joined=joined).score(subset)]


def merge_scored(a: list[ScoredRows], b: list[ScoredRows]) -> list[ScoredRows]:
    """Return the rows of both, those with the same class and scores as one."""
    return [distinct_rows(_join(both)) for both in zip(a, b, strict=True)]


def distinct_rows(rows: ScoredRows) -> ScoredRows:
    """Return rows that differ in class or scores, with the weight of those that do not."""
    keys, places = np.unique(np.vstack([rows.target, rows.evidence]), axis=1, return_inverse=True)
    weights = np.zeros(keys.shape[1], dtype=np.int64)
    np.add.at(weights, places.ravel(), rows.weights)
    return ScoredRows(np.ascontiguousarray(keys[1:]), keys[0].astype(np.int32), weights)


class RowScorer:
    """Scores the rows of each fold, or of all folds joined.

    A subset that extends the last one adds its further columns only; otherwise all its columns are added, in its order,
    on which the last bits of a model may depend.
    """

    def __init__(self, segments: Sequence[Segment], model: Model, *, joined: bool) -> None:
        self._segments, self._model, self._joined = segments, model, joined
        self._begin(None)

    def _begin(self, start: NDArray[np.int64] | None) -> None:
        """Start without columns; without a common start, each segment has its own."""
        self._present = WeightedSubset((), (), start)
        self._states: list[Any] = [
            self._model.begin(segment.tables.start if start is None else start, segment.codes.n_rows)
            for segment in self._segments
        ]

    def score(self, subset: WeightedSubset) -> list[ScoredRows]:
        """Return scores, classes and weights of the rows."""
        present = list(zip(self._present.columns, self._present.weights, strict=True))
        target = list(zip(subset.columns, subset.weights, strict=True))
        if subset.start is not self._present.start or target[: len(present)] != present:
            self._begin(subset.start)
            present = []
        for j, weight in target[len(present) :]:
            self._states = [
                self._model.shift(state, j, segment.tables.column(j), segment.codes.column(j), 0.0, weight)
                for state, segment in zip(self._states, self._segments, strict=True)
            ]
        self._present = subset
        scored = [
            ScoredRows(self._model.predictions(state).scores, segment.target, segment.weights)
            for state, segment in zip(self._states, self._segments, strict=True)
        ]
        return [_join(scored)] if self._joined else scored


def _join(rows: Sequence[ScoredRows]) -> ScoredRows:
    return ScoredRows(
        np.concatenate([each.evidence for each in rows], axis=1),
        np.concatenate([each.target for each in rows]),
        np.concatenate([each.weights for each in rows]),
    )


def metric_of(rows: Sequence[ScoredRows], metric: str, n_classes: int) -> tuple[float, ...]:
    """Return a metric's score on each set of rows."""
    criterion = CRITERIA[metric]
    masses = [tuple(add_by_class(each.target, each.weights, n_classes).tolist()) for each in rows]
    measures = [criterion.measure(Evidence(each.evidence), each.target, each.weights, n_classes) for each in rows]
    return Scorer(criterion, masses).segment_scores(measures)
