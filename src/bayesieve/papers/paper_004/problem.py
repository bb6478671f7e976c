# SPDX-License-Identifier: BSD-3-Clause
"""The problem of every method: training rows (half A), validation rows (half B) and test rows."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins import Codes
from bayesieve.datasets import aircraft_indicators, make_aircraft_series
from bayesieve.models import NaiveBayes, Tables
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import Engine, MemorySegments, Segment, make_engine

__all__ = ["Problem", "Sample", "make_problem"]

_N_CLASSES = 4


@dataclass(frozen=True)
class Sample:
    """Binary indicators of shape (n_samples, n_features), and the class of each row."""

    indicators: NDArray[np.uint8]
    target: NDArray[np.int32]

    def take(self, rows: NDArray[np.intp]) -> "Sample":
        """Return some rows."""
        return Sample(self.indicators[rows], self.target[rows])


@dataclass(frozen=True)
class Problem:
    """Three samples without the columns that are constant on half A, which are uninformative and would break ties."""

    names: tuple[str, ...]
    train: Sample
    validation: Sample
    test: Sample
    n_threads: int = 1

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.names)

    @cached_property
    def error_engine(self) -> Engine:
        """Engine that counts errors on half B and on the test rows."""
        return self._engine([self.validation, self.test], "error")

    @cached_property
    def _tables(self) -> Tables:
        codes, model = _codes(self.train), NaiveBayes()
        weights = np.ones(len(self.train.target), dtype=np.int64)
        counts = codes.count(self.train.target, weights, _N_CLASSES)
        mass = np.bincount(self.train.target, minlength=_N_CLASSES)
        return model.learn(counts, codes.offsets, mass, 1.0)

    def _engine(self, samples: list[Sample], criterion: str) -> Engine:
        segments = MemorySegments(
            Segment(_codes(sample), sample.target, np.ones(len(sample.target), np.int64), _N_CLASSES, self._tables)
            for sample in samples
        )
        return make_engine(segments, NaiveBayes(), CRITERIA[criterion], n_threads=self.n_threads)


def make_problem(seed: int, n_series: int = 6000, n_threads: int = 1) -> Problem:
    """Simulate a training set, halved within each class, and a test set of the same size."""
    samples = []
    for k in range(2):
        series = make_aircraft_series(n_series, random_state=2 * seed + k)
        indicators = aircraft_indicators(series.data)
        samples.append(Sample(indicators.data, series.target.astype(np.int32)))
    training, test = samples
    rng = np.random.default_rng(seed)
    classes = [rng.permutation(np.flatnonzero(training.target == c)) for c in range(_N_CLASSES)]
    # The engine needs rows sorted by class.
    halves = [
        training.take(np.concatenate([np.sort(rows[half]) for rows in classes]))
        for half in (slice(0, None, 2), slice(1, None, 2))
    ]
    varying = np.flatnonzero(halves[0].indicators.min(axis=0) != halves[0].indicators.max(axis=0))
    half_a, half_b, new = (Sample(sample.indicators[:, varying], sample.target) for sample in (*halves, test))
    return Problem(tuple(indicators.feature_names[j] for j in varying), half_a, half_b, new, n_threads)


def _codes(sample: Sample) -> Codes:
    n_rows, n_columns = sample.indicators.shape
    return Codes(
        np.ascontiguousarray(sample.indicators.T),
        np.empty((0, n_rows), dtype=np.uint16),
        np.arange(n_columns),
        np.full(n_columns, 2),
    )
