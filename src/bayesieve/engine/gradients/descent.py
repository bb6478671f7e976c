# SPDX-License-Identifier: BSD-3-Clause
"""The descent of weights, wherever the rows are: Newton steps of the start and of one column after the other.

The rows return gradient histograms. Those of several columns can be requested at once, and hold until a weight moves:
when most weights stay, few questions are left.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import to_fixed
from bayesieve._typing import Floats, Ints
from bayesieve.criteria import CRITERIA
from bayesieve.engine.base import Scorer, Segments, integers_of, pool
from bayesieve.engine.gradients.losses import LogLikelihood
from bayesieve.engine.gradients.placed_rows import RowState
from bayesieve.engine.gradients.rows import GradientRows
from bayesieve.engine.gradients.slopes import Slope, curvature_of, gradient_scale, slope_of, weight_of

__all__ = ["DescentWeighing"]

Columns = NDArray[np.int32]

_LARGEST_STEP: Final = 1.0
_LARGEST_START_STEP: Final = 2.0
_FINEST: Final = 2.0**-20  # weights are multiples of this
_LOOSEST: Final = 1.0  # tenfold the first goal, in standard errors


class DescentWeighing:
    """A start and weights, on rows that are asked for the gradients of up to ``most_ahead`` columns at once."""

    def __init__(
        self, segments: Segments, unit: float, backend: str = "auto", n_threads: int = 1, most_ahead: int = 64
    ) -> None:
        masses, self._tables = segments.masses, segments.tables
        total = weight_of(masses, unit)
        self._rows = GradientRows(segments, LogLikelihood(unit, total), backend, n_threads)
        criterion = CRITERIA["log_loss"]
        self._scorer, self._pooled = Scorer(criterion, masses), Scorer(criterion, [pool(masses)])
        self.mass = sum(pool(masses)) * unit
        self._scale, self._most_ahead = gradient_scale(total), most_ahead
        self._ahead = 1
        self._n_classes = segments.n_classes
        self.reset(segments.tables[0].start, np.zeros(segments.n_columns))

    def reset(self, start: Ints, weights: Floats) -> None:
        """Set the start and the weights."""
        self.start, self.weights = start.copy(), weights.copy()
        heavy = np.flatnonzero(weights).tolist()
        self._move_to(RowState(self.start, {j: float(weights[j]) for j in heavy}))

    def slopes(self, columns: Columns) -> tuple[Floats, Floats]:
        """Return slopes and centered curvatures."""
        self._rows.gradients(np.unique(columns))
        slopes = [self._slope(j) for j in columns.tolist()]
        return np.array([each.slope for each in slopes]), np.array([each.centered for each in slopes])

    def descend(self, columns: Columns, penalties: Floats, tolerance: float = 1e-2, most_rounds: int = 200) -> int:
        """Improve start and weights in turn."""
        everything, priced = True, list(zip(columns.tolist(), penalties.tolist(), strict=True))
        active, goal = priced, _LOOSEST
        for turn in range(1, most_rounds + 1):
            largest = self._descend_start()
            round_ = priced if everything else active
            for k, (j, penalty) in enumerate(round_):
                self._look_ahead([ahead for ahead, _ in round_[k : k + self._most_ahead]])
                largest = max(largest, self._descend_column(j, penalty))
            if largest < tolerance and everything:
                return turn
            if everything:
                goal = max(tolerance, goal / 10.0)
            everything = largest < goal
            if not everything:
                active = [(j, penalty) for j, penalty in priced if self.weights[j] > 0.0]
        return most_rounds

    def scores(self) -> tuple[float, tuple[float, ...]]:
        """Return the negated log loss of all rows, and that of each segment."""
        measures = integers_of(self._rows.losses())
        return self._pooled.mean([pool(measures)]), self._scorer.segment_scores(measures)

    def _descend_start(self) -> float:
        largest, change = 0.0, np.zeros(self._n_classes, dtype=np.int64)
        for c, (residual, weight) in enumerate(self._rows.totals().tolist()):
            curvature = curvature_of(float(weight), self._n_classes, self._scale)
            step = _clip(float(residual) / self._scale / curvature, _LARGEST_START_STEP)
            change[1 if self._n_classes == 2 else c] = to_fixed(np.array(step))
            largest = max(largest, abs(step) * float(np.sqrt(curvature)))
        if change.any():
            self.start = self.start + change
            self._move_to(RowState(self.start, self._rows.state.contributions))
        return largest

    def _descend_column(self, j: int, penalty: float) -> float:
        before = float(self.weights[j])
        slope, curvature, _ = self._slope(j)
        gain = slope - penalty
        if before == 0.0 and gain <= 0.0:
            return 0.0
        aim = max(0.0, before + _clip(gain / curvature, _LARGEST_STEP))
        after = float(np.rint(aim / _FINEST)) * _FINEST
        if after == before:
            return 0.0
        self.weights[j] = after
        self._move_to(self._rows.state.changed(j, after))
        return abs(after - before) * float(np.sqrt(curvature))

    def _slope(self, j: int) -> Slope:
        sums = self._rows.gradients(np.array([j], dtype=np.int32))
        return slope_of([tables.column(j) for tables in self._tables], sums, self._scale)

    def _look_ahead(self, columns: list[int]) -> None:
        """Get the gradients of the first of some columns, and of as many others as it is worth to ask for now."""
        if not self._rows.has(columns[0]):
            self._rows.gradients(np.array([j for j in columns[: self._ahead] if not self._rows.has(j)], dtype=np.int32))
            self._ahead = min(2 * self._ahead, self._most_ahead)

    def _move_to(self, state: RowState) -> None:
        """Change the state of the rows; ask for one column next, for that may well move them again."""
        self._rows.state, self._ahead = state, 1


def _clip(x: float, limit: float) -> float:
    return max(-limit, min(limit, x))
