# SPDX-License-Identifier: BSD-3-Clause
"""Mean ranks of selectors over data sets, and tests of their differences."""

from typing import Any

from bayesieve.evaluation import Evaluation
from bayesieve.evaluation.comparison import compare

__all__ = ["rank_selectors"]


def rank_selectors(evaluation: Evaluation, metric: str) -> dict[str, Any]:
    """Return mean ranks, Friedman's test, and the pairs that differ by Wilcoxon's test with Holm's correction."""
    comparison = compare(evaluation, metric)
    chi, p, p_f = comparison.friedman
    return {
        "mean_ranks": comparison.ranks,
        "friedman": chi,
        "p_value": p,
        "p_value_f": p_f,
        "critical_difference": comparison.critical_difference,
        "different": [
            [each.first, each.second, each.p_adjusted] for each in comparison.pairs if each.p_adjusted < 0.05
        ],
    }
