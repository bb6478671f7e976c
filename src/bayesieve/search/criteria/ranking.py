# SPDX-License-Identifier: BSD-3-Clause
"""Criteria that depend only on the order of rows: areas under curves, and precision at a recall.

Each class is measured against the rest, with ties. The weights of a block of rows at each key are merged with those of
other blocks, and determine the measure of all rows.

The area under the ROC curve of one class, with integer weights, follows from an integer:

    U = sum over pairs (positive p, negative n) of w_p w_n (2 [key_p > key_n] + [key_p = key_n]),   AUC = U / (2 W+ W-)

The lift curve plots the share of positives found against the share of rows taken. The area under it is
pi/2 + (1 - pi) AUC with pi the share of positives, so for two classes selecting by lift is selecting by AUC. For more
classes both are means over one-vs-rest areas, weighted by the class prior P(c):

    AUC = sum_c P(c) AUC_c,      lift = sum_c P(c) (P(c)/2 + (1 - P(c)) AUC_c)

Precision at a recall: of all cuts of the ranking that accept at least the share r of the positive rows, the one with
the largest precision counts. TP / (TP + FP), with the weights of accepted rows, is rounded once to a multiple of 2^-40.
"""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.exact import FIXED_ONE, to_fixed
from bayesieve.search.criteria.criterion import Criterion, Labels, Measure, Predictions

__all__ = ["Auc", "Lift", "PrecisionAtRecall", "RankCriterion", "ranked_classes", "tie_rows"]


class RankCriterion(Criterion):
    """Measures each class against the rest; of two classes, only the second."""

    additive = False

    def measure(self, predictions: Predictions, target: Labels, weights: Ints, n_classes: int) -> Measure:
        """Return the measure of each class."""
        classes = ranked_classes(n_classes)
        return tuple(self.measure_ties(tie_rows(predictions.rank_keys(c), target == c, weights)[1]) for c in classes)

    @abstractmethod
    def measure_ties(self, ties: Ints) -> int:
        """Return the measure of a class, given the weight of the rest and of the class at each key, in order."""


def ranked_classes(n_classes: int) -> range:
    """Return the classes that are measured against the rest."""
    return range(1, 2) if n_classes == 2 else range(n_classes)


def tie_rows(keys: Ints, positive: NDArray[np.bool_], weights: Ints) -> tuple[Ints, Ints]:
    """Return the distinct keys in order, and the weight of negative and positive rows at each: shape (n_keys, 2)."""
    distinct, place = np.unique(keys, return_inverse=True)
    ties = np.zeros((len(distinct), 2), dtype=np.int64)
    np.add.at(ties, (place.ravel(), positive.astype(np.intp)), weights)
    return distinct, ties


class Auc(RankCriterion):
    """Prior-weighted one-vs-rest area under the ROC curve; two classes have one area."""

    name = "auc"
    kernel = "pairs"
    is_loss = False
    efforts = 2

    def measure_ties(self, ties: Ints) -> int:
        """Return U of the module's formula, exactly."""
        negative, positives = ties.T
        below = 2 * (np.cumsum(negative) - negative) + negative
        if float(2 * negative.sum() + 1) * float(positives.sum() + 1) < 2**62:
            return int(np.dot(positives, below))
        return sum(int(p) * int(b) for p, b in zip(positives, below, strict=True) if p)

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


@dataclass(frozen=True)
class PrecisionAtRecall(RankCriterion):
    """The largest precision at a minimum recall.

    Attributes
    ----------
    recall : float
        The minimum recall.
    positive : int
        The positive one of two classes; of more, each class is measured.
    """

    recall: float = 0.9
    positive: int = 1

    name = kernel = "precision_at_recall"
    is_loss = False

    def measure_ties(self, ties: Ints) -> int:
        """Return the precision in multiples of 2^-40; 0 without positive rows."""
        # The scores of the first of two classes are those of the second in reverse order.
        falling = ties[::-1] if self.positive == 1 else ties[:, ::-1]
        false, true = falling.cumsum(axis=0).T
        if not len(true) or not true[-1]:
            return 0
        enough = true >= ceil(Fraction(repr(float(self.recall))) * int(true[-1]))
        precision = true[enough] / (true[enough] + false[enough])
        return int(to_fixed(precision.max(keepdims=True))[0])

    def line(self, mass: Measure, pooled: Measure) -> tuple[tuple[Fraction, ...], Fraction]:
        """Return the slopes of the weighted mean precision."""
        ranked = ranked_classes(len(mass))
        priors = sum(mass[c] for c in ranked)
        if len(mass) == 2 or not priors:
            return (Fraction(1, FIXED_ONE),) * len(ranked), Fraction(0)
        return tuple(Fraction(mass[c], priors * FIXED_ONE) for c in ranked), Fraction(0)
