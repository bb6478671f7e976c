"""Indicators of series equal their definition by SciPy's exact p-values, and edges behave as documented."""

import numpy as np
import pandas as pd
import pytest
from oracle import windows as oracle

from bayesieve.datasets import aircraft_indicators, make_aircraft_series
from bayesieve.datasets.window_tests import Ranks, rank_statistics
from bayesieve.exceptions import DataError, ParameterError

SMALL = {
    "windows": (8, 12),
    "jumps": (1, 3),
    "levels": (0.05, 0.1, 0.5),
    "shares": (0.1, 0.3, 0.5),
    "series_levels": (0.01, 0.5),
}
FULL = {
    "windows": (30, 40, 50),
    "jumps": (1, 5, 10),
    "levels": (0.005, 0.1, 0.5),
    "shares": (0.1, 0.3, 0.5),
    "series_levels": (0.001, 0.005, 0.1, 0.5),
}


def check(series, grid):
    found = aircraft_indicators(series, **grid)
    assert found.data.dtype == np.uint8
    for row, values in zip(found.data, series, strict=True):
        assert dict(zip(found.feature_names, row.tolist(), strict=True)) == oracle.indicators(
            np.asarray(values), **grid
        )
    return found


@pytest.mark.slow
def test_the_full_grid_is_its_definition():
    data = make_aircraft_series(600, random_state=3)
    chosen = [np.flatnonzero(data.target == c)[0] for c in range(4)]
    found = check([data.data[i][:110] for i in chosen], FULL)
    assert found.data.shape == (4, 814)
    assert len(set(found.feature_names)) == 814
    assert "u_test[w=50, jump=1] <= 0.005" in found.feature_names


@pytest.mark.parametrize("digits", [0, 1, 6])
def test_small_windows_with_and_without_ties(digits):
    rng = np.random.default_rng(digits)
    series = [rng.normal(size=n).round(digits) for n in (12, 20, 20, 31)]
    series += [row + 2 * (np.arange(len(row)) > len(row) // 2) for row in series]
    check(series, SMALL)


def test_short_series_missing_values_and_constants():
    rng = np.random.default_rng(0)
    holes = rng.normal(size=30)
    holes[[9, 20]] = np.nan
    steps = np.repeat([1.0, 7.0, 7.0, 1.1], 8)
    series = [rng.normal(size=n) for n in (0, 1, 3, 4, 7, 8, 11)] + [holes, np.full(20, 0.1), steps]
    found = check(series, SMALL)
    assert not found.data[:5, :-2].any()  # no window fits
    assert not found.data[8].any()  # a constant series
    names = found.feature_names
    assert found.data[9, names.index("u_test[w=8, jump=1] <= 0.05")] == 1


def test_a_window_with_a_missing_value_rejects_nothing_and_still_counts():
    shifted = np.r_[np.zeros(10), np.ones(10)] + np.random.default_rng(0).normal(scale=0.01, size=20)
    grid = {"windows": (20,), "jumps": (1,), "levels": (0.05,), "shares": (0.5,), "series_levels": ()}
    assert aircraft_indicators([shifted], **grid).data[0, 0] == 1
    shifted[3] = np.nan
    assert not aircraft_indicators([shifted], **grid).data.any()


def test_the_end_of_a_row_may_be_padding():
    data = make_aircraft_series(30, random_state=0).data
    padded = np.full((30, 260), np.nan)
    for row, values in zip(padded, data, strict=True):
        row[: len(values)] = values
    expected = aircraft_indicators(data).data
    np.testing.assert_array_equal(aircraft_indicators(padded).data, expected)
    np.testing.assert_array_equal(aircraft_indicators(pd.DataFrame(padded)).data, expected)


def test_order_and_blocks_do_not_matter():
    data = make_aircraft_series(300, random_state=1, lengths=(100, 101)).data  # more than one block of a length
    expected = np.vstack([aircraft_indicators([row]).data for row in data[:20]])
    np.testing.assert_array_equal(aircraft_indicators(data).data[:20], expected)
    np.testing.assert_array_equal(aircraft_indicators(data[::-1]).data[::-1], aircraft_indicators(data).data)


def test_scale_and_location_do_not_matter():
    rows = [np.random.default_rng(i).normal(size=80) + (np.arange(80) > 40) for i in range(20)]
    expected = aircraft_indicators(rows)
    assert 0.1 < expected.data.mean() < 0.9
    np.testing.assert_array_equal(aircraft_indicators([2**20 + 2.0**-10 * row for row in rows]).data, expected.data)


@pytest.mark.parametrize("half", [25, 181, 182, 300])
def test_counts_of_pairs_do_not_overflow(half):
    rising = np.arange(2.0 * half)[:, None]
    difference, distance = rank_statistics(Ranks(rising, 2 * half), 1, half)
    assert (difference.item(), distance.item()) == (half * half, half)


@pytest.mark.parametrize(
    ("series", "words"),
    [
        ([], "series is empty"),
        ([[1.0, np.inf]], "Series 0 has infinite values"),
        ([[1.0], ["a"]], "Series 1 has values that are not numbers"),
        ([[[1.0]]], "Series 0 has 2 dimensions"),
    ],
)
def test_refused_series(series, words):
    with pytest.raises(DataError, match=words):
        aircraft_indicators(series)


@pytest.mark.parametrize("parameters", [{"windows": (31,)}, {"windows": (2,)}, {"levels": (0,)}, {"shares": (1.5,)}])
def test_refused_parameters(parameters):
    with pytest.raises(ParameterError):
        aircraft_indicators([[1.0, 2.0]], **parameters)
