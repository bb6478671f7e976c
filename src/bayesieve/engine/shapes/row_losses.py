# SPDX-License-Identifier: BSD-3-Clause
"""The log loss of each row."""

import numpy as np

from bayesieve._native.elementary import exp_nonpositive, log_positive
from bayesieve._typing import Floats

__all__ = ["log_losses"]


def log_losses(log_odds: Floats, target: Floats) -> Floats:
    """Return the log loss of each row, given log-odds or the scores of all classes."""
    if log_odds.ndim == 2:
        top, own = log_odds.max(axis=1), log_odds[np.arange(len(target)), target.astype(np.intp)]
        total = np.cumsum(exp_nonpositive(log_odds - top[:, None]), axis=1)[:, -1]
        return np.asarray(log_positive(total) + (top - own))
    z = np.where(target > 0.5, log_odds, -log_odds)
    return np.maximum(-z, 0.0) + log_positive(1.0 + exp_nonpositive(-np.abs(z)))
