"""Predictions as evidence: a log-score per class and row, in fixed point."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import FIXED_ONE, exp_nonpositive, log_positive, to_fixed

__all__ = ["RANK_SHIFT", "Evidence", "in_nats"]

RANK_SHIFT = 24  # ranking keys are evidence rounded from 2^-40 to 2^-16


@dataclass(frozen=True)
class Evidence:
    """Class scores in multiples of 2^-40 nats, shape (n_classes, n_samples); probabilities are their softmax."""

    scores: NDArray[np.int64]

    @property
    def predicted(self) -> NDArray[np.intp]:
        """The class with the largest score, the lowest index on ties."""
        best: NDArray[np.intp] = np.argmax(self.scores, axis=0)
        return best

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Class probabilities, shape (n_classes, n_samples)."""
        weights, total, _ = _relative(self.scores)
        return weights / total

    @property
    def log_probabilities(self) -> NDArray[np.float64]:
        """Logarithms of the class probabilities, shape (n_classes, n_samples)."""
        _, total, top = _relative(self.scores)
        return in_nats(self.scores - top) - log_positive(total)

    def surprise(self, target: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return -log of the true class's probability in multiples of 2^-40; it is always finite."""
        _, total, top = _relative(self.scores)
        shortfall: NDArray[np.int64] = top - self.scores[target, np.arange(len(target))]
        return shortfall + to_fixed(log_positive(total))

    def log_odds(self, c: int) -> NDArray[np.int64]:
        """Return the log-odds of class c against all others, in multiples of 2^-40."""
        others = np.delete(self.scores, c, axis=0)
        _, total, top = _relative(others)
        log_odds: NDArray[np.int64] = self.scores[c] - top - to_fixed(log_positive(total))
        return log_odds

    def rank_keys(self, c: int) -> NDArray[np.int64]:
        """Return integers that order rows by the probability of class c: its log-odds in multiples of 2^-16."""
        return (self.log_odds(c) + (1 << (RANK_SHIFT - 1))) >> RANK_SHIFT


def in_nats(evidence: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return evidence in nats."""
    return evidence / float(FIXED_ONE)


def _relative(scores: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Return exp(score - top) for each class, their sum in class order, and top, the largest score of each row."""
    top = scores.max(axis=0)
    weights = exp_nonpositive(in_nats(scores - top))
    total = weights[0].copy()
    for weight in weights[1:]:
        total += weight
    return weights, total, top
