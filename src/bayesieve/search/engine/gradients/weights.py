# SPDX-License-Identifier: BSD-3-Clause
"""How the log-likelihood changes with the weight of each column, and the weights that maximize it less a penalty.

A row's evidence is start + sum_k w_k t_k[code]; t_k is the table of the row's segment. The start and the weights are
common to all segments. For two classes there is one channel, the log-odds of the second class; for more, one per class.
With the residuals r = [true class] - P(class) of the rows:

    slope of w_k      = sum over rows and channels of t_k r
    its curvature    <= f x sum of t_k^2 P (1 - P),     f = 1 (exact) for two classes, 2 for more

Residuals and curvatures of a row are rounded to integers, so that sums over rows do not depend on their order. Weights
are multiples of 2^-20.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.search.criteria import CRITERIA, Measure
from bayesieve.search.engine.base import Scorer, Segment, Segments, integers_of, pool, segment_arrays
from bayesieve.search.engine.gradients.descent import DescentWeighing

__all__ = ["MemoryWeighing", "Weighing", "make_weighing"]


class Weighing(Protocol):
    """Holds a start, a weight per column, and the evidence that they give all rows.

    Attributes
    ----------
    mass : float
        The weight of all rows.
    """

    mass: float

    @property
    def start(self) -> Ints:
        """The evidence of each class before any column contributes, in multiples of 2^-40 nats."""
        ...

    @property
    def weights(self) -> Floats:
        """The weight of each column."""
        ...

    def reset(self, start: Ints, weights: Floats) -> None:
        """Set the start and the weights."""
        ...

    def slopes(self, columns: NDArray[np.int32]) -> tuple[Floats, Floats]:
        """Return for some columns the slope, and a bound of the curvature after the start has followed."""
        ...

    def descend(
        self, columns: NDArray[np.int32], penalties: Floats, tolerance: float = 1e-2, most_rounds: int = 200
    ) -> int:
        """Improve start and weights of some columns until a step is shorter than ``tolerance`` standard errors.

        What rises is the log-likelihood less the sum of penalty x weight; weights stay 0 or more. The last step is
        made: what is left to the maximum is less than tolerance² / 2. Return the number of rounds.
        """
        ...

    def scores(self) -> tuple[float, tuple[float, ...]]:
        """Return the negated log loss of all rows, and that of each segment."""
        ...


class MemoryWeighing:
    """The descent on the compiled core: the bits of `DescentWeighing`, all in one place."""

    def __init__(self, segments: Sequence[Segment], unit: float, n_threads: int = 1) -> None:
        assert core is not None
        masses = [segment.mass for segment in segments]
        self.mass = sum(pool(masses)) * unit
        self._scorer = Scorer(CRITERIA["log_loss"], masses)
        self._pooled = Scorer(CRITERIA["log_loss"], [pool(masses)])
        parts = (segment_arrays(segment, slopes) for segment, slopes in zip(segments, self._scorer.slopes, strict=True))
        self._core = core.WeightGradients(tuple(parts), unit, n_threads)
        self.reset(segments[0].tables.start, np.zeros(len(segments[0].tables.offsets) - 1))

    @property
    def start(self) -> Ints:
        """The evidence of each class before any column contributes."""
        return self._core.start()

    @property
    def weights(self) -> Floats:
        """The weight of each column."""
        return self._core.weights()

    def reset(self, start: Ints, weights: Floats) -> None:
        """Set the start and the weights."""
        self._core.reset(start, weights)

    def slopes(self, columns: NDArray[np.int32]) -> tuple[Floats, Floats]:
        """Return slopes and centered curvatures."""
        return self._core.slopes(columns)

    def descend(
        self, columns: NDArray[np.int32], penalties: Floats, tolerance: float = 1e-2, most_rounds: int = 200
    ) -> int:
        """Improve start and weights together."""
        return self._core.descend(columns, penalties, tolerance, most_rounds)

    def scores(self) -> tuple[float, tuple[float, ...]]:
        """Return the negated log loss of all rows, and that of each segment."""
        measures: list[Measure] = integers_of(self._core.losses())
        return self._pooled.mean([pool(measures)]), self._scorer.segment_scores(measures)


def make_weighing(segments: Segments, unit: float, backend: str = "auto", n_threads: int = 1) -> Weighing:
    """Return the weighing that a backend names; without the compiled core, the reference."""
    local = segments.local
    if local is None:
        return DescentWeighing(segments, unit, backend, n_threads)
    if backend != "reference":
        if core is not None:
            return MemoryWeighing(local, unit, n_threads)
        warn_if_missing()
    return DescentWeighing(segments, unit, "reference", most_ahead=1)
