"""What a search came to: its path, the subset chosen, and the weights of every subset on offer."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.criteria import CRITERIA
from bayesieve.data import add_by_class
from bayesieve.engine import BlockSegments, Segment
from bayesieve.engine.scoring import Scorer
from bayesieve.models import Evidence, Model
from bayesieve.search import SelectionPath, Visit, WeightedSubset
from bayesieve.training.task import Task

__all__ = [
    "Gains",
    "Outcome",
    "RowScorer",
    "ScoredRows",
    "distinct_rows",
    "merge_scored",
    "metric_of",
    "row_scorer",
    "unit_weights",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Gains:
    """What columns bring, each number larger-is-better and in the criterion's units.

    Attributes
    ----------
    empty : float
        The score of no column.
    alone : array of shape (n_units,)
        The score of each unit alone.
    given_others : array of shape (n_units,)
        What each adds to the other selected ones.
    """

    empty: float
    alone: Floats
    given_others: Floats


@dataclass(frozen=True)
class Outcome:
    """What a search came to.

    Attributes
    ----------
    path : SelectionPath
        Its record.
    visit : Visit
        The subset chosen.
    offers : mapping from the columns of a visit to Weighted
        The weights of the subsets that can be selected.
    segments : sequence of Segment
        The rows on which the weights were found.
    pooled : bool
        Whether the segments are parts of one whole, and not folds.
    gains : Gains or None
        What columns bring; None if nobody wants to wait for it.
    scored : callable or None
        What an offer makes of the scored rows, where that is not one table a column.
    """

    path: SelectionPath
    visit: Visit
    offers: Mapping[tuple[str, ...], WeightedSubset]
    segments: Sequence[Segment] | BlockSegments
    pooled: bool = False
    gains: Gains | None = None
    scored: Callable[[WeightedSubset], list["ScoredRows"]] | None = None


@dataclass(frozen=True)
class ScoredRows:
    """Evidence of some rows, shape (n_classes, n_rows), their classes and weights."""

    evidence: NDArray[np.int64]
    target: NDArray[np.int32]
    weights: NDArray[np.int64]


def unit_weights(task: Task, visits: Iterable[Visit]) -> dict[tuple[str, ...], WeightedSubset]:
    """Return for each visit weights of one."""
    position = {name: j for j, name in enumerate(task.space.names)}
    return {
        visit.columns: WeightedSubset(tuple(position[name] for name in visit.columns), (1.0,) * visit.n_features, None)
        for visit in visits
    }


def row_scorer(outcome: Outcome, model: Model) -> "RowScorer | BlockScorer":
    """Return what tells what offers make of the rows, wherever these are."""
    segments = outcome.segments
    if isinstance(segments, BlockSegments):
        return BlockScorer(segments, model, joined=outcome.pooled or len(segments) == 1)
    return RowScorer(segments, model, joined=outcome.pooled or len(segments) == 1)


class BlockScorer:
    """What offers make of rows in blocks: rows of which the same is believed are told as one, with their weight."""

    def __init__(self, segments: BlockSegments, model: Model, *, joined: bool) -> None:
        self._segments, self._model, self._joined = segments, model, joined

    def score(self, offer: WeightedSubset) -> list[ScoredRows]:
        """Return evidence, classes and weights of the rows."""
        return self._segments.blocks.reduce(_score_block, merge_scored, self._model, offer, self._joined)


def _score_block(segments: Sequence[Segment], model: Model, offer: WeightedSubset, joined: bool) -> list[ScoredRows]:
    return [distinct_rows(part) for part in RowScorer(segments, model, joined=joined).score(offer)]


def merge_scored(a: list[ScoredRows], b: list[ScoredRows]) -> list[ScoredRows]:
    """Return the rows of both, those of which the same is believed as one."""
    return [distinct_rows(_join(both)) for both in zip(a, b, strict=True)]


def distinct_rows(rows: ScoredRows) -> ScoredRows:
    """Return rows that differ in evidence or class, with the weight of those that do not."""
    keys, places = np.unique(np.vstack([rows.target, rows.evidence]), axis=1, return_inverse=True)
    weights = np.zeros(keys.shape[1], dtype=np.int64)
    np.add.at(weights, places.ravel(), rows.weights)
    return ScoredRows(np.ascontiguousarray(keys[1:]), keys[0].astype(np.int32), weights)


class RowScorer:
    """What offers make of the rows of each fold, or of all rows.

    An offer that goes on from the last one adds its further columns only; otherwise its columns are added anew, in
    its order, on which the last bits of a model may depend.
    """

    def __init__(self, segments: Sequence[Segment], model: Model, *, joined: bool) -> None:
        self._segments, self._model, self._joined = segments, model, joined
        self._begin(None)

    def _begin(self, start: NDArray[np.int64] | None) -> None:
        """Let no column speak; without a common start, each segment has its own."""
        self._at = WeightedSubset((), (), start)
        self._states: list[Any] = [
            self._model.begin(segment.tables.start if start is None else start, segment.codes.n_rows)
            for segment in self._segments
        ]

    def score(self, offer: WeightedSubset) -> list[ScoredRows]:
        """Return evidence, classes and weights of the rows."""
        spoken = list(zip(self._at.columns, self._at.weights, strict=True))
        wanted = list(zip(offer.columns, offer.weights, strict=True))
        if offer.start is not self._at.start or wanted[: len(spoken)] != spoken:
            self._begin(offer.start)
            spoken = []
        for j, weight in wanted[len(spoken) :]:
            self._states = [
                self._model.shift(state, j, segment.tables.column(j), segment.codes.column(j), 0.0, weight)
                for state, segment in zip(self._states, self._segments, strict=True)
            ]
        self._at = offer
        scored = [
            ScoredRows(self._model.predictions(state).scores, segment.target, segment.weights)
            for state, segment in zip(self._states, self._segments, strict=True)
        ]
        return [_join(scored)] if self._joined else scored


def _join(parts: Sequence[ScoredRows]) -> ScoredRows:
    return ScoredRows(
        np.concatenate([part.evidence for part in parts], axis=1),
        np.concatenate([part.target for part in parts]),
        np.concatenate([part.weights for part in parts]),
    )


def metric_of(rows: Sequence[ScoredRows], metric: str, n_classes: int) -> tuple[float, ...]:
    """Return a metric's score on each set of rows."""
    criterion = CRITERIA[metric]
    masses = [tuple(add_by_class(part.target, part.weights, n_classes).tolist()) for part in rows]
    measures = [criterion.measure(Evidence(part.evidence), part.target, part.weights, n_classes) for part in rows]
    return Scorer(criterion, masses).segment_scores(measures)
