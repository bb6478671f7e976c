# SPDX-License-Identifier: BSD-3-Clause
"""Losses of targets that are numbers, in the unit in which a row has as much information as one of two classes at most.

The log-likelihood of a row is that of its number over the dispersion, the variance that is left. Scores are in half
standard deviations of what is left, so that the curvature of a row is 1/4: that of two classes at even odds. Prior
variances, evidence, the price of a bin and the tolerance of a fit are then the same numbers as those of classes, and
nothing changes with the unit of the target.
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from math import frexp, fsum, ldexp
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.additive.constants import NUMBERS
from bayesieve.additive.loss import LARGEST_SCORE, ScoreLoss, StackProblem, integer_sum, mean_target
from bayesieve.exact import exp_nonpositive, log_positive, ordered_sum
from bayesieve.models.number_scorecard import NumberScale

__all__ = ["LEAST_LEFT", "LEAST_UNIT", "NumberLoss", "Squared", "rounded", "spread", "standardize"]

CURVATURE: Final = 0.25
"""The curvature of a row, whose score is in half standard deviations."""

LEAST_LEFT: Final = 1.0 / 256.0
"""The least share of the standard deviation that is left: with less, scores would not fit their exact sums."""


LEAST_UNIT: Final = 5e-324
"""The smallest unit of a target."""


class NumberLoss(ScoreLoss):
    """A loss of a number. It has a scale once what is left of a target is measured."""

    tuning = NUMBERS
    largest_derivative = 1024.0
    scale: NumberScale | None = None

    @abstractmethod
    def on_spread(self, numbers: Floats, weights: Floats) -> Self:
        """Return the same on the scale of a target of which nothing is explained."""

    @abstractmethod
    def on_rest(self, target: Floats, scores: Floats, weights: Floats) -> Self:
        """Return the same on the scale of what out-of-fold scores leave of a target, which is on the present scale."""

    @abstractmethod
    def targets(self, numbers: Floats) -> Floats:
        """Return numbers as targets."""

    def classes_of(self, target: Floats) -> NDArray[np.intp]:
        """Return 0: there are no classes."""
        return np.zeros(len(target), dtype=np.intp)

    def class_scores(self, scores: Floats) -> Floats:
        """Return the scores: there are no classes."""
        return scores

    def limits(self, last: Floats, without: Floats, lost: float) -> Floats:
        """Return the largest losses that are enough, where the gain is that of half the logarithm of the loss.

        That is the log-likelihood if what is left is estimated. Of the loss itself, a share is too much where little is
        left.
        """
        shares = np.minimum(np.maximum(last, 1e-300) / np.maximum(without, 1e-300), 1.0)
        return np.maximum(last, without * exp_nonpositive((1.0 - lost) * np.minimum(log_positive(shares), 0.0)))

    def bounded_terms(self, scores: Floats, target: Floats) -> tuple[Floats, Floats, Floats]:
        """Return gradients, curvatures, and losses that are cut off."""
        gradient, curvature = self.derivatives(scores[:, 0], None, target)
        return gradient[:, None], curvature[:, None], np.minimum(self.losses(scores, target), LARGEST_SCORE)


@dataclass(frozen=True)
class Squared(NumberLoss):
    """Squared error: an eighth of the square of an error in half standard deviations of what is left.

    Gradients are cut off at 1,024: errors beyond 2,048 standard deviations.
    """

    scale: NumberScale | None = None

    name = "squared"
    most_steps = (2048.0, 2048.0)

    def on_spread(self, numbers: Floats, weights: Floats) -> Self:
        """Return the same on the scale of a target of which nothing is explained."""
        mean, deviation = spread(numbers, weights)
        return replace(self, scale=NumberScale(mean, max(deviation / 2.0, LEAST_UNIT)))

    def on_rest(self, target: Floats, scores: Floats, weights: Floats) -> Self:
        """Return the same on the scale of what out-of-fold scores leave."""
        assert self.scale is not None
        error = target - scores[:, 0]
        left = 0.5 * (ordered_sum(weights * error * error) / ordered_sum(weights)) ** 0.5
        unit = self.scale.unit * rounded(float(np.clip(left, LEAST_LEFT, 1.0)))
        return replace(self, scale=replace(self.scale, unit=max(unit, LEAST_UNIT)))

    def targets(self, numbers: Floats) -> Floats:
        """Return numbers in units from the mean."""
        assert self.scale is not None
        return standardize(numbers, self.scale)

    def shown(self, loss: float) -> float:
        """Return the root of the mean squared error, in the unit of the target."""
        unit = 1.0 if self.scale is None else self.scale.unit
        return float(unit * (loss / (0.5 * CURVATURE)) ** 0.5)

    def losses(self, scores: Floats, target: Floats) -> Floats:
        """Return an eighth of the squared error of each row."""
        error = target - scores[:, 0]
        return np.asarray(0.5 * CURVATURE * error * error)

    def start(self, target: Floats, weights: Floats) -> Floats:
        """Return the mean."""
        return np.array([float((target * weights).sum()) / float(weights.sum())])

    def derivatives(self, scores: Floats, variances: Floats | None, target: Floats) -> tuple[Floats, Floats]:
        """Return a quarter of y - f, and a quarter, whatever the variance of a score."""
        error = np.clip(CURVATURE * (target - scores), -self.largest_derivative, self.largest_derivative)
        return error, np.full(len(scores), CURVATURE)

    def moved(self, before: Floats, after: Floats, weights: Floats) -> float:
        """Return the weighted sum of squared changes, times the curvature."""
        return ordered_sum(weights * (CURVATURE * (after[:, 0] - before[:, 0]) ** 2))

    def potential(self, scores: Floats) -> Floats:
        """Return an eighth of the square of the score."""
        return np.asarray(0.5 * CURVATURE * scores[:, 0] * scores[:, 0])

    def mean(self, scores: Floats) -> Floats:
        """Return a quarter of the scores."""
        return CURVATURE * scores

    def curvatures(self, scores: Floats, target: Floats, weights: Floats) -> Floats:
        """Return a quarter of the weight of each row."""
        return CURVATURE * weights[:, None]

    def stack_start(self, centers: Floats, prior: Floats, problem: StackProblem, total: float) -> Floats:
        """Return the mean."""
        return np.array([mean_target(problem, total)])

    def base_curvature(self, problem: StackProblem, total: float) -> float:
        """Return a sum of curvatures as large as that of rows would be if nothing were explained."""
        _, target, weights, unit = problem
        mean = mean_target(problem, total)
        variance = float(integer_sum(weights * (target - mean) ** 2, unit)) * unit / total
        return total * CURVATURE * max(CURVATURE * variance, 1.0)


def standardize(numbers: Floats, scale: NumberScale) -> Floats:
    """Return numbers as targets on a scale: those of 1e308 do not overflow on the way."""
    shift = -_exponent(numbers, scale.center)
    near = np.ldexp(numbers, shift) - ldexp(scale.center, shift)
    return np.asarray(near / (ldexp(scale.unit, shift) or 1.0))


def spread(numbers: Floats, weights: Floats) -> tuple[float, float]:
    """Return the mean and the standard deviation of numbers; sums are rounded once, in any order of the rows."""
    shift = -_exponent(numbers, 0.0)
    near, total = np.ldexp(numbers, shift), fsum(weights.tolist())
    mean = fsum((weights * near).tolist()) / total
    variance = fsum((weights * (near - mean) ** 2).tolist()) / total
    return ldexp(mean, -shift), ldexp(variance**0.5, -shift)


def _exponent(numbers: Floats, center: float) -> int:
    return frexp(max(float(np.abs(numbers).max(initial=0.0)), abs(center)))[1]


def rounded(x: float) -> float:
    """Return the nearest number of 10 bits: roundings of sums, in another unit of the target, then change nothing."""
    significand, exponent = frexp(x)
    return ldexp(round(significand * 1024.0) / 1024.0, exponent)
