# SPDX-License-Identifier: BSD-3-Clause
"""Tests of paired differences; distributions are imported where they are used, since reports need none."""

from collections.abc import Sequence
from functools import lru_cache
from math import inf, nan, sqrt
from typing import Any

import numpy as np

from bayesieve._typing import Floats

__all__ = ["corrected_error", "corrected_t", "friedman", "holm", "mean_ranks", "nemenyi_difference", "signed_rank"]


def corrected_error(differences: Floats, test_share: float) -> float:
    """Return the standard error of a mean over folds after Nadeau and Bengio (2003), not a number for a single fold.

    Training rows of folds overlap, so that the plain standard error is too small. With n differences of variance s² and
    ``test_share`` test rows per training row, the variance of the mean is (1 / n + test_share) s².
    """
    n = len(differences)
    return sqrt((1 / n + test_share) * float(differences.var(ddof=1))) if n > 1 else nan


def corrected_t(differences: Floats, test_share: float) -> tuple[float, float, float]:
    """Return standard error, t and p-value of Nadeau and Bengio's corrected resampled t test."""
    from scipy.special import stdtr

    n, error = len(differences), corrected_error(differences, test_share)
    if n < 2:
        return nan, nan, nan
    mean = float(differences.mean())
    t = 0.0 if mean == 0 else mean / error if error else inf if mean > 0 else -inf
    return error, t, float(2 * stdtr(n - 1, -abs(t)))


def signed_rank(differences: Floats) -> tuple[float, float]:
    """Return the smaller rank sum and the p-value of Wilcoxon's signed rank test (Demšar 2006).

    Zeros are split between both signs. The test is exact if there are neither zeros nor ties among at most 25
    differences, and the normal approximation otherwise.
    """
    from scipy.stats import wilcoxon

    if len(differences) < 2 or not differences.any():
        return nan, 1.0
    sizes = np.abs(differences)
    exact = len(differences) <= 25 and sizes.all() and len(np.unique(sizes)) == len(sizes)
    test: Any = wilcoxon(differences, zero_method="zsplit", method="exact" if exact else "approx")
    return float(test.statistic), float(test.pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for the number of tests, by Holm's step-down method; NaN is kept."""
    defined = [i for i, p in enumerate(p_values) if not np.isnan(p)]
    adjusted, largest = [nan] * len(p_values), 0.0
    for rank, i in enumerate(sorted(defined, key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (len(defined) - rank) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def mean_ranks(values: Floats) -> Floats:
    """Return the mean rank of each column over the rows: 1 for the largest value, ties shared."""
    from scipy.stats import rankdata

    ranks: Floats = rankdata(-values, axis=1).mean(axis=0)
    return ranks


def friedman(values: Floats) -> tuple[float, float, float]:
    """Return Friedman's chi-square and its p-value, and that of Iman and Davenport's F, for data sets × methods."""
    from scipy.special import chdtrc, fdtrc
    from scipy.stats import rankdata

    n, k = values.shape
    if n < 2 or k < 2:
        return nan, nan, nan
    ranks = rankdata(-values, axis=1)
    # With ties the variance of the ranks is smaller than (k² - 1) / 12.
    spread = float(((ranks - (k + 1) / 2) ** 2).sum()) / (n * (k - 1))
    if spread == 0:
        return 0.0, 1.0, 1.0
    chi = n * float(((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum()) / spread
    room = n * (k - 1) - chi
    f = (n - 1) * chi / room if room > 0 else inf
    return chi, float(chdtrc(k - 1, chi)), float(fdtrc(k - 1, (k - 1) * (n - 1), f))


@lru_cache(maxsize=64)
def nemenyi_difference(n_methods: int, n_sets: int, alpha: float = 0.05) -> float:
    """Return Nemenyi's critical difference of mean ranks, for all pairs together (Demšar 2006)."""
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - alpha, n_methods, np.inf)) / sqrt(2)
    return q * sqrt(n_methods * (n_methods + 1) / (6 * n_sets))
