# SPDX-License-Identifier: BSD-3-Clause
"""Critical values and p-values of two-sample tests of two halves of equal size.

A p-value per window takes longer than a comparison of its statistic. The p-values are those of SciPy's
``mannwhitneyu(method="exact")``, ``ks_2samp(method="exact")`` and of twice the smaller tail of the F distribution.
"""

from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import comb

import numpy as np
from scipy.special import fdtr, fdtrc, fdtri

from bayesieve._typing import Floats

__all__ = ["f_bounds", "f_p_values", "ks_bound", "ks_p_values", "u_bound", "u_p_values"]


@cache
def u_bound(half: int, level: float) -> int:
    """Return the smallest |#{x < y} - #{x > y}| over pairs of the halves at which Mann and Whitney's test rejects.

    p = min(1, 2 P(U >= u)) with u the larger count of pairs, a tie counted half and the sum rounded down; the numbers
    of arrangements with U = 0, 1, ... are the coefficients of the Gaussian binomial of (2 half) over half.
    """
    ways = _gaussian_binomial(half)
    allowed = _exact(level) * comb(2 * half, half) / 2
    tail, u = 0, len(ways)
    while u and tail + ways[u - 1] <= allowed:
        u -= 1
        tail += ways[u]
    return 2 * u - half * half  # of n^2 pairs, u = (n^2 + |difference|) / 2


@cache
def ks_bound(half: int, level: float) -> int:
    """Return the smallest half x (largest distance of the distribution functions) at which Kolmogorov-Smirnov rejects.

    p(m) = 2 sum_{k>=1} (-1)^(k-1) C(2 half, half - k m) / C(2 half, half), by reflection of the lattice path.
    """
    allowed = _exact(level) * comb(2 * half, half) / 2
    for m in range(1, half + 1):
        ways = sum((-1) ** (k - 1) * comb(2 * half, half - k * m) for k in range(1, half // m + 1))
        if ways <= allowed:
            return m
    return half + 1  # no distance is significant


@cache
def f_bounds(freedom: tuple[int, int], level: float) -> tuple[float, float]:
    """Return the ratios of variances at or below, and at or above which the two-sided F test rejects."""
    first, second = freedom
    # Quantiles of the upper tail are reciprocals of the lower ones of the inverse ratio.
    return float(fdtri(first, second, level / 2)), float(1 / fdtri(second, first, level / 2))


@cache
def u_p_values(half: int) -> Floats:
    """Return the p-value of Mann and Whitney's test for each |#{x < y} - #{x > y}|, from 0 to half^2."""
    ways, total = _gaussian_binomial(half), comb(2 * half, half)
    tails = list(accumulate(reversed(ways)))[::-1]  # of U >= u
    least = [(half * half + difference) // 2 for difference in range(half * half + 1)]
    return np.array([min(1.0, float(Fraction(2 * tails[u], total))) for u in least])


@cache
def ks_p_values(half: int) -> Floats:
    """Return the p-value of Kolmogorov-Smirnov for each half x (largest distance), from 0 to half."""
    total = comb(2 * half, half)
    ways = [
        sum((-1) ** (k - 1) * comb(2 * half, half - k * m) for k in range(1, half // m + 1)) for m in range(1, half + 1)
    ]
    return np.array([1.0, *(min(1.0, float(Fraction(2 * each, total))) for each in ways)])


def f_p_values(first: Floats, second: Floats, freedom: tuple[int, int]) -> Floats:
    """Return the p-values of the two-sided F test for sums of squares; 1 where both are 0, or one is missing."""
    ratio = np.divide(first / freedom[0], second / freedom[1], out=np.full_like(first, np.inf), where=second > 0)
    tails = np.minimum(fdtr(*freedom, ratio), fdtrc(*freedom, ratio))
    return np.where((first > 0) | (second > 0), np.minimum(2.0 * tails, 1.0), 1.0)


def _gaussian_binomial(half: int) -> list[int]:
    """Return the numbers of arrangements of ``half`` and ``half`` values with U = 0, 1, ..., half^2."""
    ways = [1] + [0] * (half * half)
    # The product of (1 - q^(half + i)) / (1 - q^i), i = 1 .. half: multiply and divide one factor after the other.
    for i in range(1, half + 1):
        for u in range(half * half, half + i - 1, -1):
            ways[u] -= ways[u - half - i]
        for u in range(i, half * half + 1):
            ways[u] += ways[u - i]
    return ways


def _exact(level: float) -> Fraction:
    """Return the level exactly as written: 0.1 is a tenth."""
    return Fraction(repr(float(level)))
