# SPDX-License-Identifier: BSD-3-Clause
"""Sums over rows for weights of members whose log-odds are added up: log loss, gradient and curvature.

Sums are of integers, so that they do not depend on the order of rows or the machine.
"""

from math import fsum
from typing import Final

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.additive import log_losses
from bayesieve.exact import exp_nonpositive

__all__ = ["MOST_SIZE", "LogOddsRows", "exact_loss", "log_odds_sums_numpy", "rounded_sum", "sum_unit"]

MOST_SIZE: Final = 2**42  # of losses, in multiples of 2^20 units: their sum fits 62 bits

LogOddsRows = tuple[Floats, Floats, Floats, float]
"""Centered scores of shape (n_members, n_rows), classes, weights of rows, unit of sums."""


def sum_unit(largest: float) -> float:
    """Return a power of two of which sums of sizes up to ``largest`` have at most 2^60."""
    return float(2.0 ** (np.ceil(np.log2(max(largest, 1.0))) - 60))


def rounded_sum(x: Floats, unit: float) -> float:
    """Return the sum of numbers that are rounded to multiples of a unit."""
    return float(_steps(x, unit)) * unit


def exact_loss(rows: LogOddsRows, a: Floats, b: float) -> float:
    """Return a log loss that is too large for integers, of a step that went too far and is taken back."""
    scores, target, weights, _ = rows
    return fsum((weights * log_losses(_combined(scores, a, b), target)).tolist())


def log_odds_sums_numpy(rows: LogOddsRows, a: Floats, b: float) -> Ints:
    """Specification of the core's sums, and its fallback.

    Returns, in one vector of multiples of the unit: the log loss; its gradient and curvature in b; the gradient in a;
    the curvature in a and b, and in a, of which the lower half is filled; last, the sizes of the losses, in multiples
    of 2^20 units.
    """
    scores, target, weights, unit = rows
    z, n = _combined(scores, a, b), len(a)
    e = exp_nonpositive(-np.abs(z))
    likely = 1.0 / (1.0 + e)
    residual = weights * (target - np.where(z < 0.0, e * likely, likely))
    curvature = weights * np.maximum(e * likely * likely, 1e-6)
    losses = weights * log_losses(z, target)
    curvatures = np.zeros((n, n), dtype=np.int64)
    for j in range(n):
        weighted = curvature * scores[j]
        for k in range(j + 1):
            curvatures[j, k] = _steps(weighted * scores[k], unit)
    size = int((losses / unit * 2.0**-20).astype(np.int64).sum())
    parts = [
        [0 if size >= MOST_SIZE else _steps(losses, unit), _steps(residual, unit), _steps(curvature, unit)],
        [_steps(residual * own, unit) for own in scores],
        [_steps(curvature * own, unit) for own in scores],
        curvatures.ravel(),
        [size],
    ]
    return np.concatenate([np.asarray(part, dtype=np.int64) for part in parts])


def _steps(x: Floats, unit: float) -> int:
    return int(np.rint(x / unit).astype(np.int64).sum())


def _combined(scores: Floats, a: Floats, b: float) -> Floats:
    total = np.full(scores.shape[1], b)
    for weight, score in zip(a, scores, strict=True):
        total += weight * score
    return total
