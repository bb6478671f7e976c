# SPDX-License-Identifier: BSD-3-Clause
"""Refinement: the Brier score that remains after recalibration of the probabilities.

The Brier score is calibration plus refinement (DeGroot and Fienberg, 1983). Isotonic regression of the classes on the
ranks of the predictions gives blocks of neighboring rows that share a probability, the share of positives in the block;
calibrated on these rows, its calibration term is 0. A block with the weights P and Q of its positive and other rows has

    sum of (y - P / (P + Q))^2 = P Q / (P + Q)

and the refinement is the mean of that, counted for both classes. More than two classes are recalibrated one against the
rest, and their losses are added. Monotone distortions of the predictions do not matter, so that columns are selected by
how well they rank and separate rows; probabilities still need recalibration afterwards.

Blocks are found by exact comparisons of integers; P Q / (P + Q) is rounded once and added as an integer.
"""

from fractions import Fraction

import numpy as np

from bayesieve._typing import Ints
from bayesieve.exact import monotone_blocks
from bayesieve.search.criteria.criterion import Measure
from bayesieve.search.criteria.ranking import RankCriterion, ranked_classes

__all__ = ["Refinement", "isotonic_blocks"]


_BITS = 60  # of the sum over all blocks


class Refinement(RankCriterion):
    """Brier score after isotonic recalibration on the validation rows, summed over classes."""

    name = kernel = "refinement"

    def measure_ties(self, ties: Ints) -> int:
        """Return the loss of a class."""
        return _loss(isotonic_blocks(ties), _shift(int(ties.sum())))

    def line(self, mass: Measure, pooled: Measure) -> tuple[tuple[Fraction, ...], Fraction]:
        """Return the slopes of the negative mean loss; two classes have equal losses."""
        total = sum(mass)
        times, ranked = 2 if len(mass) == 2 else 1, ranked_classes(len(mass))
        return (-times / (Fraction(2) ** _shift(total) * total),) * len(ranked), Fraction(0)


def isotonic_blocks(ties: Ints) -> Ints:
    """Return the weights (negative, positive) of each block of isotonic regression, given those at each key, in order.

    Shares of positives increase from block to block: adjacent violators, and equals, are pooled.
    """
    return np.add.reduceat(ties, monotone_blocks(ties, pool_equal=True), axis=0) if len(ties) else ties


def _loss(blocks: Ints, shift: int) -> int:
    """Return the sum of P Q / (P + Q), in multiples of 2^-shift."""
    q, p = blocks.astype(np.float64).T
    mixed = (p > 0) & (q > 0)
    p, q = p[mixed], q[mixed]
    return int(np.rint(np.ldexp(p * q / (p + q), shift)).astype(np.int64).sum())


def _shift(total: int) -> int:
    return _BITS - total.bit_length()
