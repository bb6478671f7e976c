# SPDX-License-Identifier: BSD-3-Clause
"""Two-sample tests on all windows of series of equal length, computed at once.

A p-value per window takes longer than a comparison of its statistic with a critical value. The p-values are those of
SciPy's ``mannwhitneyu(method="exact")``, ``ks_2samp(method="exact")`` and of twice the smaller tail of the F
distribution, for two halves of equal size.

Arrays have time first, so that a shift in time is a slice of rows: ``series[t]`` are all series at time t.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtr, fdtrc, fdtri

from bayesieve._typing import Floats

__all__ = [
    "TESTS",
    "Ranks",
    "f_bounds",
    "f_p_values",
    "halves_p_values",
    "halves_reject",
    "ks_bound",
    "ks_p_values",
    "rank_statistics",
    "u_bound",
    "u_p_values",
    "window_p_values",
    "windows_reject",
]


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


TESTS = ("u_test", "ks_test", "f_test")

Bits = NDArray[np.bool_]


class Ranks:
    """The number of earlier and later values that do not exceed a value.

    ``upto(l)[t]`` is #{k : 1 - longest <= k <= l, x[t + k] <= x[t]}, so that #{i in a..b : x[i] <= x[t]} is the
    difference of two of these arrays.
    """

    def __init__(self, series: Floats, longest: int) -> None:
        length = len(series)
        self._longest = longest
        # Differences of pairs go up to (longest / 2)^2.
        self.dtype = np.dtype(np.int16 if (longest // 2) ** 2 < 1 << 15 else np.int64)
        count: NDArray[Any] = np.zeros(series.shape, dtype=self.dtype)
        self._upto = [count]
        for lag in range(1 - longest, longest):
            first, last = max(0, -lag), min(length, length - lag)
            count = count.copy()
            if first < last:
                count[first:last] += series[first + lag : last + lag] <= series[first:last]
            self._upto.append(count)

    def upto(self, lag: int) -> NDArray[Any]:
        """Return the counts of lags up to this one, at each time."""
        return self._upto[lag + self._longest]


def rank_statistics(ranks: Ranks, n_windows: int, half: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return |#{x < y} - #{x > y}| and half x the largest distance of distribution functions, for each window.

    With L = sum over y in the second half of #{x <= y}, and R = sum over x in the first half of #{y <= x}, the
    difference of the pairs is L - R; ties are in both.
    """
    shape = (n_windows, ranks.upto(0).shape[1])
    difference, distance = np.zeros(shape, dtype=ranks.dtype), np.zeros(shape, dtype=ranks.dtype)
    for offset in range(2 * half):
        here = slice(offset, offset + n_windows)
        before = ranks.upto(-1 - offset)[here]
        middle = ranks.upto(half - 1 - offset)[here]
        first, second = middle - before, ranks.upto(2 * half - 1 - offset)[here] - middle
        if offset < half:
            difference -= second
        else:
            difference += first
        np.maximum(distance, np.abs(first - second), out=distance)
    return np.abs(difference), distance


def scatter(series: Floats, n_points: int) -> Floats:
    """Return the sum of squared deviations from the mean of every run of points.

    Deviations are from the first point of the run: equal points give exactly 0, and a large mean costs no precision.
    """
    n_runs = len(series) - n_points + 1
    origin = series[:n_runs]
    total, squares = np.zeros(origin.shape), np.zeros(origin.shape)
    for k in range(1, n_points):
        deviation = series[k : k + n_runs] - origin
        total += deviation
        squares += deviation * deviation
    return np.maximum(squares - total * total / n_points, 0.0)


def windows_reject(series: Floats, window: int, levels: Sequence[float], ranks: Ranks) -> Bits:
    """Return for each test, level, window and series whether the halves of the window differ.

    Shape (n_tests, n_levels, n_windows, n_series); a window with a missing value does not reject.
    """
    half, n_windows = window // 2, len(series) - window + 1
    difference, distance = rank_statistics(ranks, n_windows, half)
    spread = scatter(series, half)
    first, second = spread[:n_windows], spread[half : half + n_windows]
    small, large = np.minimum(first, second), np.maximum(first, second)
    reject = np.empty((len(TESTS), len(levels), *difference.shape), dtype=bool)
    for a, level in enumerate(levels):
        reject[0, a] = difference >= u_bound(half, level)
        reject[1, a] = distance >= ks_bound(half, level)
        # Equal degrees of freedom: the two bounds are reciprocals. Two constant halves have no ratio.
        reject[2, a] = (large >= f_bounds((half - 1, half - 1), level)[1] * small) & (large > 0)
    missing = np.isnan(series)
    if missing.any():
        sums = np.concatenate([np.zeros((1, series.shape[1]), dtype=np.int64), missing.cumsum(axis=0)])
        reject &= sums[window:] == sums[:-window]
    return reject


def window_p_values(series: Floats, window: int, ranks: Ranks) -> Floats:
    """Return the p-value of each test, window and series, (n_tests, n_windows, n_series); 1 with missing values."""
    half, n_windows = window // 2, len(series) - window + 1
    difference, distance = rank_statistics(ranks, n_windows, half)
    spread = scatter(series, half)
    f_test = f_p_values(spread[:n_windows], spread[half : half + n_windows], (half - 1, half - 1))
    p = np.stack([u_p_values(half)[difference], ks_p_values(half)[distance], f_test])
    missing = np.isnan(series)
    if missing.any():
        sums = np.concatenate([np.zeros((1, series.shape[1]), dtype=np.int64), missing.cumsum(axis=0)])
        p[:, sums[window:] != sums[:-window]] = 1.0
    return p


def halves_p_values(series: Floats) -> Floats:
    """Return the p-value of the F test of the two halves of each series, NaN where a half has fewer than two points."""
    length = len(series)
    middle = length // 2
    if middle < 2:
        return np.full(series.shape[1], np.nan)
    first, second = scatter(series[:middle], middle)[0], scatter(series[middle:], length - middle)[0]
    return np.nan_to_num(f_p_values(first, second, (middle - 1, length - middle - 1)), nan=1.0)


def halves_reject(series: Floats, levels: Sequence[float]) -> Bits:
    """Return for each level and series whether the F test rejects equal variances of the two halves.

    Shape (n_levels, n_series); the middle point of an odd number belongs to the second half.
    """
    length = len(series)
    middle = length // 2
    if middle < 2:
        return np.zeros((len(levels), series.shape[1]), dtype=bool)
    first = scatter(series[:middle], middle)[0] / (middle - 1)
    second = scatter(series[middle:], length - middle)[0] / (length - middle - 1)
    bounds = (f_bounds((middle - 1, length - middle - 1), float(level)) for level in levels)
    # A missing value makes a variance NaN, and every comparison with NaN is false.
    is_defined = (first > 0) | (second > 0)
    return np.array([((first <= low * second) | (first >= high * second)) & is_defined for low, high in bounds])
