# SPDX-License-Identifier: BSD-3-Clause
"""Which share of columns, or of pairs of columns, has an effect, given the log Bayes factor of each.

q_k is the probability that k has an effect, from its log Bayes factor e_k and the share rho of those that have one,
which is estimated from all of them by expectation maximization:

    q_k = rho e^e_k / (rho e^e_k + 1 - rho),      rho <- (sum_k q_k + 1/2) / (K + 1)
"""

from typing import Final

import numpy as np

from bayesieve._typing import Floats
from bayesieve.exact import exp_nonpositive, ordered_sum

__all__ = ["effect_probabilities", "effect_share"]

_EXTREME: Final = 50.0  # a log Bayes factor beyond is as good as certain


def effect_share(
    log_bayes_factors: Floats,
    start: float = 0.5,
    bounds: tuple[float, float] = (0.0, 1.0),
    n_rounds: int = 200,
    tolerance: float = 0.0,
) -> float:
    """Return the share that has an effect, between two bounds; without any log Bayes factor, the start.

    The likelihood of the share is concave, so that each round comes closer to its maximum. A share at a bound, or a
    relative change below the tolerance, ends the rounds.
    """
    likelihoods = _likelihoods(log_bayes_factors)
    share = start
    least, most = bounds
    for _ in range(n_rounds if len(log_bayes_factors) else 0):
        update = (ordered_sum(_posterior(likelihoods, share)) + 0.5) / (len(log_bayes_factors) + 1.0)
        if not least < update < most or abs(update - share) < tolerance * share:
            return min(most, max(least, update))
        share = update
    return share


def effect_probabilities(log_bayes_factors: Floats, share: float) -> Floats:
    """Return q_k of each, given the share."""
    return _posterior(_likelihoods(log_bayes_factors), share)


def _likelihoods(log_bayes_factors: Floats) -> tuple[Floats, Floats]:
    """Return how likely each is with an effect, and without, the larger of both being 1."""
    clipped = log_bayes_factors.clip(-_EXTREME, _EXTREME)
    small = exp_nonpositive(-np.abs(clipped))
    return np.where(clipped < 0, small, 1.0), np.where(clipped < 0, 1.0, small)


def _posterior(likelihoods: tuple[Floats, Floats], share: float) -> Floats:
    """Return 1 / (1 + (1 - rho) / rho e^-e), with an exponent that is not positive."""
    odds = share * likelihoods[0]
    return odds / (odds + (1.0 - share) * likelihoods[1])
