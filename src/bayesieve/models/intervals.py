# SPDX-License-Identifier: BSD-3-Clause
"""How sure a scorecard is: standard errors of sums of its points, and intervals of its probabilities.

Entries of tables have posterior variances. Terms count as independent, and so do the scores of classes, of which those
of two classes are 0 and the log-odds. A sum of entries has the sum of their variances, and log-odds of class c against
all others, log p_c / (1 - p_c), have to first order

    variance = v_c + sum over other classes j of (p_j / (1 - p_c))^2 v_j

The interval of p_c has the probabilities at these log-odds plus and minus so many standard errors. It is one of the
class probability given the columns, not of the class.
"""

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.exact import exp_nonpositive, sum_of_classes, to_fixed
from bayesieve.exceptions import ParameterError
from bayesieve.models.model import Evidence
from bayesieve.models.scorecard import PairCodes, Scorecard

__all__ = [
    "TIMES_90",
    "has_errors",
    "log_odds_errors",
    "probability_intervals",
    "score_variances",
    "term_errors",
]

_MOST_LOG_ODDS = 700.0  # from where an end of an interval is 0 or 1


TIMES_90: Final = 1.6448536269514722
"""Standard errors on each side of a 90 % interval."""


def has_errors(card: Scorecard) -> bool:
    """Return whether all entries have standard errors."""
    return card.start_errors is not None and all(errors is not None for errors in term_errors(card))


def term_errors(card: Scorecard) -> list[Floats | None]:
    """Return the standard errors of the tables of all columns, and then of all pairs."""
    return [*(table.errors for table in card.tables), *(pair.errors for pair in card.pairs)]


def score_variances(
    card: Scorecard, n_rows: int, codes: Iterable[NDArray[Any]], pair_codes: Iterable[PairCodes] = ()
) -> Floats:
    """Return the variances of the scores of some rows, shape (n_classes, n_rows); see `Scorecard.evidence`."""
    variances = np.repeat(_squares(card.start_errors)[:, None], n_rows, axis=1)
    for table, coded in zip(card.tables, codes, strict=True):
        variances += _squares(table.errors)[coded].T
    for pair, (first, second) in zip(card.pairs, pair_codes, strict=True):
        variances += _squares(pair.errors)[first, second].T
    return variances


def _squares(errors: Floats | None) -> Floats:
    if errors is None:
        raise ParameterError(
            "This model has no standard errors, as its file was written before they were kept: fit it again to have "
            "intervals."
        )
    return errors**2


def probability_intervals(card: Scorecard, evidence: Evidence, variances: Floats, level: float) -> Floats:
    """Return lower and upper ends of class probabilities, shape (n_classes, n_rows, 2)."""
    from scipy.special import ndtri

    ends, times = np.empty((*evidence.scores.shape, 2)), float(ndtri(0.5 + level / 2.0))
    for c, half in enumerate(times * log_odds_errors(evidence, variances)):
        for side, sign in enumerate((-1.0, 1.0)):
            moved = evidence.scores.copy()
            moved[c] += to_fixed(np.minimum(half, _MOST_LOG_ODDS) * sign)
            ends[c, :, side] = card.probabilities(Evidence(moved, of_model=True))[c]
    return ends


def log_odds_errors(evidence: Evidence, variances: Floats) -> Floats:
    """Return the standard errors of the log-odds of each class against all others, shape (n_classes, n_rows)."""
    errors = np.empty_like(variances)
    for c in range(len(variances)):
        others = np.arange(len(variances)) != c
        log_p = Evidence(evidence.scores[others], of_model=True).log_probabilities
        shares = exp_nonpositive(log_p) ** 2
        errors[c] = (variances[c] + sum_of_classes(shares * variances[others])) ** 0.5
    return errors
