"""Simulated series follow their specification: seeded, and tested at levels that chance reaches once in thousands."""

import numpy as np
import pytest
from scipy import stats

from bayesieve.datasets import make_aircraft_series
from bayesieve.exceptions import ParameterError

N = 6000
SERIES = make_aircraft_series(N, random_state=0)
LENGTHS = np.array([len(row) for row in SERIES.data])
RARE = 1e-3


def parts(c):
    """Return values before and after the change, of each series of a class, with its size and length."""
    for i in np.flatnonzero(SERIES.target == c):
        row, change = SERIES.data[i], SERIES.change_points[i]
        yield row[:change], row[change:], SERIES.sizes[i]


def is_standard(values):
    return stats.kstest(values, stats.norm.cdf).pvalue > RARE


def test_classes_and_their_order():
    assert np.bincount(SERIES.target).tolist() == [3000, 1000, 1000, 1000]
    assert SERIES.target_names == ["normal", "mean shift", "variance shift", "trend"]
    # Shuffled: about half of each half is normal (hypergeometric, standard deviation 19).
    assert abs((SERIES.target[: N // 2] == 0).sum() - 1500) < 4 * 19.4
    assert np.bincount(make_aircraft_series(20, random_state=0).target).tolist() == [11, 3, 3, 3]


def test_lengths_are_uniform():
    counts = np.bincount(LENGTHS, minlength=201)[100:]
    assert len(counts) == 101
    assert stats.chisquare(counts).pvalue > RARE


def test_change_points_are_uniform_in_the_central_part():
    changed = SERIES.target > 0
    assert (SERIES.change_points[~changed] == -1).all()
    change, length = SERIES.change_points[changed], LENGTHS[changed]
    assert (5 * change >= length).all()
    assert (5 * change < 4 * length).all()
    # The discrete law, made continuous by half a step.
    low, high = np.ceil(length / 5), np.ceil(4 * length / 5)
    uniform = (change - low + np.random.default_rng(0).random(len(change))) / (high - low)
    assert stats.kstest(uniform, "uniform").pvalue > RARE


@pytest.mark.parametrize(("c", "low", "high"), [(1, 1, 5), (2, 2, 6), (3, 1, 5)])
def test_sizes_are_uniform(c, low, high):
    sizes = SERIES.sizes[SERIES.target == c]
    assert stats.kstest(sizes, stats.uniform(low, high - low).cdf).pvalue > RARE


def test_normal_series_are_white_noise():
    normal = [SERIES.data[i] for i in np.flatnonzero(SERIES.target == 0)]
    assert (SERIES.sizes[SERIES.target == 0] == 0).all()
    assert is_standard(np.concatenate(normal))
    neighbors = np.concatenate([row[:-1] * row[1:] for row in normal])
    assert abs(neighbors.mean()) < 4 / np.sqrt(len(neighbors))


def test_what_is_left_after_undoing_the_change_is_white_noise():
    undo = {
        1: lambda after, size: after - size,
        2: lambda after, size: after / size,
        3: lambda after, size: after - size * np.linspace(0, 1, len(after)),
    }
    for c, undone in undo.items():
        before, after = zip(*((first, undone(second, size)) for first, second, size in parts(c)), strict=True)
        assert is_standard(np.concatenate(before)), c
        assert is_standard(np.concatenate(after)), c
        starts = np.array([row[0] for row in after])
        ends = np.array([row[-1] for row in after])
        assert is_standard(starts), c
        assert is_standard(ends), c


def test_the_seed_decides_all():
    again, other = make_aircraft_series(50, random_state=7), make_aircraft_series(50, random_state=8)
    same = make_aircraft_series(50, random_state=7)
    assert all(np.array_equal(a, b) for a, b in zip(again.data, same.data, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(again.data, other.data, strict=True))


@pytest.mark.parametrize("parameters", [{"n_series": 0}, {"lengths": (4, 9)}, {"lengths": (30, 20)}])
def test_refused(parameters):
    with pytest.raises(ParameterError, match="at least 1 series of at least 5 values"):
        make_aircraft_series(**parameters)
