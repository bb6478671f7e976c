# SPDX-License-Identifier: BSD-3-Clause
"""Log Bayes factors of pairs beside scores of rows, the share of pairs that interact, and the limit for evidence."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from bayesieve._typing import Floats
from bayesieve.additive import PairRows, pair_sums, row_derivatives, screen_pairs
from bayesieve.additive.pair_tables import joint_factors, log_bayes_factors
from bayesieve.exact import exp_nonpositive, log_positive

__all__ = ["CANDIDATES", "evidence_bar", "interacting_share", "log_odds_against", "pair_evidence", "screen_best"]

Pair = tuple[int, int]

CANDIDATES: Final = 200  # pairs that are compared on 8 × 8 cells
_ROUNDS: Final = 500  # of expectation maximization
_EXTREME: Final = 50.0  # a log Bayes factor beyond is as good as certain


def pair_evidence(
    rows: PairRows, offset: Floats, pairs: Sequence[Pair], *, check: Callable[[], None] = lambda: None
) -> Floats:
    """Return the log Bayes factor of a table of each pair against none, beside an offset."""
    by_score = row_derivatives(rows, offset).by_score
    factors, by_shape = np.zeros(len(pairs)), dict[Pair, list[int]]()
    for i, pair in enumerate(pairs):
        by_shape.setdefault(rows.shape(pair), []).append(i)
    for (n_a, n_b), members in by_shape.items():
        for begin in range(0, len(members), CANDIDATES):
            check()
            batch = members[begin : begin + CANDIDATES]
            of_scores = []
            for own in by_score:
                sums = pair_sums(rows, own, [pairs[i] for i in batch])[:, :n_a, :n_b].astype(np.float64) * own.unit
                of_scores.append(log_bayes_factors(sums[..., 0], sums[..., 1], rows.n_threads, rows.backend))
            factors[batch] = joint_factors(np.array(of_scores))
    return factors


def interacting_share(log_bayes_factors: Floats, least: float, most: float) -> float:
    """Return the share of pairs that interact, between two bounds.

    The likelihood of the share is concave, so that expectation maximization from the upper bound rises to it or falls
    to its maximum.
    """
    clipped, share = log_bayes_factors.clip(-_EXTREME, _EXTREME), most
    small = exp_nonpositive(-np.abs(clipped))
    odds, against = np.where(clipped < 0.0, small, 1.0), np.where(clipped < 0.0, 1.0, small)
    for _ in range(_ROUNDS):
        weighted = share * odds
        expected = float(np.add.accumulate(weighted / (weighted + (1.0 - share) * against))[-1])
        update = (expected + 0.5) / (len(clipped) + 1.0)
        if update >= most or update <= least or abs(update - share) < 1e-6 * share:
            return min(most, max(least, update))
        share = update
    return share


def screen_best(rows: PairRows, log_odds: Floats, check: Callable[[], None]) -> tuple[list[Pair], Floats]:
    """Return the best pairs on 4 × 4 cells, and the log Bayes factors of all, largest first."""
    columns = np.flatnonzero(rows.n_bins > 1)
    if rows.screened is not None:
        columns = np.intersect1d(columns, rows.screened)
    factors = screen_pairs(rows, log_odds, columns, check)
    left, right = (columns[i] for i in np.triu_indices(len(columns), 1))
    order = np.argsort(-factors, kind="stable")
    best = order[:CANDIDATES]
    return list(zip(left[best].tolist(), right[best].tolist(), strict=True)), factors[order]


def evidence_bar(log_bayes_factors: Floats, most: float) -> float:
    """Return the log-odds against a pair; ``most`` is the largest share of pairs that interact."""
    least = 1.0 / (len(log_bayes_factors) + 1.0)
    return log_odds_against(interacting_share(log_bayes_factors, min(least, most), most))


def log_odds_against(share: float) -> float:
    """Return the log-odds against a pair, given the share of pairs that interact."""
    return float(log_positive(np.array((1.0 - share) / share)))
