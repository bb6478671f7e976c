# SPDX-License-Identifier: BSD-3-Clause
"""Probabilities and log loss of each row."""

import numpy as np

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats
from bayesieve.exact import exp_nonpositive, log_positive

__all__ = ["log_losses", "log_losses_numpy", "softmax", "softmax_numpy"]


def log_losses(log_odds: Floats, target: Floats) -> Floats:
    """Return the log loss of each row, given log-odds or the scores of all classes."""
    if log_odds.ndim == 2:
        (_, top, log_totals), own = softmax(log_odds), log_odds[np.arange(len(target)), target.astype(np.intp)]
        return np.asarray(log_totals + (top - own))
    if core is None:
        warn_if_missing()
        return log_losses_numpy(log_odds, target)
    scores = np.ascontiguousarray(log_odds)[:, None]
    return core.row_losses("logistic", scores, np.ascontiguousarray(target, dtype=np.float64))


def log_losses_numpy(log_odds: Floats, target: Floats) -> Floats:
    """Specification of `log_losses` of two classes, and its fallback."""
    z = np.where(target > 0.5, log_odds, -log_odds)
    return np.maximum(-z, 0.0) + log_positive(1.0 + exp_nonpositive(-np.abs(z)))


def softmax(scores: Floats) -> tuple[Floats, Floats, Floats]:
    """Return probabilities, shape (n_rows, n_classes), the top score of each row, and log sum of exp(score - top)."""
    if core is None:
        warn_if_missing()
        return softmax_numpy(scores)
    result: tuple[Floats, Floats, Floats] = core.softmax(np.ascontiguousarray(scores))
    return result


def softmax_numpy(scores: Floats) -> tuple[Floats, Floats, Floats]:
    """Specification of `softmax`, and its fallback."""
    top = scores.max(axis=1)
    e = exp_nonpositive(scores - top[:, None])
    total = np.cumsum(e, axis=1)[:, -1]
    return e / total[:, None], top, log_positive(total)
