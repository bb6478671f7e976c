# SPDX-License-Identifier: BSD-3-Clause
"""Log Bayes factors of pairs beside scores of rows, the share of pairs that interact, and the limit for evidence."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from bayesieve._typing import Floats
from bayesieve.additive import PairRows, pair_sums, row_derivatives, screen_pairs
from bayesieve.additive.pair_tables import joint_factors, log_bayes_factors
from bayesieve.exact import log_positive
from bayesieve.search.effect_share import effect_share

__all__ = ["CANDIDATES", "evidence_bar", "log_odds_against", "pair_evidence", "screen_best"]

Pair = tuple[int, int]

CANDIDATES: Final = 200  # pairs that are compared on 8 × 8 cells


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
    least = min(1.0 / (len(log_bayes_factors) + 1.0), most)
    # From the upper bound, expectation maximization rises to it or falls to the maximum.
    share = effect_share(log_bayes_factors, most, (least, most), n_rounds=500, tolerance=1e-6)
    return log_odds_against(share)


def log_odds_against(share: float) -> float:
    """Return the log-odds against a pair, given the share of pairs that interact."""
    return float(log_positive(np.array((1.0 - share) / share)))
