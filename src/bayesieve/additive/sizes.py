# SPDX-License-Identifier: BSD-3-Clause
"""Sizes: their out-of-fold losses, and the number of columns that is enough.

With few rows the losses of sizes are uneven, and the smallest size that looks good is often too small. What size k
lacks of the largest size K, per row, was measured as d with a variance v, from the paired losses of rows. Usually it is

    m = 0.2 (1 - k / K) x gain,    gain = loss of class frequencies - smallest loss

with a standard deviation s = 0.6 m, if the columns that are left have an effect. Of columns with a Bayes factor B > 1
alone, 1 - 1 / B have one; q is the mean of this share over the columns that are left. Where d < m, expected is

    d + q v / (v + s^2) x (m - d)

and otherwise d, as more than usual may be lacking. With many rows v is small, and where only noise is left q is:
nothing changes there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayesieve._typing import Floats
from bayesieve.additive.constants import LACK_SPREAD, LEAST_ERRORS, USUAL_LACK
from bayesieve.additive.members import AdditiveFit
from bayesieve.additive.rows import AdditiveRows
from bayesieve.exact import exp_nonpositive

__all__ = ["SizeFit", "enough_size", "expected_losses", "fit_frequencies", "improves", "size_fit"]


@dataclass(frozen=True)
class SizeFit:
    """A size on the path: the fit on all rows, its out-of-fold loss, and that of each fold."""

    fit: AdditiveFit
    loss: float
    fold_losses: tuple[float, ...]


def size_fit(rows: AdditiveRows, fit: AdditiveFit) -> SizeFit:
    """Measure the out-of-fold loss of a fit."""
    losses = rows.loss.losses(fit.out_of_fold, rows.target) * rows.weights
    folds = [slice(*rows.fold(q)) for q in range(rows.n_folds)]
    by_fold = tuple(float(losses[own].sum() / rows.weights[own].sum()) for own in folds)
    return SizeFit(fit, float(losses.sum() / rows.weights.sum()), by_fold)


def fit_frequencies(rows: AdditiveRows) -> SizeFit:
    """Return the fit without columns: class frequencies."""
    intercept, offset = rows.loss.start(rows.target, rows.weights), np.zeros((rows.n_rows, rows.loss.n_scores))
    scores = offset + intercept
    return size_fit(rows, AdditiveFit((), intercept, [], scores, scores, (), offset))


def improves(rows: AdditiveRows, before: SizeFit, after: SizeFit) -> bool:
    """Return whether a fit is better than another by two standard errors: noise is so by less."""
    gains = rows.loss.losses(before.fit.out_of_fold, rows.target) - rows.loss.losses(after.fit.out_of_fold, rows.target)
    total = float(rows.weights.sum())
    mean = float((rows.weights * gains).sum()) / total
    variance = float((rows.weights * (gains - mean) ** 2).sum()) / total
    return bool(mean > LEAST_ERRORS * (variance / total) ** 0.5)


def enough_size(losses: Floats, frequencies: SizeFit, lost: float) -> int:
    """Return the index of the first loss that is small enough.

    It may lack a share ``lost`` of the improvement that the smallest loss has over class frequencies.
    """
    least = float(losses.min())
    enough = max(least, frequencies.loss - (1.0 - lost) * (frequencies.loss - least))
    return int(np.argmax(losses <= enough))


def expected_losses(rows: AdditiveRows, frequencies: SizeFit, sizes: Sequence[SizeFit], alone: Floats) -> Floats:
    """Return the expected loss of each size, the largest of which comes last.

    ``alone`` has the log Bayes factors of all columns by themselves. The losses of class frequencies, and of the
    largest size, are as they were measured.
    """
    losses = np.array([size.loss for size in sizes])
    gain, total, largest = frequencies.loss - float(losses.min()), float(rows.weights.sum()), sizes[-1].fit
    if gain <= 0.0:
        return losses
    effects = dict(enumerate((1.0 - exp_nonpositive(-np.maximum(alone, 0.0))).tolist()))
    of_largest = rows.loss.losses(largest.out_of_fold, rows.target)
    for i, size in enumerate(sizes[:-1]):
        left = sorted(set(largest.columns).difference(size.fit.columns))
        if not size.fit.columns or not left:
            continue
        share = sum(effects[k] for k in left) / len(left)
        usual, lack = USUAL_LACK * len(left) / len(largest.columns) * gain, float(losses[i] - losses[-1])
        lacks = rows.loss.losses(size.fit.out_of_fold, rows.target) - of_largest
        variance = float((rows.weights * (lacks - lack) ** 2).sum()) / total**2
        losses[i] += share * variance / (variance + (LACK_SPREAD * usual) ** 2) * max(usual - lack, 0.0)
    return losses
