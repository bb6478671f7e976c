# SPDX-License-Identifier: BSD-3-Clause
"""Log loss of smoothed probabilities.

    -log p~,        p~ = (N p + 1/2 / J) / (N + 1/2)

with N the weight of the rows and J classes: the loss of a row is at most about log(2 J N). Khiops uses these
probabilities for its predictions and for the score of its weights.
"""

import numpy as np
from numpy.typing import NDArray

from bayesieve.decisions import smooth
from bayesieve.exact import log_positive, to_fixed
from bayesieve.search.criteria.base import Predictions
from bayesieve.search.criteria.pointwise import Pointwise

__all__ = ["SmoothedLogLoss"]


class SmoothedLogLoss(Pointwise):
    """Mean -log p~(true class), in nats; ``n_rows`` is N."""

    name = kernel = "smoothed_log_loss"

    def __init__(self, n_rows: float) -> None:
        self.kernel_argument = n_rows

    def losses(self, predictions: Predictions, target: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return -log p~(true class)."""
        probabilities = predictions.probabilities
        true_class = probabilities[target, np.arange(len(target))]
        return to_fixed(-log_positive(smooth(true_class, self.kernel_argument, len(probabilities))))
