"""The weighing in NumPy: the specification of the compiled one, and its stand-in."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import FIXED_ONE, exp_nonpositive, to_fixed
from bayesieve.criteria import CRITERIA, Measure
from bayesieve.engine.base import Segment
from bayesieve.engine.scoring import Scorer
from bayesieve.models import Evidence

__all__ = ["ReferenceWeighing", "pool"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LARGEST_STEP: Final = 1.0
_LARGEST_START_STEP: Final = 2.0
_FINEST: Final = 2.0**-20  # weights are multiples of this
_LOOSEST: Final = 1.0  # tenfold the first goal, in standard errors
_FLAT: Final = 1e-9  # added to second derivatives
_MOST_PULLS: Final = 2.0**51  # all together, so that sums are exact


class ReferenceWeighing:
    """Keeps evidence of all rows, and how each row pulls at it."""

    def __init__(self, segments: Sequence[Segment], unit: float) -> None:
        self._segments = segments
        self._criterion = CRITERIA["log_loss"]
        masses = [segment.mass for segment in segments]
        self._scorer, self._whole = Scorer(self._criterion, masses), Scorer(self._criterion, [pool(masses)])
        self.mass = sum(pool(masses)) * unit
        self._n_classes = segments[0].n_classes
        total = 0.0
        for segment in segments:
            for mass in segment.mass:
                total = total + mass * unit
        self._scale = float(FIXED_ONE)
        while self._scale * total > _MOST_PULLS:
            self._scale /= 2.0
        self._row_scale = [segment.weights * unit * self._scale for segment in segments]
        self._factor = 1.0 if self._n_classes == 2 else 2.0
        self.reset(segments[0].tables.start, np.zeros(len(segments[0].tables.offsets) - 1))

    def reset(self, start: Ints, weights: Floats) -> None:
        """Believe in this start and these weights."""
        self.start, self.weights = start.copy(), weights.copy()
        self._evidence = [np.repeat(start[:, None], segment.codes.n_rows, axis=1) for segment in self._segments]
        for j in np.flatnonzero(weights).tolist():
            self._add(j, 0.0, float(weights[j]))
        self._pull()

    def slopes(self, columns: NDArray[np.int32]) -> tuple[Floats, Floats]:
        """Return slopes and centred curvatures."""
        found = [self._slope(j) for j in columns.tolist()]
        return np.array([slope for slope, _, _ in found]), np.array([centred for _, _, centred in found])

    def descend(
        self, columns: NDArray[np.int32], penalties: Floats, tolerance: float = 1e-2, most_rounds: int = 200
    ) -> int:
        """Improve start and weights in turn."""
        everything, priced = True, list(zip(columns.tolist(), penalties.tolist(), strict=True))
        active, goal = priced, _LOOSEST
        for turn in range(1, most_rounds + 1):
            largest = self._descend_start()
            for j, penalty in priced if everything else active:
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
        measures = [
            self._criterion.measure(Evidence(evidence), segment.target, segment.weights, self._n_classes)
            for segment, evidence in zip(self._segments, self._evidence, strict=True)
        ]
        return self._whole.mean([pool(measures)]), self._scorer.segment_scores(measures)

    def _descend_start(self) -> float:
        sums = sum(pulls.sum(axis=0) for pulls in self._pulls)
        largest, change = 0.0, np.zeros(self._n_classes, dtype=np.int64)
        for c, (residual, weight) in enumerate(np.asarray(sums).tolist()):
            curvature = self._factor * float(weight) / self._scale + _FLAT
            step = _clip(float(residual) / self._scale / curvature, _LARGEST_START_STEP)
            change[1 if self._n_classes == 2 else c] = to_fixed(np.array(step))
            largest = max(largest, abs(step) * float(np.sqrt(curvature)))
        self.start = self.start + change
        self._evidence = [evidence + change[:, None] for evidence in self._evidence]
        self._pull()
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
        self._add(j, before, after)
        self._pull()
        self.weights[j] = after
        return abs(after - before) * float(np.sqrt(curvature))

    def _slope(self, j: int) -> tuple[float, float, float]:
        """Return slope, curvature, and curvature after the start has followed."""
        n_channels = self._pulls[0].shape[1]
        slope, curvature, mean, mass = 0.0, 0.0, [0.0] * n_channels, [0.0] * n_channels
        for segment, pulls in zip(self._segments, self._pulls, strict=True):
            values = _channels(segment.tables.column(j))
            sums = np.zeros((len(values), n_channels, 2), dtype=np.int64)
            np.add.at(sums, segment.codes.column(j), pulls)
            for value, sum_of_code in zip(values.tolist(), sums.tolist(), strict=True):
                for c, (z, (residual, weight)) in enumerate(zip(value, sum_of_code, strict=True)):
                    slope = slope + z * float(residual)
                    curvature = curvature + z * z * float(weight)
                    mean[c] = mean[c] + z * float(weight)
                    mass[c] = mass[c] + float(weight)
        taken = 0.0
        for each, whole in zip(mean, mass, strict=True):
            if whole > 0.0:
                taken = taken + each * each / whole
        centred = max(self._factor * (curvature - taken) / self._scale, 0.0) + _FLAT
        return slope / self._scale, self._factor * curvature / self._scale + _FLAT, centred

    def _add(self, j: int, before: float, after: float) -> None:
        for s, segment in enumerate(self._segments):
            table = segment.tables.column(j)
            change = np.rint(after * table).astype(np.int64) - np.rint(before * table).astype(np.int64)
            self._evidence[s] = self._evidence[s] + change.T[:, segment.codes.column(j)]

    def _pull(self) -> None:
        """Compute residual and curvature of each row and channel, in multiples of 1 / scale."""
        pull = _pulls_of_two if self._n_classes == 2 else _pulls_of_many
        self._pulls = [
            np.rint(pull(evidence, segment.target) * scale[:, None, None]).astype(np.int64)
            for evidence, segment, scale in zip(self._evidence, self._segments, self._row_scale, strict=True)
        ]


def pool(measures: Sequence[Measure]) -> Measure:
    """Return the measure of all rows, given that of each segment."""
    return tuple(map(sum, zip(*measures, strict=True)))


def _pulls_of_two(evidence: Ints, target: NDArray[np.int32]) -> Floats:
    lead = evidence[1] - evidence[0]
    e = exp_nonpositive(-np.abs(lead) / float(FIXED_ONE))
    likely = 1.0 / (1.0 + e)
    unlikely = e * likely
    wrong = np.where((lead < 0) == (target == 1), likely, unlikely)
    return np.stack([np.where(target == 1, wrong, -wrong), unlikely * likely], axis=1)[:, None, :]


def _pulls_of_many(evidence: Ints, target: NDArray[np.int32]) -> Floats:
    parts = exp_nonpositive((evidence - evidence.max(axis=0)) / float(FIXED_ONE))
    total = np.zeros(evidence.shape[1])
    for part in parts:
        total = total + part
    p = (parts / total).T
    truth = (target[:, None] == np.arange(len(evidence))).astype(np.float64)
    return np.stack([truth - p, p * (1.0 - p)], axis=2)


def _channels(table: Ints) -> Floats:
    """Return what each code says in each channel: the log-odds of the second class, or each class against the mean."""
    if table.shape[1] == 2:
        return (table[:, 1:] - table[:, :1]) / float(FIXED_ONE)
    nats, total = table / float(FIXED_ONE), np.zeros(len(table))
    for c in range(table.shape[1]):
        total = total + nats[:, c]
    return nats - (total / float(table.shape[1]))[:, None]


def _clip(x: float, limit: float) -> float:
    return max(-limit, min(limit, x))
