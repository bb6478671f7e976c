# SPDX-License-Identifier: BSD-3-Clause
"""What column weights between 0 and 1 cost beside the rows (Khiops; Hue and Boullé, 2024).

    s · (log 2 + [w = 0] · C0 + [w ≠ 0] · (U(⌈W⌉) - log ⌈W⌉!) + sum over k of B_k w_k^p),        W = sum of w_k

with U Rissanen's universal code of an integer, B_k the cost of column k's partition and C0 that of the class
frequencies alone. p < 1 prefers few large weights to many small ones. All terms are multiples of 2^-40, so that a
weight that goes and comes back leaves the same sum.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.bins.modl.code_lengths import log_star
from bayesieve.exact import FIXED_ONE, exp_nonpositive, log_positive, to_fixed

__all__ = ["WeightPrior"]


_LOG_2 = float.fromhex("0x1.62e42fefa39efp-1")
_LOG_ALL_INTEGERS = float.fromhex("0x1.0d77a2b45d06cp+0")  # log 2.86511: the normalizer of the code without a bound


@dataclass(frozen=True)
class WeightPrior:
    """Costs of weights, in nats.

    Attributes
    ----------
    costs : float array of shape (n_columns,)
        B_k: the cost of choosing column k and of its partition, without that of its counts' data.
    null_cost : float
        C0.
    strength : float
        s, what the prior counts against the rows.
    exponent : float
        p, at most 1.
    """

    costs: Floats
    null_cost: float = 0.0
    strength: float = 0.1
    exponent: float = 0.95

    def of_column(self, columns: NDArray[np.intp], weights: Floats) -> Ints:
        """Return B_k w_k^p of some columns, in multiples of 2^-40."""
        positive = np.where(weights > 0.0, weights, 1.0)
        powers = exp_nonpositive(self.exponent * log_positive(positive))
        return to_fixed(np.where(weights > 0.0, self.costs[columns] * powers, 0.0))

    def of_sum(self, sums: Floats) -> Ints:
        """Return what the sum of all weights costs, in multiples of 2^-40."""
        return self._by_ceiling[np.ceil(sums).astype(np.int64)]

    def total(self, fixed: Ints) -> Floats:
        """Return the cost in nats from the sum of all terms, in multiples of 2^-40."""
        return self.strength * (fixed / float(FIXED_ONE))

    @cached_property
    def _by_ceiling(self) -> Ints:
        count = np.arange(1, len(self.costs) + 1, dtype=np.float64)
        code = to_fixed(_LOG_ALL_INTEGERS + _LOG_2 * log_star(count)[0])
        log_factorial = np.cumsum(to_fixed(log_positive(count)))
        nothing = to_fixed(np.array([self.null_cost]))
        return np.concatenate([nothing, code - log_factorial]) + to_fixed(np.array([_LOG_2]))
