# SPDX-License-Identifier: BSD-3-Clause
"""Log loss plus the cost of encoding the subset, which is smallest for the most probable subset (Boullé, 2007).

A subset of k out of K candidate columns costs, in nats over all rows,

    log(K + 1) + log C(K + k - 1, k) - sum over rows of log P(class | row)

Its size is drawn uniformly from 0 to K, and its columns with replacement, so that the first column costs about log K
and the last about log 2; without replacement, large subsets would become cheaper with each column. The score is minus
this cost per validation row, so that it is comparable to the log loss and does not grow with the table.
"""

import numpy as np
from numpy.typing import NDArray

from bayesieve.exact import FIXED_ONE, log_positive, to_fixed
from bayesieve.search.criteria.pointwise import LogLoss

__all__ = ["Map"]


class Map(LogLoss):
    """Log loss plus the prior of the subset, in nats per validation row; measures of rows are those of the log loss."""

    name = "map"

    def subset_costs(self, n_columns: int) -> NDArray[np.float64]:
        """Return the cost of encoding a subset of 0, 1 ... n_columns columns, in nats."""
        size = np.arange(1, n_columns + 1, dtype=np.float64)
        # C(K + k - 1, k) grows by (K + k - 1) / k. Sums of multiples of 2^-40 do not depend on their order.
        growth = to_fixed(log_positive((n_columns - 1.0 + size) / size))
        first = to_fixed(log_positive(np.array([n_columns + 1.0])))
        costs: NDArray[np.float64] = np.cumsum(np.concatenate([first, growth])) / float(FIXED_ONE)
        return costs
