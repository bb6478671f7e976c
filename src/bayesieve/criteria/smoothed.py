"""Log loss of probabilities that are kept away from 0.

    -log p~,        p~ = (N p + 1/2 / J) / (N + 1/2)

with N the weight of the rows and J classes: no single row can cost more than about log(2 J N), however wrong the
belief. Khiops scores its weights, and gives its probabilities, so.
"""

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import log_positive, to_fixed
from bayesieve.criteria.base import Beliefs
from bayesieve.criteria.pointwise import Pointwise
from bayesieve.decisions import smooth

__all__ = ["SmoothedLogLoss"]


class SmoothedLogLoss(Pointwise):
    """Mean -log p~(true class), in nats; ``n_rows`` is N."""

    name = kernel = "smoothed_log_loss"

    def __init__(self, n_rows: float) -> None:
        self.kernel_argument = n_rows

    def losses(self, beliefs: Beliefs, target: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return -log p~(true class)."""
        probabilities = beliefs.probabilities
        true_class = probabilities[target, np.arange(len(target))]
        return to_fixed(-log_positive(smooth(true_class, self.kernel_argument, len(probabilities))))
