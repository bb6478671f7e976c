# SPDX-License-Identifier: BSD-3-Clause
"""Log losses: plain, of smoothed probabilities, and with the cost of encoding the subset."""

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.decisions import smooth
from bayesieve.exact import FIXED_ONE, log_positive, to_fixed
from bayesieve.search.criteria.criterion import Labels, Predictions
from bayesieve.search.criteria.pointwise import Pointwise

__all__ = ["LogLoss", "Map", "SmoothedLogLoss"]


class LogLoss(Pointwise):
    """Mean -log P(true class), in nats."""

    name = kernel = "log_loss"

    def losses(self, predictions: Predictions, target: Labels) -> Ints:
        """Return -log P(true class)."""
        return predictions.surprise(target)


class SmoothedLogLoss(Pointwise):
    """Mean -log p~(true class), in nats, with p~ = (N p + 1/2 / J) / (N + 1/2): at most about log(2 J N).

    N is the weight of the rows, ``n_rows``, and J the number of classes. Khiops predicts and scores its weights by p~.
    """

    name = kernel = "smoothed_log_loss"

    def __init__(self, n_rows: float) -> None:
        self.kernel_argument = n_rows

    def losses(self, predictions: Predictions, target: Labels) -> Ints:
        """Return -log p~(true class)."""
        probabilities = predictions.probabilities
        true_class = probabilities[target, np.arange(len(target))]
        return to_fixed(-log_positive(smooth(true_class, self.kernel_argument, len(probabilities))))


class Map(LogLoss):
    """Log loss plus the cost of encoding a subset of k out of K candidate columns (Boullé, 2007).

        log(K + 1) + log C(K + k - 1, k) - sum over rows of log P(class | row),    in nats

    The size is drawn uniformly, and columns with replacement: the first costs about log K, the last about log 2, and no
    column makes a subset cheaper. The score is per validation row, and best for the most probable subset.
    """

    name = "map"

    def subset_costs(self, n_columns: int) -> Floats:
        """Return the cost of encoding a subset of 0, 1 ... n_columns columns, in nats."""
        size = np.arange(1, n_columns + 1, dtype=np.float64)  # C(K + k - 1, k) grows by (K + k - 1) / k
        growth = to_fixed(log_positive((n_columns - 1.0 + size) / size))
        first = to_fixed(log_positive(np.array([n_columns + 1.0])))
        costs: Floats = np.cumsum(np.concatenate([first, growth])) / float(FIXED_ONE)
        return costs
