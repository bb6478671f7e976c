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
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.exact import pool_violators
from bayesieve.search.criteria.base import Measure
from bayesieve.search.criteria.rank_criterion import RankMeasures, ranked_classes, tie_rows

__all__ = ["Refinement", "isotonic_blocks"]


_BITS = 60  # of the sum over all blocks


class Refinement(RankMeasures):
    """Brier score after isotonic recalibration on the validation rows, summed over classes."""

    name = kernel = "refinement"
    kernel_argument = 0.0
    is_loss = True
    efforts = 1
    uses_benefits = False

    def natural(self, score: float) -> float:
        """Return the loss."""
        return -score

    def measure_ties(self, ties: Ints) -> int:
        """Return the loss of a class."""
        return _loss(_pooled(ties), _shift(int(ties.sum())))

    def on(self, benefits: NDArray[np.float64] | None) -> "Refinement":
        """Return self: benefits are not needed."""
        return self

    def line(self, mass: Measure, pooled: Measure) -> tuple[tuple[Fraction, ...], Fraction]:
        """Return the slopes of the negative mean loss; two classes have equal losses."""
        total = sum(mass)
        times, ranked = 2 if len(mass) == 2 else 1, ranked_classes(len(mass))
        return (-times / (Fraction(2) ** _shift(total) * total),) * len(ranked), Fraction(0)

    def subset_costs(self, n_columns: int) -> NDArray[np.float64] | None:
        """Return None: the score depends on rows only."""
        return None


def isotonic_blocks(keys: Ints, positive: NDArray[np.bool_], weights: Ints) -> list[tuple[int, int]]:
    """Return the weights (negative, positive) of each block of isotonic regression, from the lowest keys up.

    Shares of positives increase from block to block: adjacent violators, and equals, are pooled.
    """
    return _pooled(tie_rows(keys, positive, weights)[1])


def _pooled(ties: Ints) -> list[tuple[int, int]]:
    """Return the weights of each block, given those of rows with equal keys."""
    if not len(ties):
        return []
    sums = np.add.reduceat(ties, pool_violators(ties, 1, equals=True), axis=0)
    return [(negative, own) for negative, own in sums.tolist()]


def _loss(blocks: list[tuple[int, int]], shift: int) -> int:
    """Return the sum of P Q / (P + Q), in multiples of 2^-shift."""
    p, q = (np.array([block[c] for block in blocks], dtype=np.float64) for c in (1, 0))
    mixed = (p > 0) & (q > 0)
    p, q = p[mixed], q[mixed]
    return int(np.rint(np.ldexp(p * q / (p + q), shift)).astype(np.int64).sum())


def _shift(total: int) -> int:
    return _BITS - total.bit_length()
