# SPDX-License-Identifier: BSD-3-Clause
"""Reliability of probabilities, and the Brier score split into calibration and refinement.

Rows of equal probability s, of weight W_s and share of positives o_s, give (DeGroot and Fienberg, 1982)

    mean (s - y)^2  =  sum W_s (s - o_s)^2 / W  +  sum W_s o_s (1 - o_s) / W
        Brier               calibration                  refinement

both smaller-is-better. The split is exact if groups have equal probabilities. Groups of similar probabilities have a
third term, the spread of the probabilities inside the groups; `brier_split` returns it as ``within``, so that the terms
always add up.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["BrierSplit", "Reliability", "brier_split", "reliability"]


@dataclass(frozen=True)
class Reliability:
    """Groups of rows by probability, the lowest first: their weight, mean probability and share of positives."""

    weight: Floats
    probability: Floats
    observed: Floats


@dataclass(frozen=True)
class BrierSplit:
    """The binary Brier score and its terms, which add up to it."""

    brier: float
    calibration: float
    refinement: float
    within: float


def reliability(
    probabilities: Floats, truth: NDArray[np.bool_], weights: Floats | None = None, n_groups: int | None = None
) -> Reliability:
    """Return mean probability and share of positives of groups of rows.

    Parameters
    ----------
    probabilities : array of shape (n_samples,)
        Predicted probability of the positive class.
    truth : array of shape (n_samples,)
        Whether each row is positive.
    weights : array of shape (n_samples,), or None
        Weight of each row; 1 by default.
    n_groups : int or None
        Approximate number of groups of equal weight; equal probabilities are in one group. None: one group per
        probability.
    """
    p, y, w, place = _grouped(probabilities, truth, weights, n_groups)
    weight = np.bincount(place, w).astype(np.float64)
    return Reliability(weight, np.bincount(place, w * p) / weight, np.bincount(place, w * y) / weight)


def brier_split(
    probabilities: Floats, truth: NDArray[np.bool_], weights: Floats | None = None, n_groups: int | None = None
) -> BrierSplit:
    """Return the binary Brier score, split by groups as in `reliability`; twice this is the papers' MSE."""
    p, y, w, place = _grouped(probabilities, truth, weights, n_groups)
    groups = reliability(probabilities, truth, weights, n_groups)
    total = w.sum()
    mean, observed = groups.probability, groups.observed
    calibration = float((groups.weight * (mean - observed) ** 2).sum() / total)
    refinement = float((groups.weight * observed * (1 - observed)).sum() / total)
    # (p - y)^2 = (p - m + m - o + o - y)^2: of the cross terms only -2 (p - m)(y - o) does not cancel in a group.
    inside, off = p - mean[place], y - observed[place]
    within = float((w * (inside * inside - 2 * inside * off)).sum() / total)
    return BrierSplit(float((w * (p - y) ** 2).sum() / total), calibration, refinement, within)


def _grouped(
    probabilities: Floats, truth: NDArray[np.bool_], weights: Floats | None, n_groups: int | None
) -> tuple[Floats, Floats, Floats, NDArray[np.intp]]:
    p, y = np.asarray(probabilities, dtype=np.float64), np.asarray(truth).astype(np.float64)
    w = np.ones(len(p)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not p.shape == y.shape == w.shape or p.ndim != 1:
        raise DataError(
            f"Probabilities, truth and weights must have one value per row, got {p.shape}, {y.shape}, {w.shape}."
        )
    if not ((p >= 0) & (p <= 1)).all():
        raise DataError(f"Probabilities must be between 0 and 1, got {p.min():g} to {p.max():g}.")
    counted = w > 0
    if not counted.any():
        raise DataError("No row has a positive weight; at least one is needed.")
    if n_groups is not None and n_groups < 1:
        raise ParameterError(f"n_groups must be positive, got {n_groups!r}.")
    p, y, w = p[counted], y[counted], w[counted]
    place = np.unique(p, return_inverse=True)[1]
    if n_groups is not None:
        below = np.cumsum(np.bincount(place, w))
        middle = below - np.bincount(place, w) / 2
        coarse = np.minimum((middle / below[-1] * n_groups).astype(np.intp), n_groups - 1)
        place = np.unique(coarse, return_inverse=True)[1][place]
    return p, y, w, place
