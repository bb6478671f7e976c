# SPDX-License-Identifier: BSD-3-Clause
"""Losses of numbers whose mean is an exponential and whose variance is a power of the mean.

With mean mu = exp(u s) of a score s in a unit u, power p and dispersion phi, half the deviance over the dispersion has

    first derivative  -u (y - mu) mu^(1 - p) / phi,    expected curvature  u^2 mu^(2 - p) / phi

Power 0 is squared error, 1 Poisson, 2 gamma, and between 1 and 2 Tweedie. The unit makes the mean curvature of a row
1/4, as that of two classes at even odds, and is at most 1: rows of rare events have less information.

Targets have a mean of 1. An exposure E is one of rates: the deviance of (y, E mu) is E^(2 - p) that of (y / E, mu).
"""

from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np

from bayesieve._typing import Floats
from bayesieve.additive.constants import LEAST_CURVATURE_SHARE
from bayesieve.additive.loss import StackProblem, integer_sum, mean_target
from bayesieve.additive.number_losses import CURVATURE, LEAST_UNIT, NumberLoss, rounded, spread
from bayesieve.exact import exp_nonpositive, log_positive, ordered_sum
from bayesieve.models.number_scorecard import NumberScale

__all__ = ["Power"]

_MOST_LOG: Final = 30.0  # of a mean, relative to that of all rows
_LEAST_DISPERSION: Final = 1e-5  # of that without columns
_LEAST_SQUARE: Final = 1e-12  # of deviations from the mean, relative to it
_LEAST_MEAN: Final = 1e-6  # of rows of a fold, whose target may be 0


@dataclass(frozen=True)
class Power(NumberLoss):
    """Half the deviance of a number that is not negative, whose variance is a power of its mean.

    Attributes
    ----------
    power : float
        0, or from 1 to 2.
    weight : float
        The inverse of the dispersion of targets.
    scale : NumberScale or None
        What scores are; None before it is measured.
    mean_exposure : float
        Exposure of a row of weight 1, where numbers are rates.
    """

    power: float = 1.0
    weight: float = 1.0
    scale: NumberScale | None = None
    mean_exposure: float = 1.0

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name in the compiled core, with its numbers."""
        return " ".join(["power", *(float(each).hex() for each in (self.power, self._unit, self.weight))])

    @property
    def most_steps(self) -> tuple[float, float]:  # type: ignore[override]
        """By which a score of a bin, and an intercept, change at most: factors of e^2 and e."""
        return 2.0 / self._unit, 1.0 / self._unit

    @property
    def _unit(self) -> float:
        return 1.0 if self.scale is None else self.scale.unit

    def on_spread(self, numbers: Floats, weights: Floats) -> Self:
        """Return the same on the scale of a target of which nothing is explained."""
        mean, deviation = spread(numbers, weights)
        with_center = replace(self, scale=NumberScale(max(mean, LEAST_UNIT), 1.0, is_log=True))
        relative = deviation / mean if mean > 0.0 else 1.0
        return with_center._with(max(relative * relative, _LEAST_SQUARE), 1.0)

    def on_rest(self, target: Floats, scores: Floats, weights: Floats) -> Self:
        """Return the same on the scale of what out-of-fold scores leave: their mean squared error per variance."""
        logs = np.clip(self._unit * scores[:, 0], -_MOST_LOG, _MOST_LOG)
        error, total = target - _exponential(logs), ordered_sum(weights)
        left = ordered_sum(weights * (error * error * _exponential(-self.power * logs))) / total
        least = _LEAST_DISPERSION * float((weights * (target - 1.0) ** 2).sum()) / total
        mean_curvature = ordered_sum(weights * _exponential((2.0 - self.power) * logs)) / total
        return self._with(max(left, least, _LEAST_SQUARE), mean_curvature)

    def _with(self, dispersion: float, mean_curvature: float) -> Self:
        assert self.scale is not None
        if self.power == 1.0:  # counts have at least that of Poisson
            dispersion = max(dispersion, 1.0 / (self.scale.center * self.mean_exposure))
        weight = rounded(1.0 / dispersion)
        unit = rounded(min(1.0, (CURVATURE / (weight * mean_curvature)) ** 0.5))
        return replace(self, weight=weight, scale=replace(self.scale, unit=unit))

    def targets(self, numbers: Floats) -> Floats:
        """Return numbers over their mean."""
        assert self.scale is not None
        return np.asarray(numbers / self.scale.center)

    def shown(self, loss: float) -> float:
        """Return the mean deviance in the unit of the target; of power 0, the root of the mean squared error."""
        center = 1.0 if self.scale is None else self.scale.center * self.mean_exposure
        deviance = 2.0 * loss / self.weight
        return float(center * deviance**0.5 if self.power == 0.0 else center ** (2.0 - self.power) * deviance)

    def limits(self, last: Floats, without: Floats, lost: float) -> Floats:
        """Return the largest losses that are enough; the dispersion of counts counts as known."""
        if self.power == 1.0:
            return np.maximum(last, without - (1.0 - lost) * (without - last))
        return super().limits(last, without, lost)

    def losses(self, scores: Floats, target: Floats) -> Floats:
        """Return half the deviance of each row over the dispersion."""
        log, first, second = self._means(scores[:, 0])
        p, q = 1.0 - self.power, 2.0 - self.power
        linear, rest = log if p == 0.0 else first / p, log if q == 0.0 else second / q
        return np.asarray(self.weight * ((rest - target * linear) + self._saturated(target)))

    def start(self, target: Floats, weights: Floats) -> Floats:
        """Return the logarithm of the mean."""
        mean = float((target * weights).sum()) / float(weights.sum())
        return np.asarray(log_positive(np.array([max(mean, _LEAST_MEAN)])) / self._unit)

    def derivatives(self, scores: Floats, variances: Floats | None, target: Floats) -> tuple[Floats, Floats]:
        """Return gradient and expected curvature of the log-likelihood, whatever the variance of a score."""
        _, first, second = self._means(scores)
        slope, most = self.weight * self._unit, self.largest_derivative
        gradient = np.clip(slope * (target * first - second), -most, most)
        return gradient, np.clip(self.weight * self._unit * self._unit * second, -most, most)

    def moved(self, before: Floats, after: Floats, weights: Floats) -> float:
        """Return the weighted sum of squared changes, times the curvature."""
        _, curvature = self.derivatives(after[:, 0], None, np.zeros(len(after)))
        return ordered_sum(weights * (curvature * (after[:, 0] - before[:, 0]) ** 2))

    def potential(self, scores: Floats) -> Floats:
        """Return a function whose second derivative is the expected curvature."""
        log, _, second = self._means(scores[:, 0])
        q = 2.0 - self.power
        return np.asarray(self.weight * (0.5 * log * log if q == 0.0 else second / (q * q)))

    def mean(self, scores: Floats) -> Floats:
        """Return the derivative of the same."""
        log, _, second = self._means(scores)
        q = 2.0 - self.power
        return np.asarray(self.weight * self._unit * (log if q == 0.0 else second / q))

    def curvatures(self, scores: Floats, target: Floats, weights: Floats) -> Floats:
        """Return the curvature of each row, or a share of the mean one, times its weight."""
        _, own = self.derivatives(scores[:, 0], None, target)
        least = LEAST_CURVATURE_SHARE * ordered_sum(weights * own) / ordered_sum(weights)
        return np.asarray(weights * np.maximum(own, least))[:, None]

    def stack_start(self, centers: Floats, prior: Floats, problem: StackProblem, total: float) -> Floats:
        """Return the logarithm of the mean."""
        mean = max(mean_target(problem, total), _LEAST_MEAN)
        return np.asarray(log_positive(np.array([mean])) / self._unit)

    def base_curvature(self, problem: StackProblem, total: float) -> float:
        """Return a sum of curvatures as large as that of rows would be if nothing were explained."""
        _, target, weights, unit = problem
        variance = float(integer_sum(weights * (target - 1.0) ** 2, unit)) * unit / total
        return total * self.weight * self._unit * self._unit * max(self.weight * variance, 1.0)

    def _means(self, scores: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the logarithm of means, and its exponentials times 1 - p and 2 - p."""
        log = np.clip(self._unit * scores, -_MOST_LOG, _MOST_LOG)
        return log, _exponential((1.0 - self.power) * log), _exponential((2.0 - self.power) * log)

    def _saturated(self, target: Floats) -> Floats:
        """Return the loss less what depends on the score: with it, the loss of a perfect score is 0."""
        p, q, positive = 1.0 - self.power, 2.0 - self.power, target > 0.0
        log = log_positive(np.where(positive, target, 1.0))
        if p == 0.0:
            own = target * log - target
        elif q == 0.0:
            own = -1.0 - log
        else:
            own = _exponential(q * log) / (p * q)
        return np.where(positive, own, 0.0)


def _exponential(x: Floats) -> Floats:
    e = exp_nonpositive(np.where(x < 0.0, x, -x))
    return np.where(x > 0.0, 1.0 / e, e)
