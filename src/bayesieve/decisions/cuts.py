# SPDX-License-Identifier: BSD-3-Clause
"""All cuts of a ranking of rows, with the weights that each accepts, as exact integers; which of them is best.

A cut may guarantee a recall or precision floor for a new row, which is counted as an error: with n positive rows and a
recall floor r, at most (n + 1)(1 - r) of n + 1 may be rejected, so that the cut is the floor((n + 1)(1 - r))-th
smallest score of positive rows, which is accepted. If scores are exchangeable, a new positive row is accepted with a
probability of at least r. Precision is similar: of n accepted rows and one more, at most (n + 1)(1 - p) may be
negative.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.exceptions import DataError

__all__ = ["MEASURES", "Cuts", "Measure", "clopper_pearson", "cut_at_precision", "cut_at_recall", "rank_rows"]

_CLOSE = 1e-12  # far more than the rounding of a quotient, and few others need an exact comparison
_INT64 = np.iinfo(np.int64)
_CONFIDENCE = 0.95
_MOST_TRIALS = 1e12  # beyond, the incomplete beta function has no inverse in floats


@dataclass(frozen=True)
class Cuts:
    """Cut k accepts the rows of the k largest distinct scores: cut 0 accepts none, the last cut all.

    Attributes
    ----------
    scores : array of shape (n_cuts - 1,)
        Distinct scores, the largest first.
    true, false : int arrays of shape (n_cuts,)
        Weight of the positive and of the negative rows that each cut accepts. Python integers if products of two
        weights do not fit in 64 bits.
    """

    scores: NDArray[Any]
    true: NDArray[Any]
    false: NDArray[Any]

    @property
    def n_positive(self) -> int:
        """Weight of all positive rows."""
        return int(self.true[-1])

    @property
    def n_negative(self) -> int:
        """Weight of all negative rows."""
        return int(self.false[-1])

    @cached_property
    def advantage(self) -> NDArray[Any]:
        """The determinant ad - bc of each cut's confusion matrix: above 0 if accepted rows are more often positive.

        With a true and b false rows accepted, of P and N, c = P - a and d = N - b make it aN - bP.
        """
        determinant: NDArray[Any] = self.true * self.n_negative - self.false * self.n_positive
        return determinant

    @cached_property
    def accepted(self) -> NDArray[Any]:
        """Weight that each cut accepts."""
        accepted: NDArray[Any] = self.true + self.false
        return accepted

    @cached_property
    def eligible(self) -> NDArray[np.intp]:
        """The cuts of positive advantage, and the two that accept none or all."""
        better = self.advantage > 0
        better[[0, -1]] = True
        return np.flatnonzero(better)

    def between(self, k: int) -> int | float:
        """Return the threshold that the scores accepted by cut k exceed: the middle of its neighboring scores."""
        is_integer = self.scores.dtype.kind == "i"
        if k == 0:
            return int(_INT64.max) if is_integer else np.inf
        if k == len(self.scores):
            return int(_INT64.min) if is_integer else -np.inf
        high, low = self.scores[k - 1].item(), self.scores[k].item()
        if is_integer:
            return int(low + (high - low) // 2)
        middle = low + (high - low) / 2
        return float(middle if low <= middle < high else low)

    def at(self, k: int) -> int | float:
        """Return the largest threshold below the lowest score that cut k accepts."""
        lowest = self.scores[k - 1].item()
        return lowest - 1 if self.scores.dtype.kind == "i" else float(np.nextafter(lowest, -np.inf))

    def best(self, measure: "Measure") -> int:
        """Return the eligible cut of the largest measure.

        On ties, the one whose accepted weight is nearest to the weight of the positive rows, then the one that accepts
        less.
        """
        above, below = measure(self, self.eligible, np.float64)
        quotients = above / below
        near = self.eligible[quotients >= quotients.max() * (1 - _CLOSE)]
        exact = [Fraction(*pair) for pair in zip(*(each.tolist() for each in measure(self, near, object)), strict=True)]
        largest = max(exact)
        tied: list[int] = [k for k, value in zip(near.tolist(), exact, strict=True) if value == largest]
        return min(tied, key=lambda k: (abs(int(self.accepted[k]) - self.n_positive), k))


Quotient = tuple[NDArray[Any], NDArray[Any]]
Measure = Callable[[Cuts, NDArray[np.intp], Any], Quotient]


def _chi2(cuts: Cuts, which: NDArray[np.intp], number: Any) -> Quotient:
    """Return (ad - bc)^2 over (a + b)(c + d), which is chi-square up to a constant factor."""
    advantage, accepted = cuts.advantage[which].astype(number), cuts.accepted[which].astype(number)
    return advantage * advantage, np.maximum(accepted * (cuts.accepted[-1] - accepted), 1)


def _ber(cuts: Cuts, which: NDArray[np.intp], number: Any) -> Quotient:
    """Return a / P - b / N up to a constant factor (Youden's index): 1 minus twice the balanced error."""
    advantage = cuts.advantage[which].astype(number)
    return advantage, np.ones(len(advantage), dtype=number)


def _f1(cuts: Cuts, which: NDArray[np.intp], number: Any) -> Quotient:
    """Return half of F1, a / (a + b + P)."""
    true, accepted = cuts.true[which].astype(number), cuts.accepted[which].astype(number)
    return true, np.maximum(accepted + cuts.n_positive, 1)


MEASURES: dict[str, Measure] = {"chi2": _chi2, "ber": _ber, "f1": _f1}


def rank_rows(scores: NDArray[Any], truth: NDArray[Any], weights: NDArray[np.int64] | None = None) -> Cuts:
    """Return the cuts of some rows; rows without weight are ignored.

    Parameters
    ----------
    scores : int64 or float64 array of shape (n_samples,)
        Larger scores mean a larger probability of the positive class.
    truth : array of shape (n_samples,)
        1 for positive rows, 0 for others.
    weights : int64 array of shape (n_samples,), or None
        Weight of each row; 1 by default.
    """
    scores, positive = np.asarray(scores), np.asarray(truth).astype(bool)
    scores = scores.astype(np.int64 if scores.dtype.kind in "iu" else np.float64)
    weights = np.ones(len(scores), dtype=np.int64) if weights is None else np.asarray(weights)
    if not scores.shape == positive.shape == weights.shape:
        raise DataError(
            "scores, truth and weights must have one value per row, got the shapes "
            f"{scores.shape}, {positive.shape} and {weights.shape}."
        )
    if np.isnan(scores).any():
        raise DataError("A score is NaN; a threshold needs numbers.")
    counted = weights > 0
    if not counted.any():
        raise DataError("No row has a positive weight; a threshold needs at least one.")
    distinct, place = np.unique(scores[counted], return_inverse=True)
    sums = np.zeros((2, len(distinct) + 1), dtype=np.int64)
    np.add.at(sums, (positive[counted].astype(np.intp), len(distinct) - place.ravel()), weights[counted])
    wide = sums.astype(object) if int(sums.sum()) ** 2 > _INT64.max else sums
    false, true = wide.cumsum(axis=1)
    return Cuts(distinct[::-1], true, false)


def cut_at_recall(cuts: Cuts, recall: float, unit: float = 1.0) -> int | None:
    """Return the cut that accepts least and guarantees a recall, None if there are too few positive rows."""
    may_miss = floor((cuts.n_positive * Fraction(unit) + 1) * (1 - _decimal(recall)))
    if may_miss == 0:
        return None
    # Cut k rejects the scores from position k on. The last position before enough positive rows is accepted.
    from_position = cuts.n_positive - cuts.true
    enough = np.flatnonzero(from_position >= ceil(may_miss / Fraction(unit)))
    return int(enough[-1]) + 1 if len(enough) else None


def cut_at_precision(cuts: Cuts, precision: float, unit: float = 1.0) -> int | None:
    """Return the cut that accepts most and guarantees a precision, None if none does."""
    share = 1 - _decimal(precision)
    one = 1 / Fraction(unit)
    # FP + 1 <= (n + 1)(1 - p), times the denominators of both fractions: Python integers, which do not overflow.
    wrong = (cuts.false.astype(object) * one.denominator + one.numerator) * share.denominator
    allowed = (cuts.accepted.astype(object) * one.denominator + one.numerator) * share.numerator
    sufficient = np.flatnonzero((wrong <= allowed).astype(bool))
    return int(sufficient[-1]) if len(sufficient) else None


def clopper_pearson(hits: float, trials: float) -> tuple[float, float]:
    """Return the exact 95 % confidence interval of a proportion, of `_MOST_TRIALS` trials at most."""
    from scipy.special import betaincinv

    if trials > _MOST_TRIALS:
        hits, trials = hits / trials * _MOST_TRIALS, _MOST_TRIALS
    tail = (1 - _CONFIDENCE) / 2
    low = betaincinv(hits, trials - hits + 1, tail) if hits > 0 else 0.0
    high = betaincinv(hits + 1, trials - hits, 1 - tail) if hits < trials else 1.0
    return float(low), float(high)


def _decimal(share: float) -> Fraction:
    """Return the decimal number exactly as written: 1 - 0.9 is a tenth, not a little less."""
    return Fraction(repr(float(share)))
