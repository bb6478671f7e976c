# SPDX-License-Identifier: BSD-3-Clause
"""Column weights: how the log-likelihood changes with each, and the descent to those that maximize it less a penalty.

A row's evidence is start + sum_k w_k t_k[code]; t_k is the table of the row's segment. The start and the weights are
common to all segments. For two classes there is one channel, the log-odds of the second class; for more, one per class.
With the residuals r = [true class] - P(class) of the rows:

    slope of w_k      = sum over rows and channels of t_k r
    its curvature    <= f x sum of t_k^2 P (1 - P),     f = 1 (exact) for two classes, 2 for more

Residuals and curvatures of a row are rounded to integers, so that sums over rows do not depend on their order. Weights
are multiples of 2^-20.

A step of the descent maximizes the quadratic of slopes and curvatures at the present state, weights being 0 or more.
Columns of weight 0 take part if their slope exceeds their penalty: the steepest first, at most as many as have a weight
already. Curvatures change slowly and serve several steps. With d the change and H the curvatures, sqrt(d H d) is the
length of a step in standard errors; the descent ends with a step below the tolerance. The objective is concave: where
the slope along a step is not negative at its end, the objective has risen. A step that ends far beyond the maximum
along it is cut back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.exact import FIXED_ONE, to_fixed
from bayesieve.search.criteria import CRITERIA, Measure
from bayesieve.search.engine.gradients.block_gradients import BlockGradients
from bayesieve.search.engine.gradients.losses import LogLikelihood
from bayesieve.search.engine.gradients.newton import (
    Quadratic,
    Slope,
    column_factor,
    curvature_matrix,
    gradient_scale,
    maximize_quadratic,
    slope_of,
    weight_of,
)
from bayesieve.search.engine.gradients.row_gradients import RowState
from bayesieve.search.engine.scorer import Scorer, integers_of, pool
from bayesieve.search.engine.segments import Segment, Segments, segment_arrays

__all__ = ["DescentWeighing", "MemoryWeighing", "Weighing", "make_weighing"]

Columns = NDArray[np.int32]
Priced = list[tuple[int, float]]  # columns and their penalties
_LARGEST_STEP: Final = 1.0
_LARGEST_START_STEP: Final = 2.0
_FINEST: Final = 2.0**-20  # weights are multiples of this
_FEWEST: Final = 64  # columns that may enter at once, however few have a weight
_LOOSER: Final = 100.0  # times the tolerance, while other columns wait
_FINER: Final = 0.1  # times the tolerance: that of the quadratic
_SLOW: Final = 0.1  # after a step that is longer than this part of the one before, curvatures are summed again
_LEAST_SHARE: Final = 0.25  # of a step that is cut back
_OVERSHOT: Final = 0.5  # of the slope along a step may be left at its end, with the opposite sign


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


@dataclass(frozen=True)
class _Step:
    """The change of the start and of the weights as it was made, the slope along it, and its length."""

    change: list[float]
    slope: float
    length: float


class DescentWeighing:
    """A start and weights, on rows that return the gradients of up to ``most_ahead`` columns per request."""

    def __init__(
        self, segments: Segments, unit: float, backend: str = "auto", n_threads: int = 1, most_ahead: int = 64
    ) -> None:
        masses = segments.masses
        self._tables = segments.tables
        total = weight_of(masses, unit)
        self._rows = BlockGradients(segments, LogLikelihood(unit, total), backend, n_threads)
        criterion = CRITERIA["log_loss"]
        self._scorer = Scorer(criterion, masses)
        self._pooled = Scorer(criterion, [pool(masses)])
        self.mass = sum(pool(masses)) * unit
        self._scale = gradient_scale(total)
        self._most_ahead = most_ahead
        self._n_classes = segments.n_classes
        self._n_channels = 1 if self._n_classes == 2 else self._n_classes
        self.reset(segments.tables[0].start, np.zeros(segments.n_columns))

    def reset(self, start: Ints, weights: Floats) -> None:
        """Set the start and the weights."""
        self.start = start.copy()
        self.weights = weights.copy()
        heavy = np.flatnonzero(weights).tolist()
        self._rows.state = RowState(self.start, {j: float(weights[j]) for j in heavy})

    def slopes(self, columns: Columns) -> tuple[Floats, Floats]:
        """Return slopes and centered curvatures."""
        self._rows.gradients(np.unique(columns))
        slopes = [self._slope(j) for j in columns.tolist()]
        return np.array([each.slope for each in slopes]), np.array([each.centered for each in slopes])

    def descend(self, columns: Columns, penalties: Floats, tolerance: float = 1e-2, most_rounds: int = 200) -> int:
        """Improve start and weights together."""
        priced = list(zip(columns.tolist(), penalties.tolist(), strict=True))
        rounds = 0
        length = inf
        while rounds < most_rounds:
            rising = self._rising([(j, penalty) for j, penalty in priced if self.weights[j] == 0.0])
            if length < tolerance and (not rising or rising[0][0] < tolerance):
                break
            n_weighted = sum(bool(self.weights[j] > 0.0) for j, _ in priced)
            entering = {j for _, j in rising[: max(_FEWEST, n_weighted)]}
            goal = tolerance if len(entering) == len(rising) else _LOOSER * tolerance
            active = [(j, penalty) for j, penalty in priced if self.weights[j] > 0.0 or j in entering]
            rounds, length = self._climb(active, goal, rounds, most_rounds)
        return rounds

    def scores(self) -> tuple[float, tuple[float, ...]]:
        """Return the negated log loss of all rows, and that of each segment."""
        measures = integers_of(self._rows.losses())
        return self._pooled.mean([pool(measures)]), self._scorer.segment_scores(measures)

    def _rising(self, idle: Priced) -> list[tuple[float, int]]:
        """Return the columns whose slope exceeds their penalty, and by how many standard errors: most first."""
        self._fetch([j for j, _ in idle])
        rising = []
        for j, penalty in idle:
            slope, curvature, _ = self._slope(j)
            excess = (slope - penalty) / sqrt(curvature)
            if 0.0 < excess < inf:
                rising.append((excess, j))
        return sorted(rising, key=lambda each: -each[0])

    def _climb(self, active: Priced, goal: float, rounds: int, most_rounds: int) -> tuple[int, float]:
        """Take steps until one is shorter than the goal; return the number of rounds and the length of the last."""
        step = _Step([], 0.0, inf)
        before = inf
        curvatures = None
        while rounds < most_rounds and step.length >= goal:
            rounds += 1
            slopes = self._all_slopes(active)
            left = _product(slopes, step.change)
            if left < -_OVERSHOT * step.slope:
                step = self._cut_back(active, step, left)
                curvatures = None
                continue
            if curvatures is None or step.length > _SLOW * before:
                curvatures = self._curvatures(active)
            before = step.length
            step = self._step(active, slopes, curvatures, goal)
        return rounds, step.length

    def _step(self, active: Priced, slopes: list[float], curvatures: Floats, goal: float) -> _Step:
        """Move to the maximum of the quadratic."""
        weights = [float(self.weights[j]) for j, _ in active]
        low = [-_LARGEST_START_STEP] * self._n_channels + [max(-_LARGEST_STEP, -weight) for weight in weights]
        high = [_LARGEST_START_STEP] * self._n_channels + [_LARGEST_STEP] * len(weights)
        problem = Quadratic(np.array(slopes), curvatures, np.array(low), np.array(high))
        aim, rest = maximize_quadratic(problem, _FINER * goal * sqrt(self._scale))
        taken = [slope - left for slope, left in zip(slopes, rest.tolist(), strict=True)]
        change = self._move(active, aim.tolist())
        length = sqrt(max(_product(change, taken), 0.0) / self._scale)
        return _Step(change, max(_product(slopes, change), 0.0), length)

    def _cut_back(self, active: Priced, step: _Step, left: float) -> _Step:
        """Go back to where the slope along a step would be 0 if it fell evenly; it may fall at the end, so not far."""
        share = max(_LEAST_SHARE, step.slope / (step.slope - left))
        back = self._move(active, [(share - 1.0) * each for each in step.change])
        change = [each + other for each, other in zip(step.change, back, strict=True)]
        return _Step(change, share * step.slope, step.length)

    def _move(self, active: Priced, change: list[float]) -> list[float]:
        """Change the start and the weights, each by the nearest number that it can change by; return those numbers."""
        fixed = np.zeros(self._n_classes, dtype=np.int64)
        made = []
        for c in range(self._n_channels):
            place = 1 if self._n_classes == 2 else c
            fixed[place] = to_fixed(np.array(change[c]))
            made.append(float(fixed[place]) / FIXED_ONE)
        contributions = dict(self._rows.state.contributions)
        for (j, _), each in zip(active, change[self._n_channels :], strict=True):
            before = float(self.weights[j])
            self.weights[j] = after = max(0.0, float(np.rint((before + each) / _FINEST)) * _FINEST)
            made.append(after - before)
            if after > 0.0:
                contributions[j] = after
            else:
                contributions.pop(j, None)
        if any(made):
            self.start = self.start + fixed
            self._rows.state = RowState(self.start, contributions)
        return made

    def _all_slopes(self, active: Priced) -> list[float]:
        """Return the slopes in the start and in the weights, less penalties, in steps of a gradient."""
        self._fetch([j for j, _ in active])
        of_start = [float(residual) for residual, _ in self._rows.totals().tolist()]
        return of_start + [(self._slope(j).slope - penalty) * self._scale for j, penalty in active]

    def _curvatures(self, active: Priced) -> Floats:
        columns = np.array([j for j, _ in active], dtype=np.int32)
        factors = np.array([column_factor([tables.column(j) for tables in self._tables]) for j, _ in active])
        return curvature_matrix(self._rows.products(columns, factors), factors, self._scale)

    def _slope(self, j: int) -> Slope:
        sums = self._rows.gradients(np.array([j], dtype=np.int32))
        return slope_of([tables.column(j) for tables in self._tables], sums, self._scale)

    def _fetch(self, columns: list[int]) -> None:
        """Get the gradients of some columns, many per request."""
        missing = [j for j in columns if not self._rows.has(j)]
        for k in range(0, len(missing), self._most_ahead):
            self._rows.gradients(np.array(missing[k : k + self._most_ahead], dtype=np.int32))


def _product(x: list[float], y: list[float]) -> float:
    """Return the sum of products, from first to last; that of none is 0."""
    total = 0.0
    for each, other in zip(x, y, strict=False):
        total = total + each * other
    return total


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
