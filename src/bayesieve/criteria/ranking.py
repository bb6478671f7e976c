"""Area under the ROC curve, exact with ties.

For one class against the rest, with integer weights, the statistic is an integer:

    U = sum over pairs (positive p, negative n) of w_p w_n (2 [key_p > key_n] + [key_p = key_n]),   AUC = U / (2 W+ W-)

The area under the lift curve is pi/2 + (1 - pi) AUC, so for two classes both select the same. For more classes
``auc`` weights the one-vs-rest areas by the class prior P(c), ``lift`` by P(c) (1 - P(c)).
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bayesieve.criteria.base import Measure
from bayesieve.criteria.rank_criterion import RankMeasures, ranked_classes

__all__ = ["Auc"]

Ints = NDArray[np.int64]


class Auc(RankMeasures):
    """Prior-weighted one-vs-rest area under the ROC curve; two classes have one area."""

    kernel = "pairs"
    kernel_argument = 0.0
    is_loss = False
    efforts = 2

    def __init__(self, name: str) -> None:
        self.name = name

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

    def line(self, mass: Measure) -> tuple[tuple[Fraction, ...], Fraction]:
        """Return the slopes of the weighted mean area; one half if no class can be ranked."""
        total = sum(mass)
        ranked = ranked_classes(len(mass))
        # A class's share of the mean; its area is its statistic over twice its pairs.
        pairs = {c: mass[c] * (total - mass[c]) for c in ranked}
        shares = {c: (mass[c] if self.name == "auc" else pairs[c]) if pairs[c] else 0 for c in ranked}
        total_share = sum(shares.values())
        if not total_share:
            return (Fraction(0),) * len(pairs), Fraction(1, 2)
        return tuple(
            Fraction(shares[c], total_share * 2 * pairs[c]) if pairs[c] else Fraction(0) for c in ranked
        ), Fraction(0)

    def subset_costs(self, n_columns: int) -> NDArray[np.float64] | None:
        """Return None: the score depends on rows only."""
        return None
