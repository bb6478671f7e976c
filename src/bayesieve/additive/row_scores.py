# SPDX-License-Identifier: BSD-3-Clause
"""Scores of rows as a cyclic fit changes them, in NumPy: the specification of the row states of the compiled core.

Steps of tables are multiples of 2^-40, so that scores are exact sums in any order.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.additive.priors import make_monotone
from bayesieve.exact import exp_nonpositive, nearest_fixed, ordered_sum

__all__ = ["ClassScores", "Direction", "OneScore", "RowScores"]

_MOST_CHANGE: Final = 2.0  # of a score in one update
_LEAST_CURVATURE: Final = 1e-6
_LEAST_PROBABILITY: Final = 1e-290

Direction = tuple[int, int, int]
"""Of a monotone column: the first bin that has an order, 1 for rising or -1 for falling, and the class that leads."""

Derivatives = Callable[[Floats, Floats | None, Floats], tuple[Floats, Floats]]
"""First derivative and curvature of the log-likelihood of rows, given scores, their variances and targets."""


class RowScores(ABC):
    """Scores of all rows; training rows have derivatives.

    Parameters
    ----------
    target, scale : arrays of shape (n_rows,)
        Targets, and weights in the unit of derivatives.
    training : int array
        The rows that are learned from.
    unit : float
        The unit of derivatives.
    """

    def __init__(self, target: Floats, scale: Floats, training: NDArray[np.intp], unit: float) -> None:
        self._training, self._target = training, target[training]
        self._scale, self._unit = scale[training], unit
        self.scores: Floats = np.empty((len(target), 0))

    @abstractmethod
    def begin(self, scores: Floats, variances: Floats | None) -> None:
        """Set the scores of all rows, shape (n_rows, n_scores), and their variances, where these are moderated."""

    @abstractmethod
    def derivatives(self, *, moderated: bool) -> tuple[Ints, Ints]:
        """Return first derivatives and curvatures of the training rows, shape (n_training, n_scores), rounded."""

    @abstractmethod
    def joint_factor(self, factors: Floats) -> float:
        """Return the log Bayes factor of a column, given that of each score."""

    @abstractmethod
    def step(
        self, table: Floats, means: Floats, curvatures: Floats, totals: Floats, direction: Direction | None
    ) -> Floats:
        """Return the step of a table, shape (n_bins, n_scores), toward means of shape (n_scores, n_bins)."""

    @abstractmethod
    def center(self, table: Floats, codes: Ints) -> tuple[Floats, Floats]:
        """Return a table without its levels, and what these add to the intercepts; codes are of training rows."""

    @abstractmethod
    def intercept_step(self, intercepts: Floats, slopes: Floats, curvatures: Floats) -> tuple[Floats, Floats]:
        """Return a Newton step of the intercepts, and the intercepts after it."""

    @abstractmethod
    def change(self, codes: Ints, step: Floats, change: Floats, variances: Floats | None) -> None:
        """Add what a table and the intercepts change by to all rows; ``step`` is the same before centering."""


class OneScore(RowScores):
    """One score per row, and its variance, where a fit is moderated."""

    def __init__(
        self,
        target: Floats,
        scale: Floats,
        training: NDArray[np.intp],
        unit: float,
        derivatives: Derivatives,
        most_steps: tuple[float, float],
    ) -> None:
        super().__init__(target, scale, training, unit)
        self._derivatives, self._most_steps = derivatives, most_steps
        self._variances: Floats | None = None

    def begin(self, scores: Floats, variances: Floats | None) -> None:
        """Set the scores of all rows and their variances."""
        self.scores, self._variances = scores, variances

    def derivatives(self, *, moderated: bool) -> tuple[Ints, Ints]:
        """Return first derivatives and curvatures of the training rows, rounded."""
        variances = self._variances[self._training] if moderated and self._variances is not None else None
        gradients, curvatures = self._derivatives(self.scores[self._training, 0], variances, self._target)
        rounded = (np.rint(each * self._scale).astype(np.int64)[:, None] for each in (gradients, curvatures))
        gradient, curvature = rounded
        return gradient, curvature

    def joint_factor(self, factors: Floats) -> float:
        """Return the factor of the score."""
        return float(factors[0])

    def step(
        self, table: Floats, means: Floats, curvatures: Floats, totals: Floats, direction: Direction | None
    ) -> Floats:
        """Go to the means, centered by curvatures: the level of a table is that of the intercept."""
        mean, own = means[0], curvatures[0]
        if direction is not None:
            mean = make_monotone(mean, own, direction[0], direction[1])
        level = ordered_sum(own * mean)
        most = self._most_steps[0]
        change = np.clip(mean - level / float(totals[0]) - table[:, 0], -most, most)
        return np.asarray(nearest_fixed(table[:, 0] + change) - table[:, 0])[:, None]

    def center(self, table: Floats, codes: Ints) -> tuple[Floats, Floats]:
        """Return the table: steps are centered already."""
        return table, np.zeros(1)

    def intercept_step(self, intercepts: Floats, slopes: Floats, curvatures: Floats) -> tuple[Floats, Floats]:
        """Return a Newton step of limited size: the mean of the training rows becomes that of the target."""
        most = self._most_steps[1]
        step = nearest_fixed(np.clip(slopes / np.maximum(curvatures, 1.0), -most, most))
        return step, intercepts + step

    def change(self, codes: Ints, step: Floats, change: Floats, variances: Floats | None) -> None:
        """Add what a table changes by to the scores, and what its variances change by to those of scores."""
        self.scores = self.scores + change[codes]
        if variances is not None and self._variances is not None:
            self._variances = self._variances + variances[codes]


class ClassScores(RowScores):
    """A score per class, and the probabilities of training rows, which are multiplied by factors of bins.

    All classes of a column are updated together. The quadratic of a class has the curvature ``p min(1, 2 (1 - p))``,
    whose sum over classes bounds the curvature of the softmax from above, so that the update cannot overshoot and its
    fixed point is the optimum.
    """

    def begin(self, scores: Floats, variances: Floats | None) -> None:
        """Set the scores of all rows."""
        self.scores, z = scores, scores[self._training]
        self._p = np.zeros((len(z), -(-z.shape[1] // 4) * 4))  # in blocks of four, as the core adds them up
        self._p[:, : z.shape[1]] = exp_nonpositive(z - z.max(axis=1, keepdims=True))
        self._multiply(np.ones_like(self._p))

    def derivatives(self, *, moderated: bool) -> tuple[Ints, Ints]:
        """Return first derivatives and curvatures of the training rows, rounded."""
        n_classes, scale = self.scores.shape[1], self._scale[:, None]
        p = self._p[:, :n_classes]
        curvatures = np.maximum(p * np.minimum(2.0 * (1.0 - p), 1.0), _LEAST_CURVATURE)
        gradients = -np.rint(p * scale).astype(np.int64)
        own = np.arange(len(p)), self._target.astype(np.intp)
        gradients[own] += np.rint(self._scale).astype(np.int64)
        return gradients, np.rint(curvatures * scale).astype(np.int64)

    def joint_factor(self, factors: Floats) -> float:
        """Return the sum of the factors of the classes for which there is evidence."""
        return ordered_sum(np.maximum(factors, 0.0))

    def step(
        self, table: Floats, means: Floats, curvatures: Floats, totals: Floats, direction: Direction | None
    ) -> Floats:
        """Go to the means, each class without a change of its level."""
        if direction is not None:
            means = _with_direction(means, curvatures, direction)
        changes = means - table.T
        changes = changes - ordered_sum(curvatures * changes, 1)[:, None] / totals[:, None]
        largest, shorter = float(np.abs(changes).max()), 1.0
        if direction is not None and largest > _MOST_CHANGE:  # a step that is cut bin by bin could break the order
            shorter = _MOST_CHANGE / largest
        after = nearest_fixed(table + np.clip(changes * shorter, -_MOST_CHANGE, _MOST_CHANGE).T)
        return np.asarray(after - table)

    def center(self, table: Floats, codes: Ints) -> tuple[Floats, Floats]:
        """Center scores over classes, which changes no probability, and over rows: that is left to the intercepts."""
        truth = np.zeros(table.shape, dtype=np.int64)
        np.add.at(truth, (codes, self._target.astype(np.intp)), np.rint(self._scale).astype(np.int64))
        mass = ordered_sum(truth.astype(np.float64) * self._unit, 1)
        table = table - nearest_fixed(ordered_sum(table, 1) / table.shape[1])[:, None]
        level = nearest_fixed(ordered_sum(mass[:, None] * table, 0) / ordered_sum(mass))
        return table - level, level

    def intercept_step(self, intercepts: Floats, slopes: Floats, curvatures: Floats) -> tuple[Floats, Floats]:
        """Return a Newton step of at most 2, and centered intercepts: the mean probabilities become the shares."""
        step = nearest_fixed(np.clip(slopes / np.maximum(curvatures, 1.0), -_MOST_CHANGE, _MOST_CHANGE))
        after = intercepts + step
        return step, after - nearest_fixed(np.array([ordered_sum(after)]) / len(after))

    def change(self, codes: Ints, step: Floats, change: Floats, variances: Floats | None) -> None:
        """Add what a table and the intercepts change by, and multiply probabilities."""
        self.scores = self.scores + change[codes]
        factors = np.zeros((len(step), self._p.shape[1]))
        factors[:, : step.shape[1]] = exp_nonpositive(step - _MOST_CHANGE)
        self._multiply(factors[codes[self._training]])

    def _multiply(self, factors: Floats) -> None:
        """Multiply probabilities by factors, and normalize."""
        p = self._p * factors
        lanes = np.zeros((len(p), 4))
        for first in range(0, p.shape[1], 4):
            lanes = lanes + p[:, first : first + 4]
        total = (lanes[:, 0] + lanes[:, 1]) + (lanes[:, 2] + lanes[:, 3])
        self._p = np.maximum(p * (1.0 / total)[:, None], _LEAST_PROBABILITY)


def _with_direction(means: Floats, curvatures: Floats, direction: Direction) -> Floats:
    """Make the lead of one class over every other rise, or fall, from bin to bin."""
    first, sign, c = direction
    leads = [make_monotone(means[c] - other, own, first, sign) for other, own in zip(means, curvatures, strict=True)]
    return np.array([means[c] if q == c else means[c] - leads[q] for q in range(len(means))])
