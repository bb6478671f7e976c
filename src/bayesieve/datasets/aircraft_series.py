# SPDX-License-Identifier: BSD-3-Clause
"""Simulated measurements of aircraft engines, in which a change may occur."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch, check_random_state

from bayesieve.exceptions import ParameterError

__all__ = ["make_aircraft_series"]

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
