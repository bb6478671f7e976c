# SPDX-License-Identifier: BSD-3-Clause
"""Scores of predicted probabilities and classes on test rows."""

from math import sqrt

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss, roc_auc_score

from bayesieve._typing import Floats

__all__ = ["balanced_error", "balanced_error_spread", "score"]


def score(target: NDArray[np.int64], probability: Floats, decision: NDArray[np.int64]) -> dict[str, float]:
    """Return measures of two classes 0 and 1, from the probability of the second and the predicted class."""
    return {
        "auc": float(roc_auc_score(target, probability)),
        "log_loss": float(log_loss(target, probability)),
        "brier": float(np.mean((probability - target) ** 2)),
        "ber": balanced_error(target, decision),
    }


def balanced_error(target: NDArray[np.int64], decision: NDArray[np.int64]) -> float:
    """Return the mean of the classes' error rates."""
    return float(np.mean([np.mean(decision[target == c] != c) for c in np.unique(target)]))


def balanced_error_spread(rate: float, n_positive: int, n_negative: int) -> float:
    """Return the standard error of a balanced error, both classes having the same rate."""
    return sqrt(rate * (1.0 - rate) / 4.0 * (1.0 / n_positive + 1.0 / n_negative))
