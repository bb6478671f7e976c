# SPDX-License-Identifier: BSD-3-Clause
"""Column weights from all subsets that a search evaluated, each weighed by how much it compresses the classes.

Boullé (2007): averaging -log P over subsets m with weights pi_m is naive Bayes with the column weights

    b_k = sum over m with column k of pi_m / sum over m of pi_m,        pi_m = max(0, 1 - cost(m) / cost(no column))

The posterior probability of subsets as pi_m would leave the best one alone; compression weighs the good ones alike.
"""

from collections.abc import Sequence
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from bayesieve.exact import FIXED_ONE
from bayesieve.exceptions import ParameterError
from bayesieve.search.engine import Move
from bayesieve.search.run import Observer

__all__ = ["Averaging"]


class Averaging(Observer):
    """Watches a search; every subset with an exact score is a sample, as often as it is evaluated.

    Of a batch of moves the best two have exact scores; other scores depend on the engine and are left out. A fast
    forward-backward search tries moves in turn, and each is a sample. Sums are integers: their order does not matter.

    Parameters
    ----------
    empty_score : float
        The score of no column. Scores must be negated costs, as those of ``map`` and of the losses are.
    n_columns : int
        How many columns the engine has.
    """

    def __init__(self, empty_score: float, n_columns: int) -> None:
        if not (isfinite(empty_score) and empty_score <= 0.0):
            raise ParameterError(f"Averaging needs costs as scores; without columns the score is {empty_score:.6g}.")
        self._empty_cost = -empty_score
        self._with_column = np.zeros(n_columns, dtype=np.int64)
        self._total = 0
        self.n_samples = 0

    def on_trials(self, subset: Sequence[int], moves: Sequence[Move], scores: Sequence[float]) -> None:
        """Count the subsets after these moves."""
        self.n_samples += len(scores)
        shares = [self._share(score) for score in scores]
        total = sum(shares)
        if total == 0:
            return
        self._total += total
        self._with_column[list(subset)] += total
        for share, move in zip(shares, moves, strict=True):
            for column, before, after in move:
                self._with_column[column] += share * ((after != 0.0) - (before != 0.0))

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weight of each column, from 0 to 1; all 0 if no subset compresses."""
        return self._with_column / float(max(1, self._total))

    def _share(self, score: float) -> int:
        """Return the compression coefficient in multiples of 2^-40."""
        if self._empty_cost == 0.0:
            return 0
        return max(0, round((1.0 + score / self._empty_cost) * FIXED_ONE))
