# SPDX-License-Identifier: BSD-3-Clause
"""P-values as scores of change in monitored series: each is the level from which on an indicator would hold."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from sklearn.utils import Bunch

from bayesieve._typing import Floats
from bayesieve.datasets.ragged import by_length
from bayesieve.datasets.window_tests import TESTS, Ranks, halves_p_values, window_p_values
from bayesieve.exceptions import ParameterError

__all__ = ["aircraft_scores"]

_MOST_SERIES = 64  # at a time: a block of windows per window is in memory


def aircraft_scores(
    series: Any,
    *,
    windows: Sequence[int] = (30, 40, 50),
    jumps: Sequence[int] = (1, 5, 10),
    shares: Sequence[float] = (0.1, 0.3, 0.5),
) -> Bunch:
    """Compute the scores behind `aircraft_indicators`: the smallest level at which each indicator of a series holds.

    The tests are those of `aircraft_indicators`. With M windows and p-values p, and k = share x M rounded up:

    - the smallest p: ``u_test[w=30, jump=1]``;
    - the k-th smallest (``ratio=0.3``);
    - of k successive windows the largest p, where that is smallest (``run=0.3``);
    - of k successive windows the p in the middle, where that is smallest (``block=0.3``).

    Also the p-value of the first half of the series against its second, ``f_test[halves]``. An `IndicatorGrid` compares
    the scores with levels: at the levels of `aircraft_indicators` it gives the same 814 columns.

    Parameters
    ----------
    series : sequence of arrays, or array of shape (n_series, n_times)
        The series; in an array, missing values at the end of a row are removed.
    windows : sequence of int
        Lengths of the windows, even.
    jumps : sequence of int
        Distances between successive windows.
    shares : sequence of float
        Shares of the windows that confirm each other.

    Returns
    -------
    scores : Bunch
        ``data``, float64 of shape (n_series, n_scores), and ``feature_names``. A score is missing where the series is
        shorter than the window.

    See Also
    --------
    aircraft_indicators : Comparisons of these scores with levels, computed without p-values.
    IndicatorGrid : Makes indicators of any scores.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesieve.datasets import aircraft_scores
    >>> noise = np.random.default_rng(0).normal(size=120)
    >>> scores = aircraft_scores([noise, noise + 3 * (np.arange(120) >= 60)], windows=[50], jumps=[10], shares=[])
    >>> scores.feature_names
    ['u_test[w=50, jump=10]', 'ks_test[w=50, jump=10]', 'f_test[w=50, jump=10]', 'f_test[halves]']
    >>> (scores.data[:, 0] < 0.001).tolist()
    [False, True]
    """
    for window in windows:
        if window < 4 or window % 2:
            raise ParameterError(f"windows has {window}; even lengths of at least 4 are expected.")
    ways = ["", *(f", {way}={share:g}" for way in ("ratio", "run", "block") for share in shares)]
    names = [
        f"{test}[w={window}, jump={jump}{way}]" for window, jump, way, test in product(windows, jumps, ways, TESTS)
    ]
    blocks = list(by_length(series, _MOST_SERIES))
    data = np.full((sum(len(rows) for rows, _ in blocks), len(names) + 1), np.nan)
    for rows, block in blocks:
        data[rows, :-1] = _scores(block, tuple(windows), tuple(jumps), tuple(shares)).reshape(-1, len(rows)).T
        data[rows, -1] = halves_p_values(block)
    return Bunch(data=data, feature_names=[*names, "f_test[halves]"])


def _scores(series: Floats, windows: Sequence[int], jumps: Sequence[int], shares: Sequence[float]) -> Floats:
    """Return the scores of series of one length, shape (n_windows, n_jumps, 1 + 3 n_shares, n_tests, n_series)."""
    out = np.full((len(windows), len(jumps), 1 + 3 * len(shares), len(TESTS), series.shape[1]), np.nan)
    ranks = Ranks(series, max(windows, default=0))
    for i, window in enumerate(windows):
        if window <= len(series):
            p = window_p_values(series, window, ranks)
            for j, jump in enumerate(jumps):
                out[i, j] = _confirmed(p[:, ::jump], shares)
    return out


def _confirmed(p: Floats, shares: Sequence[float]) -> Floats:
    """Return the level from which on some, many, a run or a dense block of windows reject; windows are the 2nd axis."""
    sizes = [ceil(Fraction(repr(float(share))) * p.shape[1]) for share in shares]
    ordered = np.sort(p, axis=1)
    successive = [sliding_window_view(p, size, axis=1) for size in sizes]
    many = [ordered[:, size - 1] for size in sizes]
    runs = [each.max(axis=-1).min(axis=1) for each in successive]
    middles = [(size + 1) // 2 - 1 for size in sizes]
    dense = [
        np.partition(each, middle, axis=-1)[..., middle].min(axis=1)
        for each, middle in zip(successive, middles, strict=True)
    ]
    return np.stack([ordered[:, 0], *many, *runs, *dense])
