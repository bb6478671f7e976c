# SPDX-License-Identifier: BSD-3-Clause
"""Area under the ROC curve, exact with ties.

For one class against the rest, with integer weights, the statistic is an integer:

    U = sum over pairs (positive p, negative n) of w_p w_n (2 [key_p > key_n] + [key_p = key_n]),   AUC = U / (2 W+ W-)

The lift curve plots the share of positives found against the share of rows taken. The area under it is
pi/2 + (1 - pi) AUC with pi the share of positives, so for two classes selecting by lift is selecting by AUC. For more
classes both are means over one-vs-rest areas, weighted by the class prior P(c):

    AUC = sum_c P(c) AUC_c,      lift = sum_c P(c) (P(c)/2 + (1 - P(c)) AUC_c)
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.search.criteria.base import Measure
from bayesieve.search.criteria.rank_criterion import RankMeasures, ranked_classes

__all__ = ["Auc", "Lift"]


class Auc(RankMeasures):
    """Prior-weighted one-vs-rest area under the ROC curve; two classes have one area."""

    kernel = "pairs"
    kernel_argument = 0.0
    is_loss = False
    efforts = 2
    uses_benefits = False
    name = "auc"

    def natural(self, score: float) -> float:
        """Return the area."""
        return score

    def measure_ties(self, ties: Ints) -> int:
        """Return U of the module's formula, exactly."""
        negative, positives = ties.T
        below = 2 * (np.cumsum(negative) - negative) + negative
        if float(2 * negative.sum() + 1) * float(positives.sum() + 1) < 2**62:
            return int(np.dot(positives, below))
        return sum(int(p) * int(b) for p, b in zip(positives, below, strict=True) if p)

    def on(self, benefits: NDArray[np.float64] | None) -> "Auc":
        """Return self: benefits are not needed."""
        return self

    def line(self, mass: Measure, pooled: Measure) -> tuple[tuple[Fraction, ...], Fraction]:
        """Return the slopes of the weighted mean area; one half if no class can be ranked."""
        total = sum(mass)
        ranked = ranked_classes(len(mass))
        # The area of a class is its statistic over twice its pairs; a class without pairs has no area.
        pairs = {c: mass[c] * (total - mass[c]) for c in ranked}
        priors = sum(mass[c] for c in ranked if pairs[c])
        if not priors:
            return (Fraction(0),) * len(pairs), Fraction(1, 2)
        return tuple(Fraction(mass[c], priors * 2 * pairs[c]) if pairs[c] else Fraction(0) for c in ranked), Fraction(0)

    def subset_costs(self, n_columns: int) -> NDArray[np.float64] | None:
        """Return None: the score depends on rows only."""
        return None


class Lift(Auc):
    """Prior-weighted one-vs-rest area under the lift curve, from the same statistic as the area under the ROC curve."""

    name = "lift"

    def line(self, mass: Measure, pooled: Measure) -> tuple[tuple[Fraction, ...], Fraction]:
        """Return the slopes and the constant of the weighted mean area; one half where no class can be ranked.

        The class shares of all segments turn the areas under the ROC curve of each into areas under the lift curve, so
        that folds with slightly different shares count alike.
        """
        total, pooled_total = sum(mass), sum(pooled)
        ranked = ranked_classes(len(mass))
        pairs = {c: mass[c] * (total - mass[c]) for c in ranked}
        priors = sum(pooled[c] for c in ranked)
        if not any(pairs.values()):
            return (Fraction(0),) * len(ranked), Fraction(1, 2)
        constant = Fraction(sum(pooled[c] ** 2 for c in ranked), 2 * priors * pooled_total)
        scale = Fraction(sum(pooled[c] * (pooled_total - pooled[c]) for c in ranked), priors * pooled_total)
        # P(c) (1 - P(c)) is proportional to the pairs of a class, which cancel in its area.
        slope = scale / (2 * sum(pairs.values()))
        return tuple(slope if pairs[c] else Fraction(0) for c in ranked), constant
