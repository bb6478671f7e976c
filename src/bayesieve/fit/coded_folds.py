# SPDX-License-Identifier: BSD-3-Clause
"""Coded rows of every fold, in memory or in blocks, and what training asks of them wherever they are."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins import CodedRows
from bayesieve.data import add_by_class
from bayesieve.models import Model, Tables
from bayesieve.models.model import HeldOutScores
from bayesieve.search import WeightedSubset, fingerprint
from bayesieve.search.criteria import Criterion
from bayesieve.search.engine import Segment, Segments
from bayesieve.search.engine.scorer import Scorer

__all__ = [
    "CandidateScorer",
    "CodedFolds",
    "RowScorer",
    "class_segments",
    "distinct_rows",
    "merge_scored",
    "metric_of",
    "row_arrays",
    "segment_fingerprints",
]


class CandidateScorer(Protocol):
    """Scores rows by weighted subsets of the columns."""

    def score(self, subset: WeightedSubset) -> list[HeldOutScores]:
        """Return scores, classes and weights of the rows of each fold, or of all rows."""
        ...


def merge_scored(a: list[HeldOutScores], b: list[HeldOutScores]) -> list[HeldOutScores]:
    """Return the rows of both, those with the same class and scores as one."""
    return [distinct_rows(_join(both)) for both in zip(a, b, strict=True)]


def distinct_rows(rows: HeldOutScores) -> HeldOutScores:
    """Return rows that differ in class or scores, with the weight of those that do not."""
    keys, places = np.unique(np.vstack([rows.target, rows.class_scores]), axis=1, return_inverse=True)
    weights = np.zeros(keys.shape[1], dtype=np.int64)
    np.add.at(weights, places.ravel(), rows.weights)
    return HeldOutScores(np.ascontiguousarray(keys[1:]), keys[0].astype(np.int32), weights)


class RowScorer:
    """Scores the rows of each fold, or of all folds joined.

    A subset that extends the last one adds its further columns only; otherwise all its columns are added, in its order,
    on which the last bits of a model may depend.
    """

    def __init__(self, segments: Sequence[Segment], model: Model, *, joined: bool) -> None:
        self._segments = segments
        self._model = model
        self._joined = joined
        self._begin(None)

    def _begin(self, start: NDArray[np.int64] | None) -> None:
        """Start without columns; without a common start, each segment has its own."""
        self._present = WeightedSubset((), (), start)
        self._states: list[Any] = [
            self._model.begin(segment.tables.start if start is None else start, segment.codes.n_rows)
            for segment in self._segments
        ]

    def score(self, subset: WeightedSubset) -> list[HeldOutScores]:
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
            HeldOutScores(self._model.predictions(state).scores, segment.target, segment.weights)
            for state, segment in zip(self._states, self._segments, strict=True)
        ]
        return [_join(scored)] if self._joined else scored


def _join(rows: Sequence[HeldOutScores]) -> HeldOutScores:
    return HeldOutScores(
        np.concatenate([each.class_scores for each in rows], axis=1),
        np.concatenate([each.target for each in rows]),
        np.concatenate([each.weights for each in rows]),
    )


def metric_of(rows: Sequence[HeldOutScores], criterion: Criterion, n_classes: int) -> tuple[float, ...]:
    """Return the score of a criterion on each set of rows."""
    masses = [tuple(add_by_class(each.target, each.weights, n_classes).tolist()) for each in rows]
    measures = [criterion.measure(each.predictions, each.target, each.weights, n_classes) for each in rows]
    return Scorer(criterion, masses).segment_scores(measures)


class CodedFolds(Segments, Protocol):
    """A segment per fold, wherever its rows are."""

    def scorer(self, model: Model, *, joined: bool) -> CandidateScorer:
        """Return what scores these rows by candidates, fold by fold or joined."""
        ...

    def fingerprints(self) -> list[str]:
        """Return fingerprints of all that decides the scores."""
        ...

    def leave_one_out(self) -> "CodedFolds":
        """Return the rows of each class, with tables from which each row itself is left out."""
        ...

    def in_memory(self, unit: float) -> "tuple[CodedFolds, float]":
        """Return rows that can be held in memory, and the unit of their weights."""
        ...


def class_segments(segments: Sequence[Segment], tables: Sequence[Tables]) -> list[Segment]:
    """Return the rows of each class, which are neighbors, each class with its own tables."""
    rows = segments[0]
    ends = np.append(0, np.cumsum(np.bincount(rows.target, minlength=rows.n_classes))).tolist()
    return [
        Segment(rows.codes.between(a, b), rows.target[a:b], rows.weights[a:b], rows.n_classes, own)
        for own, (a, b) in zip(tables, pairwise(ends), strict=True)
    ]


def segment_fingerprints(segments: Sequence[Segment]) -> list[str]:
    """Return a fingerprint of all that decides the scores of some segments."""
    arrays: list[NDArray[Any]] = []
    for segment in segments:
        tables = segment.tables
        arrays += [*row_arrays(segment), tables.start, tables.entries]
        arrays += [array for array in (tables.lowered, segment.benefits) if array is not None]
    return [fingerprint(arrays)]


def row_arrays(rows: CodedRows) -> list[NDArray[Any]]:
    """Return all numbers of coded rows."""
    codes = rows.codes
    return [codes.narrow, codes.wide, *codes.sparse.arrays, rows.target, rows.weights]
