# SPDX-License-Identifier: BSD-3-Clause
"""The scale on which a number is a target: its mean, and half the standard deviation of what columns leave of it.

What is left is measured once, by the out-of-fold error of a fit of all columns.
"""

from collections.abc import Callable
from dataclasses import replace
from math import frexp, ldexp
from typing import Final

import numpy as np

from bayesieve._typing import Floats
from bayesieve.additive.columns import AdditiveColumns
from bayesieve.additive.members import ChainFits, fit_members
from bayesieve.additive.number_losses import LEAST_LEFT, Squared, spread, standardize
from bayesieve.additive.problem import AdditiveProblem
from bayesieve.additive.rows import AdditiveRows
from bayesieve.exact import ordered_sum
from bayesieve.models.number_scorecard import NumberScale

__all__ = ["with_measured_unit"]

_STEPS: Final = 1024
_LEAST_UNIT: Final = 5e-324


def with_measured_unit(
    problem: AdditiveProblem, data: AdditiveColumns, answer: Callable[[Callable[[], Floats], int], Floats]
) -> AdditiveColumns:
    """Return rows whose target is a number on the scale of what is left of it; ``answer`` keeps what is computed."""
    if problem.numbers is None:
        return data
    rows, numbers = data.rows, data.rows.target
    mean, deviation = spread(numbers, rows.weights)
    if deviation == 0.0:  # nothing is left, or to be learned
        return replace(data, rows=_on_scale(rows, numbers, NumberScale(mean, abs(mean) or 1.0)))
    whole = _on_scale(rows, numbers, NumberScale(mean, deviation / 2.0))
    options = problem.options

    def measure() -> Floats:
        columns = sorted(whole.columns_of(None))
        if not columns:
            return np.ones(1)
        fit = fit_members(ChainFits(whole, options.backend), columns, n_threads=options.n_threads)
        error = whole.target - fit.out_of_fold[:, 0]
        square = ordered_sum(whole.weights * error * error) / ordered_sum(whole.weights)
        return np.array([0.5 * square**0.5])

    left = _rounded(float(np.clip(answer(measure, 1)[0], LEAST_LEFT, 1.0)))
    return replace(data, rows=_on_scale(rows, numbers, NumberScale(mean, left * deviation / 2.0)))


def _rounded(left: float) -> float:
    """Return the nearest number of 10 bits: roundings of sums, in another unit of the target, then change nothing."""
    significand, exponent = frexp(left)
    return ldexp(round(significand * _STEPS) / _STEPS, exponent)


def _on_scale(rows: AdditiveRows, numbers: Floats, scale: NumberScale) -> AdditiveRows:
    scale = replace(scale, unit=max(scale.unit, _LEAST_UNIT))
    return replace(rows, target=standardize(numbers, scale), loss=Squared(scale))
