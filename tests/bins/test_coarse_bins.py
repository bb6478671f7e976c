"""Pair bins are unions of fine bins."""

from itertools import combinations

import numpy as np
import pytest
from draws import draws

from bayesieve.bins.merge import coarse_bins


def brute_force(mass, most):
    """The least sum of squared weights of at most `most` runs of fine bins, with heavy ones alone if that can be."""
    n = len(mass)
    splits = [np.split(mass, list(c)) for c in combinations(range(1, n), min(most, n) - 1)]
    heavy = mass.sum() / most
    alone = [parts for parts in splits if all(len(part) == 1 or part.max() < heavy for part in parts)]
    return min(sum(part.sum() ** 2 for part in parts) for parts in alone or splits)


@pytest.mark.parametrize("seed", range(draws(12, 30)))
def test_intervals_are_as_equal_as_can_be(seed):
    random = np.random.default_rng(seed)
    mass = random.integers(0, 20, random.integers(1, 10)).astype(float)
    bins = coarse_bins(np.column_stack([mass, mass]) / 2, nominal=False, has_missing=False, most=4)
    assert bins[0] == 0
    assert set(np.diff(bins)) <= {0, 1}
    assert bins.max() < 4
    sums = np.bincount(bins, mass)
    assert (sums**2).sum() == pytest.approx(brute_force(mass, 4))


def test_equal_bins_have_equal_frequencies():
    bins = coarse_bins(np.ones((64, 2)), nominal=False, has_missing=False)
    assert np.bincount(bins).tolist() == [8] * 8


def test_a_heavy_bin_stays_alone_and_missing_values_are_last():
    counts = np.ones((20, 2))
    counts[7] = 500
    bins = coarse_bins(counts, nominal=False, has_missing=True)
    assert (bins == bins[7]).sum() == 1
    assert bins[-1] == bins.max() == 7
    assert (bins == 7).sum() == 1


def test_rare_categories_are_pooled_and_bins_ordered_by_rate():
    mass, rate = np.array([90, 1, 80, 2, 70, 60, 3]), np.array([0.9, 1.0, 0.1, 0.0, 0.5, 0.3, 0.0])
    counts = np.column_stack([mass * (1 - rate), mass * rate])
    bins = coarse_bins(counts, nominal=True, has_missing=False, most=5)
    assert bins[1] == bins[3] == bins[6]  # of 6 rows, one is of class 1
    assert bins.tolist() == [4, 1, 0, 1, 3, 2, 1]


@pytest.mark.parametrize("nominal", [False, True])
def test_few_bins_are_kept(nominal):
    counts = np.array([[3, 1], [2, 2], [1, 5]])
    assert coarse_bins(counts, nominal=nominal, has_missing=False).tolist() == [0, 1, 2]
    assert coarse_bins(counts, nominal=nominal, has_missing=True).tolist() == [0, 1, 2]
    assert coarse_bins(counts[:1], nominal=nominal, has_missing=True).tolist() == [0]
    assert coarse_bins(counts[:1], nominal=nominal, has_missing=False).tolist() == [0]
