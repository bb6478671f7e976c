# SPDX-License-Identifier: BSD-3-Clause
"""The scale on which a number is a target, and its link: by what a fit of all columns leaves out of fold.

Of several losses, the one whose out-of-fold predictions have the smallest squared error is taken: with a logarithm, or
without.
"""

from dataclasses import replace

import numpy as np

from bayesieve.additive.columns import AdditiveColumns
from bayesieve.additive.members import ChainFits, fit_members
from bayesieve.additive.number_losses import NumberLoss
from bayesieve.additive.problem import AdditiveOptions, AdditiveProblem
from bayesieve.additive.rows import AdditiveRows
from bayesieve.exact import ordered_sum

__all__ = ["with_measured_unit"]


def with_measured_unit(problem: AdditiveProblem, data: AdditiveColumns) -> AdditiveColumns:
    """Return rows whose target is a number on the scale of what is left of it."""
    if problem.numbers is None:
        return data
    found = [_measured(data.rows, loss, problem.options) for loss in problem.number_losses]
    _, loss = min(found, key=lambda each: each[0])
    return replace(data, rows=replace(data.rows, target=loss.targets(data.rows.target), loss=loss))


def _measured(rows: AdditiveRows, loss: NumberLoss, options: AdditiveOptions) -> tuple[float, NumberLoss]:
    """Return the out-of-fold squared error, in squares of the largest number, and the loss on its scale."""
    numbers, weights = rows.target, rows.weights
    whole = loss.on_spread(numbers, weights)
    on_spread = replace(rows, target=whole.targets(numbers), loss=whole)
    columns = sorted(on_spread.columns_of(None))
    if not columns:
        return 0.0, whole
    fit = fit_members(ChainFits(on_spread, options.backend), columns, n_threads=options.n_threads)
    scale, largest = whole.scale, float(np.abs(numbers).max()) or 1.0
    assert scale is not None
    error = numbers / largest - scale.numbers(fit.out_of_fold[:, 0]) / largest
    return ordered_sum(weights * error * error), whole.on_rest(on_spread.target, fit.out_of_fold, weights)
