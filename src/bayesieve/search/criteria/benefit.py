# SPDX-License-Identifier: BSD-3-Clause
"""The mean benefit of the actions that follow from predictions.

Each row takes the action with the largest expected benefit (`decisions.benefits`) and gains the benefit of that action
for its true class. A row's loss is its regret, the benefit of the best action for the true class minus that, so that

    mean benefit = mean best benefit - mean regret

Regrets are multiples of a power of two, the unit, times 2^-40.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.decisions import best_actions, expected_benefits, realized_benefits
from bayesieve.exact import FIXED_ONE, to_fixed
from bayesieve.search.criteria.criterion import Measure, Predictions
from bayesieve.search.criteria.pointwise import Error, Pointwise

__all__ = ["Benefit", "BenefitError", "benefit_mass"]


class _MeanBenefit(Pointwise):
    """Base of both forms: a score that is a benefit, and segments whose mass is a `benefit_mass`."""

    is_loss = False

    def line(self, mass: Measure, pooled: Measure) -> tuple[tuple[Fraction, ...], Fraction]:
        """Return the slopes of minus the mean regret, and the mean best benefit."""
        total, n_classes, *numbers = mass
        unit = Fraction(*numbers[:2])
        best = Fraction(*numbers[2:])
        return (-unit / (total * FIXED_ONE),) * n_classes, best / total


class Benefit(_MeanBenefit):
    """Mean benefit, for any number of classes and actions.

    ``benefits`` are those of the measured rows, as `read_benefits` returns them, in units.
    """

    name = kernel = "benefit"
    uses_benefits = True

    def __init__(self, benefits: Floats | None = None) -> None:
        self._benefits = benefits

    def on(self, benefits: Floats | None) -> "Benefit":
        """Return the criterion of rows with these benefits."""
        return Benefit(benefits)

    def losses(self, predictions: Predictions, target: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the regret of each row."""
        assert self._benefits is not None
        actions = best_actions(expected_benefits(predictions.probabilities.T, self._benefits))
        rows = np.arange(len(target)) if len(self._benefits) > 1 else 0
        best: Floats = self._benefits[rows, :, target].max(axis=1)
        return to_fixed(best - realized_benefits(actions, target, self._benefits))


class BenefitError(_MeanBenefit, Error):
    """Mean benefit of one of two actions for two classes: an error costs the row's weight."""

    name = "benefit"


def benefit_mass(total: int, n_classes: int, unit: float, best: float) -> Measure:
    """Return the integers that a mean benefit needs of a segment: weight, classes, unit, sum of the best benefits."""
    return (total, n_classes, *unit.as_integer_ratio(), *best.as_integer_ratio())
