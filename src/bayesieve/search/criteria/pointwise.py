# SPDX-License-Identifier: BSD-3-Clause
"""Criteria that are sums of one loss per row.

A row's loss is rounded once to a multiple of 2^-40 and multiplied by its integer weight; sums are exact integers per
class. The two-class Brier score sums both classes: it is the papers' MSE, twice the binary Brier score.
"""

from abc import abstractmethod
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.exact import FIXED_ONE, to_fixed
from bayesieve.search.criteria.criterion import Criterion, Labels, Measure, Predictions

__all__ = ["BalancedError", "Brier", "Error", "ErrorProbability", "Pointwise", "exact_sums"]


class Pointwise(Criterion):
    """A sum of losses; subclasses define the loss of a row."""

    @abstractmethod
    def losses(self, predictions: Predictions, target: Labels) -> Ints:
        """Return each row's loss in multiples of 2^-40."""

    def measure(self, predictions: Predictions, target: Labels, weights: Ints, n_classes: int) -> Measure:
        """Return the weighted loss of each class."""
        return exact_sums(self.losses(predictions, target), weights, target, n_classes)

    def line(self, mass: Measure, pooled: Measure) -> tuple[tuple[Fraction, ...], Fraction]:
        """Return the slopes of the negative mean loss, which is 0 where no row has weight."""
        total = sum(mass)
        slope = Fraction(-1, total * FIXED_ONE) if total else Fraction(0)
        return (slope,) * len(mass), Fraction(0)


class Error(Pointwise):
    """Share of rows whose predicted class is wrong; a tie between classes goes to the lowest index."""

    name = kernel = "error"

    def losses(self, predictions: Predictions, target: Labels) -> Ints:
        """Return 1 where the prediction is wrong."""
        wrong: NDArray[np.bool_] = predictions.predicted != target
        return wrong.astype(np.int64) * FIXED_ONE


class BalancedError(Error):
    """Mean of the classes' error rates; classes without rows in a segment are ignored there."""

    name = "balanced_error"

    def line(self, mass: Measure, pooled: Measure) -> tuple[tuple[Fraction, ...], Fraction]:
        """Return the slopes of the negative mean error rate of the classes that occur."""
        occurring = sum(1 for weight in mass if weight)
        return tuple(
            Fraction(-1, weight * FIXED_ONE * occurring) if weight else Fraction(0) for weight in mass
        ), Fraction(0)


class ErrorProbability(Pointwise):
    """Mean probability of a wrong class: 1 - P(true class)."""

    efforts = 2
    name = kernel = "error_probability"

    def losses(self, predictions: Predictions, target: Labels) -> Ints:
        """Return 1 - P(true class)."""
        return to_fixed(1.0 - predictions.probabilities[target, np.arange(len(target))])


class Brier(Pointwise):
    """Mean squared distance between probabilities and truth, summed over classes."""

    efforts = 2
    name = kernel = "brier"

    def losses(self, predictions: Predictions, target: Labels) -> Ints:
        """Return the sum over classes of (P(class) - [class is true])^2."""
        distances = predictions.probabilities.copy()
        distances[target, np.arange(len(target))] -= 1.0
        total = distances[0] * distances[0]
        for distance in distances[1:]:
            total = total + distance * distance
        return to_fixed(total)


def exact_sums(losses: Ints, weights: Ints, target: Labels, n_classes: int) -> Measure:
    """Return the sum of loss x weight of each class, exactly.

    Losses are below 2^62 and weights below 2^32; 16-bit limbs of the loss times a weight fit 48 bits, so that blocks of
    2^15 rows add up within 64.
    """
    totals = [0] * n_classes
    for begin in range(0, len(losses), 2**15):
        block = slice(begin, begin + 2**15)
        for shift in range(0, 64, 16):
            limb = (losses[block] >> shift) & 0xFFFF
            if not limb.any():
                continue
            sums = np.zeros(n_classes, dtype=np.int64)
            np.add.at(sums, target[block], limb * weights[block])
            totals = [total + (int(partial) << shift) for total, partial in zip(totals, sums, strict=True)]
    return tuple(totals)
