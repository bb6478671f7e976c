"""The descent of weights, wherever the rows are: Newton steps of the start and of one column after the other.

Of the rows it asks for sums of integers only: how the rows of each code pull. Those of several columns can be asked for
at once, and serve until a weight moves: when most weights stay, few questions are left.
"""

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import to_fixed
from bayesieve.criteria import CRITERIA, Measure
from bayesieve.engine.gradients.slopes import Slope, curvature_of, pool, pull_scale, slope_of, weight_of
from bayesieve.engine.scan_and_confirm import Words, integers_of
from bayesieve.engine.scoring import Scorer
from bayesieve.models import Tables

__all__ = ["DescentWeighing", "WeightedRows"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Columns = NDArray[np.int32]

_LARGEST_STEP: Final = 1.0
_LARGEST_START_STEP: Final = 2.0
_FINEST: Final = 2.0**-20  # weights are multiples of this
_LOOSEST: Final = 1.0  # tenfold the first goal, in standard errors


class WeightedRows(Protocol):
    """All rows, and how each pulls: residual and curvature in each channel, in multiples of 1 / scale."""

    def reset(self, start: Ints, weights: Floats) -> None:
        """Believe in this start and these weights."""
        ...

    def shift_start(self, change: Ints) -> None:
        """Add to the start."""
        ...

    def shift(self, column: int, before: float, after: float) -> None:
        """Change the weight of a column."""
        ...

    def sums(self, columns: Columns) -> Ints:
        """Return the pulls of each code of a column in each segment, column after column: (n_codes, n_channels, 2)."""
        ...

    def totals(self) -> Ints:
        """Return the pulls of all rows, shape (n_channels, 2)."""
        ...

    def losses(self) -> Words:
        """Return -log of the true class's probability, added up in each segment and class, in multiples of 2^-40."""
        ...


class DescentWeighing:
    """A start and weights, on rows that are asked for the sums of up to ``most_ahead`` columns at once."""

    def __init__(
        self, rows: WeightedRows, tables: Sequence[Tables], masses: Sequence[Measure], unit: float, most_ahead: int = 1
    ) -> None:
        self._rows, self._tables, self._most_ahead = rows, tables, most_ahead
        criterion = CRITERIA["log_loss"]
        self._scorer, self._whole = Scorer(criterion, masses), Scorer(criterion, [pool(masses)])
        self.mass = sum(pool(masses)) * unit
        self._scale = pull_scale(weight_of(masses, unit))
        self._n_classes = len(masses[0])
        self._known: dict[int, Ints] = {}  # sums of columns, of the present start and weights
        self._ahead = 1
        self.reset(tables[0].start, np.zeros(len(tables[0].offsets) - 1))

    def reset(self, start: Ints, weights: Floats) -> None:
        """Believe in this start and these weights."""
        self.start, self.weights = start.copy(), weights.copy()
        self._rows.reset(start, weights)
        self._moved()

    def slopes(self, columns: Columns) -> tuple[Floats, Floats]:
        """Return slopes and centred curvatures."""
        wanted = columns.tolist()
        self._learn([j for j in dict.fromkeys(wanted) if j not in self._known])
        found = [self._slope(j) for j in wanted]
        return np.array([each.slope for each in found]), np.array([each.centred for each in found])

    def descend(self, columns: Columns, penalties: Floats, tolerance: float = 1e-2, most_rounds: int = 200) -> int:
        """Improve start and weights in turn."""
        everything, priced = True, list(zip(columns.tolist(), penalties.tolist(), strict=True))
        active, goal = priced, _LOOSEST
        for turn in range(1, most_rounds + 1):
            largest = self._descend_start()
            round_ = priced if everything else active
            for k, (j, penalty) in enumerate(round_):
                self._look_ahead([each for each, _ in round_[k : k + self._most_ahead]])
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
        return self._whole.mean([pool(measures)]), self._scorer.segment_scores(measures)

    def _descend_start(self) -> float:
        largest, change = 0.0, np.zeros(self._n_classes, dtype=np.int64)
        for c, (residual, weight) in enumerate(self._totals().tolist()):
            curvature = curvature_of(float(weight), self._n_classes, self._scale)
            step = _clip(float(residual) / self._scale / curvature, _LARGEST_START_STEP)
            change[1 if self._n_classes == 2 else c] = to_fixed(np.array(step))
            largest = max(largest, abs(step) * float(np.sqrt(curvature)))
        if change.any():
            self.start = self.start + change
            self._rows.shift_start(change)
            self._moved()
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
        self._rows.shift(j, before, after)
        self.weights[j] = after
        self._moved()
        return abs(after - before) * float(np.sqrt(curvature))

    def _slope(self, j: int) -> Slope:
        return slope_of([tables.column(j) for tables in self._tables], self._known[j], self._scale)

    def _totals(self) -> Ints:
        """Return the pulls of all rows: those of the codes of any column together."""
        if self._known:
            totals: Ints = next(iter(self._known.values())).sum(axis=0)
            return totals
        return self._rows.totals()

    def _look_ahead(self, columns: list[int]) -> None:
        """Know the first of some columns, and of the others as many as it is worth to ask for now."""
        if columns[0] not in self._known:
            self._learn([j for j in columns[: self._ahead] if j not in self._known])
            self._ahead = min(2 * self._ahead, self._most_ahead)

    def _learn(self, columns: list[int]) -> None:
        if columns:
            sums = self._rows.sums(np.array(columns, dtype=np.int32))
            sizes = [sum(len(tables.column(j)) for tables in self._tables) for j in columns]
            self._known |= dict(zip(columns, np.split(sums, np.cumsum(sizes)[:-1]), strict=True))

    def _moved(self) -> None:
        """Forget what rows pulled before: the next column to be looked at may well move them again."""
        self._known, self._ahead = {}, 1


def _clip(x: float, limit: float) -> float:
    return max(-limit, min(limit, x))
