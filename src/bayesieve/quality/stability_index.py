# SPDX-License-Identifier: BSD-3-Clause
"""The population stability index (PSI) of counts, and how large it is by chance.

    PSI  =  sum over bins (q - p) log(q / p)

for the shares p of the training rows and q of the new rows, with half a row added to every bin. If both are samples of
one population, PSI / (1 / n_train + 1 / n_new) has about a chi-squared distribution with one degree of freedom less
than bins (Yurdakul, 2018): a small file has a large index by chance alone.
"""

import numpy as np

from bayesieve._typing import Floats

__all__ = ["drift_level", "psi", "psi_by_chance"]

_MODERATE, _LARGE = 0.1, 0.25
_CONFIDENCE = 0.99
_HALF = 0.5


def psi(then: Floats, now: Floats) -> float:
    """Return the index of two vectors of counts; bins that are empty in both do not count."""
    filled = (then > 0) | (now > 0)
    p, q = (counts[filled] + _HALF for counts in (then, now))
    p, q = p / p.sum(), q / q.sum()
    return float(((q - p) * np.log(q / p)).sum())


def psi_by_chance(then: Floats, now: Floats) -> float:
    """Return the index that only one of a hundred samples of the same population exceeds."""
    from scipy.special import gammaincinv

    n_bins = int(((then > 0) | (now > 0)).sum())
    if n_bins < 2 or not then.sum() or not now.sum():
        return 0.0
    quantile = 2 * gammaincinv((n_bins - 1) / 2, _CONFIDENCE)  # of chi-squared
    return float(quantile * (1 / then.sum() + 1 / now.sum()))


def drift_level(index: float, by_chance: float) -> str:
    """Return the usual words: stable below 0.1 or below what chance explains, large above 0.25."""
    if index < max(_MODERATE, by_chance):
        return "stable"
    return "moderate" if index < _LARGE else "large"
