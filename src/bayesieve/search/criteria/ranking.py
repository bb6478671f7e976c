# SPDX-License-Identifier: BSD-3-Clause
"""Criteria that depend only on the order of rows: areas under curves, precision at a recall, and refinement.

Each class is measured against the rest, with ties. The weights of a block of rows at each key are merged with those of
other blocks, and determine the measure of all rows.
"""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.exact import FIXED_ONE, pool_violators, to_fixed
from bayesieve.search.criteria.criterion import Criterion, Labels, Measure, Predictions

__all__ = [
    "Auc",
    "Lift",
    "PrecisionAtRecall",
    "RankCriterion",
    "Refinement",
    "isotonic_blocks",
    "ranked_classes",
    "tie_rows",
]

_BITS = 60  # of the sum over all blocks


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
    """Prior-weighted one-vs-rest area under the ROC curve; two classes have one area.

    For one class against the rest, with integer weights, the statistic is an integer:

        U = sum over pairs (positive p, negative n) of w_p w_n (2 [key_p > key_n] + [key_p = key_n])
        AUC = U / (2 W+ W-)

    The mean over classes is weighted by the class prior P(c): sum_c P(c) AUC_c.
    """

    name = "auc"
    kernel = "pairs"
    is_loss = False
    efforts = 2

    def measure_ties(self, ties: Ints) -> int:
        """Return U, exactly."""
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


@dataclass(frozen=True)
class Lift(Auc):
    """Prior-weighted one-vs-rest area under the lift curve, from the same statistic as the area under the ROC curve.

    The lift curve plots the share of positives found against the share of rows taken. The area under it is
    pi/2 + (1 - pi) AUC with pi the share of positives, so for two classes selecting by lift is selecting by AUC. For
    more classes:

        lift = sum_c P(c) (P(c)/2 + (1 - P(c)) AUC_c)

    Attributes
    ----------
    positive : int
        The positive one of two classes; of more, each class is measured.
    """

    positive: int = 1

    name = "lift"

    def line(self, mass: Measure, pooled: Measure) -> tuple[tuple[Fraction, ...], Fraction]:
        """Return the slopes and the constant of the weighted mean area; one half where no class can be ranked.

        The class shares of all segments turn the areas under the ROC curve of each into areas under the lift curve, so
        that folds with slightly different shares count alike.
        """
        total = sum(mass)
        pooled_total = sum(pooled)
        ranked = ranked_classes(len(mass))
        pairs = {c: mass[c] * (total - mass[c]) for c in ranked}
        if not any(pairs.values()):
            return (Fraction(0),) * len(ranked), Fraction(1, 2)
        # The area of one of two classes is that of the other; its lift is not.
        found = [pooled[c] for c in (ranked if len(mass) > 2 else (self.positive,))]
        constant = Fraction(sum(each**2 for each in found), 2 * sum(found) * pooled_total)
        scale = Fraction(sum(each * (pooled_total - each) for each in found), sum(found) * pooled_total)
        # P(c) (1 - P(c)) is proportional to the pairs of a class, which cancel in its area.
        slope = scale / (2 * sum(pairs.values()))
        return tuple(slope if pairs[c] else Fraction(0) for c in ranked), constant


@dataclass(frozen=True)
class PrecisionAtRecall(RankCriterion):
    """The largest precision at a minimum recall: few false alarms, and few missed cases.

    Of all cuts of the ranking that accept at least the share r of the positive rows, the one with the largest precision
    counts. With integer weights TP and FP of the accepted rows, TP / (TP + FP) is rounded once to a multiple of 2^-40.
    More than two classes are measured one against the rest, and the mean is weighted by the class prior.

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


class Refinement(RankCriterion):
    """Brier score after isotonic recalibration on the validation rows, summed over classes.

    The Brier score is calibration plus refinement (DeGroot and Fienberg, 1983). Isotonic regression of the classes on
    the ranks of the predictions gives blocks of neighboring rows that share a probability, the share of positives in
    the block; calibrated on these rows, its calibration term is 0. A block with the weights P and Q of its positive and
    other rows has

        sum of (y - P / (P + Q))^2 = P Q / (P + Q)

    and the refinement is the mean of that, counted for both classes. More than two classes are recalibrated one against
    the rest, and their losses are added. Monotone distortions of the predictions do not matter, so that columns are
    selected by how well they rank and separate rows; probabilities still need recalibration afterwards.

    Blocks are found by exact comparisons of integers; P Q / (P + Q) is rounded once and added as an integer.
    """

    name = kernel = "refinement"

    def measure_ties(self, ties: Ints) -> int:
        """Return the loss of a class."""
        return _loss(isotonic_blocks(ties), _shift(int(ties.sum())))

    def line(self, mass: Measure, pooled: Measure) -> tuple[tuple[Fraction, ...], Fraction]:
        """Return the slopes of the negative mean loss; two classes have equal losses."""
        total = sum(mass)
        times = 2 if len(mass) == 2 else 1
        ranked = ranked_classes(len(mass))
        return (-times / (Fraction(2) ** _shift(total) * total),) * len(ranked), Fraction(0)


def isotonic_blocks(ties: Ints) -> Ints:
    """Return the weights (negative, positive) of each block of isotonic regression, given those at each key, in order.

    Shares of positives increase from block to block: adjacent violators, and equals, are pooled.
    """
    return np.add.reduceat(ties, pool_violators(ties, 1, equals=True), axis=0) if len(ties) else ties


def _loss(blocks: Ints, shift: int) -> int:
    """Return the sum of P Q / (P + Q), in multiples of 2^-shift."""
    q, p = blocks.astype(np.float64).T
    mixed = (p > 0) & (q > 0)
    p = p[mixed]
    q = q[mixed]
    return int(np.rint(np.ldexp(p * q / (p + q), shift)).astype(np.int64).sum())


def _shift(total: int) -> int:
    return _BITS - total.bit_length()
