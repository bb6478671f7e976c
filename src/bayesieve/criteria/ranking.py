"""Area under the ROC curve, exact with ties.

For one class against the rest, with integer weights, the statistic is an integer:

    U = sum over pairs (positive p, negative n) of w_p w_n (2 [key_p > key_n] + [key_p = key_n]),   AUC = U / (2 W+ W-)

The area under the lift curve is pi/2 + (1 - pi) AUC, so for two classes selecting by lift is selecting by AUC. For more
classes ``auc`` weighs the one-vs-rest areas by the class prior P(c), ``lift`` by P(c) (1 - P(c)).
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bayesieve.criteria.base import Beliefs, Measure

__all__ = ["Auc", "pair_statistic"]

Ints = NDArray[np.int64]


class Auc:
    """Prior-weighted one-vs-rest area under the ROC curve; two classes have one area."""

    is_loss = False
    additive = False

    def __init__(self, name: str) -> None:
        self.name = name

    def natural(self, score: float) -> float:
        """Return the area."""
        return score

    def measure(self, beliefs: Beliefs, target: NDArray[np.int32], weights: Ints, n_classes: int) -> Measure:
        """Return the statistic of each class (of class 1 only, if there are two)."""
        ranked = [1] if n_classes == 2 else range(n_classes)
        return tuple(pair_statistic(beliefs.rank_keys(c), target == c, weights) for c in ranked)

    def score(self, measure: Measure, mass: Measure) -> Fraction:
        """Return the weighted mean area; one half where no class can be ranked."""
        total = sum(mass)
        ranked = [1] if len(mass) == 2 else range(len(mass))
        won, whole = Fraction(), 0
        for statistic, c in zip(measure, ranked, strict=True):
            rest = total - mass[c]
            if mass[c] and rest:
                share = mass[c] if self.name == "auc" else mass[c] * rest
                won += share * Fraction(statistic, 2 * mass[c] * rest)
                whole += share
        return won / whole if whole else Fraction(1, 2)


def pair_statistic(keys: Ints, positive: NDArray[np.bool_], weights: Ints) -> int:
    """Return U of the module's formula, exactly."""
    distinct, place = np.unique(keys, return_inverse=True)
    wins = np.zeros((2, len(distinct)), dtype=np.int64)
    np.add.at(wins, (positive.astype(np.intp), place.ravel()), weights)
    negative, positives = wins
    below = 2 * (np.cumsum(negative) - negative) + negative
    if float(below[-1] + 1) * float(positives.sum() + 1) < 2**62:
        return int(np.dot(positives, below))
    return sum(int(p) * int(b) for p, b in zip(positives, below, strict=True) if p)
