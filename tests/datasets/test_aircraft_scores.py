"""P-values as scores: compared with levels, they are the indicators, and they are SciPy's p-values."""

import numpy as np
import pytest
from scipy import stats

from bayesieve import IndicatorGrid
from bayesieve.datasets import aircraft_indicators, aircraft_scores, make_aircraft_series
from bayesieve.exceptions import ParameterError

LEVELS, SERIES_LEVELS = (0.005, 0.1, 0.5), (0.001, 0.005, 0.1, 0.5)


def test_a_grid_of_levels_gives_the_indicators():
    data = [*make_aircraft_series(16, random_state=3).data, np.zeros(110), np.arange(20.0)]
    data[1][40] = np.nan
    scores, indicators = aircraft_scores(data), aircraft_indicators(data)
    assert scores.data.shape == (18, 271)
    levels = {j: LEVELS if j < 270 else SERIES_LEVELS for j in range(271)}
    grid = IndicatorGrid(levels, merge=False).fit_transform(scores.data)
    names = [f"{name} <= {level:g}" for j, name in enumerate(scores.feature_names) for level in levels[j]]
    assert names == indicators.feature_names
    np.testing.assert_array_equal(grid, indicators.data)


def test_scores_are_the_p_values_of_scipy():
    (values,) = make_aircraft_series(1, random_state=5).data
    found = aircraft_scores([values], windows=[30], jumps=[7], shares=[0.4])
    windows = np.lib.stride_tricks.sliding_window_view(values, 30)[::7]
    p = np.array([stats.mannwhitneyu(each[:15], each[15:], method="exact").pvalue for each in windows])
    k = int(np.ceil(0.4 * len(p)))
    runs = np.lib.stride_tricks.sliding_window_view(p, k)
    expected = {
        "u_test[w=30, jump=7]": p.min(),
        "u_test[w=30, jump=7, ratio=0.4]": np.sort(p)[k - 1],
        "u_test[w=30, jump=7, run=0.4]": runs.max(axis=1).min(),
        "u_test[w=30, jump=7, block=0.4]": np.sort(runs, axis=1)[:, (k + 1) // 2 - 1].min(),
        "ks_test[w=30, jump=7]": min(stats.ks_2samp(each[:15], each[15:], method="exact").pvalue for each in windows),
    }
    for name, score in expected.items():
        assert found.data[0, found.feature_names.index(name)] == pytest.approx(score, rel=1e-9), name


def test_an_odd_window_is_refused():
    with pytest.raises(ParameterError, match="windows has 31; even lengths"):
        aircraft_scores([np.zeros(50)], windows=[31])
