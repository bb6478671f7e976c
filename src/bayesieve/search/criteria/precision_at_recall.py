# SPDX-License-Identifier: BSD-3-Clause
"""Precision of the positive class where its recall is high enough: few false alarms, and few missed cases.

Of all cuts of the ranking that accept at least the share r of the positive rows, the one with the largest precision
counts. With integer weights TP and FP of the accepted rows, TP / (TP + FP) is rounded once to a multiple of 2^-40. More
than two classes are measured one against the rest, and the mean is weighted by the class prior.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.exact import FIXED_ONE, to_fixed
from bayesieve.search.criteria.base import Measure
from bayesieve.search.criteria.rank_criterion import RankMeasures, ranked_classes

__all__ = ["PrecisionAtRecall"]


@dataclass(frozen=True)
class PrecisionAtRecall(RankMeasures):
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
    kernel_argument = 0.0
    is_loss = False
    efforts = 1
    uses_benefits = False

    def natural(self, score: float) -> float:
        """Return the precision."""
        return score

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

    def on(self, benefits: NDArray[np.float64] | None) -> "PrecisionAtRecall":
        """Return self: benefits are not needed."""
        return self

    def line(self, mass: Measure, pooled: Measure) -> tuple[tuple[Fraction, ...], Fraction]:
        """Return the slopes of the weighted mean precision."""
        ranked = ranked_classes(len(mass))
        priors = sum(mass[c] for c in ranked)
        if len(mass) == 2 or not priors:
            return (Fraction(1, FIXED_ONE),) * len(ranked), Fraction(0)
        return tuple(Fraction(mass[c], priors * FIXED_ONE) for c in ranked), Fraction(0)

    def subset_costs(self, n_columns: int) -> NDArray[np.float64] | None:
        """Return None: the score depends on rows only."""
        return None
