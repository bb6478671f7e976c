# SPDX-License-Identifier: BSD-3-Clause
"""Cuts that guarantee a recall or precision floor for a new row.

The new row is counted as an error: with n positive rows and a recall floor r, at most (n + 1)(1 - r) of n + 1 may be
rejected, so that the cut is the floor((n + 1)(1 - r))-th smallest score of positive rows, which is accepted. If scores
are exchangeable, a new positive row is accepted with a probability of at least r. Precision is similar: of n accepted
rows and one more, at most (n + 1)(1 - p) may be negative.
"""

from fractions import Fraction
from math import ceil, floor

import numpy as np

from bayesieve.decisions.cuts import Cuts

__all__ = ["clopper_pearson", "cut_at_precision", "cut_at_recall"]

_CONFIDENCE = 0.95
_MOST_TRIALS = 1e12  # beyond, the incomplete beta function has no inverse in floats


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
