# SPDX-License-Identifier: BSD-3-Clause
"""Binary indicators of change in monitored series: tests on sliding windows, confirmed by several windows."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from bayesieve._typing import Floats
from bayesieve.datasets.ragged import by_length
from bayesieve.datasets.window_tests import TESTS, Bits, Ranks, halves_reject, windows_reject
from bayesieve.exceptions import ParameterError

__all__ = ["aircraft_indicators"]

_MOST_SERIES = 128  # at a time: the counts of a block stay in the cache


def aircraft_indicators(
    series: Any,
    *,
    windows: Sequence[int] = (30, 40, 50),
    jumps: Sequence[int] = (1, 5, 10),
    levels: Sequence[float] = (0.005, 0.1, 0.5),
    shares: Sequence[float] = (0.1, 0.3, 0.5),
    series_levels: Sequence[float] = (0.001, 0.005, 0.1, 0.5),
) -> Bunch:
    """Compute 814 binary indicators of a change in each series.

    A window is cut in the middle, and a test compares its halves: Mann and Whitney's U, Kolmogorov-Smirnov (both
    exact) and the F test of variances, all two-sided. Windows start at 0, ``jump``, 2 ``jump``, ... For each test,
    window length, jump and level, with M windows and p-values p:

    - some p <= level: ``u_test[w=30, jump=1] <= 0.005``;
    - at least share x M of them: ``u_test[w=30, jump=1, ratio=0.3] <= 0.005``;
    - a run of at least share x M successive ones (``run=0.3``);
    - at least half of some share x M (rounded up) successive windows (``block=0.3``).

    Also the F test of the first half of the series against its second: ``f_test[halves] <= 0.001``.

    Parameters
    ----------
    series : sequence of arrays, or array of shape (n_series, n_times)
        The series; in an array, missing values at the end of a row are removed.
    windows : sequence of int
        Lengths of the windows, even.
    jumps : sequence of int
        Distances between successive windows.
    levels : sequence of float
        Significance levels of the tests on windows.
    shares : sequence of float
        Shares of the windows that must reject.
    series_levels : sequence of float
        Significance levels of the test on the entire series.

    Returns
    -------
    indicators : Bunch
        ``data``, uint8 of shape (n_series, n_indicators), and ``feature_names``.

    Notes
    -----
    If a series is shorter than a window, the indicators of that window are 0. A test on a window with a missing value
    does not reject, and the window counts among the M. Two constant halves do not differ in variance; a constant half
    and another do.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesieve.datasets import aircraft_indicators
    >>> noise = np.random.default_rng(0).normal(size=120)
    >>> indicators = aircraft_indicators([noise, noise + 3 * (np.arange(120) >= 60)])
    >>> indicators.data.shape
    (2, 814)
    >>> indicators.data[:, indicators.feature_names.index("u_test[w=50, jump=1, run=0.1] <= 0.005")].tolist()
    [0, 1]
    """
    for window in windows:
        if window < 4 or window % 2:
            raise ParameterError(f"windows has {window}; even lengths of at least 4 are expected.")
    for level in (*levels, *series_levels, *shares):
        if not 0 < level < 1:
            raise ParameterError(f"levels, series_levels and shares must be between 0 and 1, got {level}.")
    grid = (tuple(windows), tuple(jumps), tuple(levels), tuple(shares))
    names = [*_window_names(*grid), *(f"f_test[halves] <= {level:g}" for level in series_levels)]
    blocks = list(by_length(series, _MOST_SERIES))
    data = np.zeros((sum(len(rows) for rows, _ in blocks), len(names)), dtype=np.uint8)
    n_window_names = len(names) - len(series_levels)
    for rows, block in blocks:
        data[rows, :n_window_names] = _confirmed(block, *grid).reshape(-1, len(rows)).T
        data[rows, n_window_names:] = halves_reject(block, series_levels).T
    return Bunch(data=data, feature_names=names)


def _window_names(
    windows: Sequence[int], jumps: Sequence[int], levels: Sequence[float], shares: Sequence[float]
) -> Iterator[str]:
    """Yield names in the order of the axes of `_confirmed`."""
    ways = ["", *(f", {way}={share:g}" for way in ("ratio", "run", "block") for share in shares)]
    for window, jump, way, test, level in product(windows, jumps, ways, TESTS, levels):
        yield f"{test}[w={window}, jump={jump}{way}] <= {level:g}"


def _confirmed(
    series: Floats, windows: Sequence[int], jumps: Sequence[int], levels: Sequence[float], shares: Sequence[float]
) -> Bits:
    """Return the indicators of series of one length.

    Shape (n_windows, n_jumps, 1 + 3 n_shares, n_tests, n_levels, n_series).
    """
    shape = (len(windows), len(jumps), 1 + 3 * len(shares), len(TESTS), len(levels), series.shape[1])
    out = np.zeros(shape, dtype=bool)
    ranks = Ranks(series, max(windows))
    for i, window in enumerate(windows):
        if window > len(series):
            continue
        reject = windows_reject(series, window, levels, ranks)
        for j, jump in enumerate(jumps):
            out[i, j] = _confirm(reject[:, :, ::jump], shares)
    return out


def _confirm(reject: Bits, shares: Sequence[float]) -> Bits:
    """Return whether some, many, a run, or a dense block of windows reject; windows are the third axis of four."""
    n_tests, n_levels, n_windows, n_series = reject.shape
    dtype = np.int16 if n_windows < 1 << 14 else np.int64  # doubled below
    sums = np.zeros((n_tests, n_levels, n_windows + 1, n_series), dtype=dtype)
    np.cumsum(reject, axis=2, dtype=dtype, out=sums[:, :, 1:])
    total = sums[:, :, -1]
    sizes = [ceil(Fraction(repr(float(share))) * n_windows) for share in shares]  # not 0.3 x 10 = 3.0000000000000004
    # The maximum number of rejections in successive windows gives both: a run if all reject, a dense block if half do.
    most: list[NDArray[Any]] = [(sums[:, :, size:] - sums[:, :, :-size]).max(axis=2) for size in sizes]
    many = [total >= size for size in sizes]
    runs = [count == size for count, size in zip(most, sizes, strict=True)]
    dense = [2 * count >= size for count, size in zip(most, sizes, strict=True)]
    return np.stack([total > 0, *many, *runs, *dense])
