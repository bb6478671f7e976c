# SPDX-License-Identifier: BSD-3-Clause
"""Aircraft engines: simulated measurements in which a change may occur, and binary indicators of change in series.

Tests on sliding windows are confirmed by several windows. A score is the level from which on an indicator would hold.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from sklearn.utils import Bunch, check_random_state

from bayesieve._typing import Floats
from bayesieve.datasets.window_tests import (
    TESTS,
    Bits,
    Ranks,
    halves_p_values,
    halves_reject,
    window_p_values,
    windows_reject,
)
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["aircraft_indicators", "aircraft_scores", "make_aircraft_series"]


_CLASSES = ("normal", "mean shift", "variance shift", "trend")


def make_aircraft_series(
    n_series: int = 6000,
    *,
    random_state: Any = None,
    lengths: tuple[int, int] = (100, 200),
    shift: tuple[float, float] = (1.0, 5.0),
    deviation: tuple[float, float] = (2.0, 6.0),
    amplitude: tuple[float, float] = (1.0, 5.0),
) -> Bunch:
    """Simulate series of white noise; half of them have a change in the central 60 %.

    Normal series are independent standard Gaussian values. A third of the others gets another mean from the change
    point on, a third another standard deviation, and a third a linear trend that is 0 at the change point and has its
    amplitude at the last value. These are the simulated data of Rabenoro, Lacaille, Cottrell and Rossi (2014).

    Parameters
    ----------
    n_series : int
        Number of series; each kind of anomaly has ``n_series // 6`` of them, and the others are normal.
    random_state : int, RandomState or None
        The seed or generator of the random numbers.
    lengths : (int, int)
        The minimum and the maximum length; lengths are uniform.
    shift, deviation, amplitude : (float, float)
        Bounds of the uniform distributions of the new mean, the new standard deviation and the last value of the trend.

    Returns
    -------
    series : Bunch
        ``data``, a list of arrays; ``target``, the class 0 to 3 of each; ``target_names``; ``change_points``, the first
        position that changes (-1 in normal series); ``sizes``, the mean, deviation or amplitude (0 in normal series).

    Examples
    --------
    >>> from bayesieve.datasets import make_aircraft_series
    >>> series = make_aircraft_series(600, random_state=0)
    >>> {name: int((series.target == c).sum()) for c, name in enumerate(series.target_names)}
    {'normal': 300, 'mean shift': 100, 'variance shift': 100, 'trend': 100}
    >>> min(map(len, series.data)) >= 100
    True
    """
    shortest, longest = lengths
    if n_series < 1 or not 5 <= shortest <= longest:
        raise ParameterError(
            f"n_series={n_series}, lengths={lengths}: at least 1 series of at least 5 values is expected."
        )
    rng = check_random_state(random_state)
    n_each = n_series // 6
    target = rng.permutation(np.repeat(np.arange(4), [n_series - 3 * n_each, n_each, n_each, n_each]))
    length = rng.randint(shortest, longest + 1, n_series)
    change = rng.randint(-(-length // 5), -(-4 * length // 5))  # 0.2 n <= change < 0.8 n
    sizes = [rng.uniform(*bounds, n_series) for bounds in (shift, deviation, amplitude)]
    size = np.choose(target, [np.zeros(n_series), *sizes])
    noise = rng.standard_normal((n_series, longest))
    # From 0 at the change point to 1 at the last value, of the columns that belong to a series.
    progress = (np.arange(longest) - change[:, None]) / (length - 1 - change)[:, None]
    values = _changed(noise, target[:, None], size[:, None], progress)
    return Bunch(
        data=[row[:n].copy() for row, n in zip(values, length.tolist(), strict=True)],
        target=target,
        target_names=list(_CLASSES),
        change_points=np.where(target > 0, change, -1),
        sizes=size,
    )


def _changed(
    noise: NDArray[np.float64], target: NDArray[np.int_], size: NDArray[np.float64], progress: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the series of each class; progress is negative before the change."""
    after = progress >= 0
    shifted = noise + size * after
    spread = np.where(after, noise * size, noise)
    rising = noise + size * np.maximum(progress, 0.0)
    return np.choose(target, [noise, shifted, spread, rising])


def _by_length(series: Any, max_series: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """Yield positions of at most `max_series` series of equal length, and these series with time first.

    Missing values at the end of a series are removed.
    """
    trimmed = [_trim(row, i) for i, row in enumerate(series.to_numpy() if hasattr(series, "to_numpy") else series)]
    if not trimmed:
        raise DataError("series is empty; at least one series is expected.")
    lengths = np.array([len(row) for row in trimmed])
    for length in np.unique(lengths):
        same = np.flatnonzero(lengths == length)
        for first in range(0, len(same), max_series):
            rows = same[first : first + max_series]
            yield rows, np.array([trimmed[i] for i in rows]).T.copy()


def _trim(row: Any, i: int) -> NDArray[np.float64]:
    try:
        values = np.asarray(row, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"Series {i} has values that are not numbers; numbers are expected.") from None
    if values.ndim != 1:
        raise DataError(f"Series {i} has {values.ndim} dimensions; a one-dimensional array is expected.")
    if np.isinf(values).any():
        raise DataError(f"Series {i} has infinite values; replace them by finite numbers or by missing values.")
    present = np.flatnonzero(~np.isnan(values))
    return values[: present[-1] + 1] if len(present) else values[:0]


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
    blocks = list(_by_length(series, _MOST_SERIES))
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


_MOST_SCORED = 64  # at a time: a block of windows per window is in memory


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
    blocks = list(_by_length(series, _MOST_SCORED))
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
                out[i, j] = _smallest_levels(p[:, ::jump], shares)
    return out


def _smallest_levels(p: Floats, shares: Sequence[float]) -> Floats:
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
