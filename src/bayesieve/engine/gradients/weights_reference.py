"""The weighing in NumPy: the specification of the compiled one, and its stand-in."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import FIXED_ONE, exp_nonpositive
from bayesieve.criteria import CRITERIA
from bayesieve.engine.base import Segment
from bayesieve.engine.gradients.descent import DescentWeighing
from bayesieve.engine.gradients.slopes import pull_scale, weight_of
from bayesieve.engine.reference_rows import words_of
from bayesieve.engine.scan_and_confirm import Words
from bayesieve.models import Evidence

__all__ = ["ReferenceWeighing", "ReferenceWeightedRows"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class ReferenceWeighing(DescentWeighing):
    """A descent on rows in NumPy."""

    def __init__(self, segments: Sequence[Segment], unit: float) -> None:
        masses = [segment.mass for segment in segments]
        rows = ReferenceWeightedRows(segments, unit, weight_of(masses, unit))
        super().__init__(rows, [segment.tables for segment in segments], masses, unit)


class ReferenceWeightedRows:
    """Keeps evidence of all rows, and how each row pulls at it; ``total`` is the weight of all that are summed up."""

    def __init__(self, segments: Sequence[Segment], unit: float, total: float) -> None:
        self._segments, self._n_classes = segments, segments[0].n_classes
        scale = pull_scale(total)
        self._row_scale = [segment.weights * unit * scale for segment in segments]

    def reset(self, start: Ints, weights: Floats) -> None:
        """Believe in this start and these weights."""
        self._evidence = [np.repeat(start[:, None], segment.codes.n_rows, axis=1) for segment in self._segments]
        for j in np.flatnonzero(weights).tolist():
            self._add(j, 0.0, float(weights[j]))
        self._pull()

    def shift_start(self, change: Ints) -> None:
        """Add to the start."""
        self._evidence = [evidence + change[:, None] for evidence in self._evidence]
        self._pull()

    def shift(self, column: int, before: float, after: float) -> None:
        """Change the weight of a column."""
        self._add(column, before, after)
        self._pull()

    def sums(self, columns: NDArray[np.int32]) -> Ints:
        """Return the pulls of each code of a column in each segment, column after column."""
        found = [np.zeros((0, *self._pulls[0].shape[1:]), dtype=np.int64)]
        for j in columns.tolist():
            for segment, pulls in zip(self._segments, self._pulls, strict=True):
                sums = np.zeros((len(segment.tables.column(j)), *pulls.shape[1:]), dtype=np.int64)
                np.add.at(sums, segment.codes.column(j), pulls)
                found.append(sums)
        return np.concatenate(found)

    def totals(self) -> Ints:
        """Return the pulls of all rows."""
        totals: Ints = np.sum([pulls.sum(axis=0) for pulls in self._pulls], axis=0)
        return totals

    def losses(self) -> Words:
        """Return the loss of each segment and class."""
        criterion = CRITERIA["log_loss"]
        measures = [
            criterion.measure(Evidence(evidence), segment.target, segment.weights, self._n_classes)
            for segment, evidence in zip(self._segments, self._evidence, strict=True)
        ]
        words: Words = words_of([measures])[0]
        return words

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
