"""Bins that are merged: prices against all cuts, Ward's rule against every pair, and partitions after a merging."""

from itertools import product

import numpy as np
import pytest
from draws import draws
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from bayesieve._native import available
from bayesieve.bins import Intervals, merge_bins
from bayesieve.bins.merge import merge_scores, merge_scores_numpy, ward_blocks

compiled = pytest.mark.skipif(not available(), reason="no compiled core")


PRICES = (1e-6, 1e-4, 0.01, 0.05, 0.3, 2.0, 100.0)


def random_scores(seed, n, n_scores):
    rng = np.random.default_rng(seed)
    return rng.integers(-3, 4, (n, n_scores)) / 2.0, rng.gamma(1.0, 2.0, (n, n_scores)) + 1e-6


def brute_force_merge(scores, weights, price):
    """Return the least cost over all cuts, and the cost of cuts."""

    def cost(cuts):
        total = 0.0
        for part in np.split(np.arange(len(scores)), np.flatnonzero(cuts) + 1):
            mean = np.average(scores[part], axis=0, weights=weights[part])
            total += 0.5 * (weights[part] * (scores[part] - mean) ** 2).sum() + price
        return total

    return min(cost(cuts) for cuts in product((False, True), repeat=len(scores) - 1)), cost


@pytest.mark.parametrize("n_scores", [1, 2, 4])
@pytest.mark.parametrize("seed", range(draws(8, 30)))
def test_merged_scores_have_the_least_cost_of_all_cuts(seed, n_scores):
    scores, weights = random_scores(seed, 1 + seed % 8, n_scores)
    for price in PRICES:
        merged = merge_scores_numpy(scores, weights, price)
        best, cost = brute_force_merge(scores, weights, price)
        assert_allclose(cost(np.diff(merged) > 0), best, rtol=1e-9, atol=1e-12)


@compiled
@pytest.mark.parametrize("n_scores", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(draws(8, 30)))
def test_compiled_merging_is_its_twin(seed, n_scores):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 200))
    scores = np.round(rng.normal(size=(n, n_scores)), 1)
    for values, weights in ((scores, rng.gamma(1.0, 2.0, (n, n_scores)) + 1e-6), random_scores(seed, n, n_scores)):
        for price in PRICES:
            assert_array_equal(merge_scores(values, weights, price), merge_scores_numpy(values, weights, price))


@pytest.mark.parametrize("seed", range(draws(4, 10)))
def test_merging_is_common_to_the_classes(seed):
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(1, 40)), int(rng.integers(1, 5))
    scores, weights = np.round(rng.normal(size=(n, n_classes)), 1), rng.gamma(1.0, 2.0, (n, n_classes)) + 1e-6
    for price in (1e-4, 0.05, 2.0):
        merged = merge_scores_numpy(scores, weights, price)
        assert_array_equal(merge_scores(scores, weights, price), merged)

    def cost(bins, price):
        own = [slice(*np.flatnonzero(bins == b)[[0, -1]] + [0, 1]) for b in np.unique(bins)]
        squares = sum(
            (weights[part] * (scores[part] - np.average(scores[part], axis=0, weights=weights[part])) ** 2).sum()
            for part in own
        )
        return squares / 2 + price * len(own)

    one_class_only = merge_scores_numpy(scores[:, 0], weights[:, 0], 0.05)
    assert cost(merge_scores_numpy(scores, weights, 0.05), 0.05) <= cost(one_class_only, 0.05) + 1e-9


def loss(points, mass):
    """Return the sum over points of mass x squared distance from their mean."""
    if mass.sum() == 0:
        return 0.0
    mean = mass @ points / mass.sum()
    return float((mass[:, None] * (points - mean) ** 2).sum())


def brute_force(points, mass, n_blocks):
    """Join the neighbors whose union loses least, by the definition of a loss."""
    blocks = [[i] for i in range(len(points))]
    while len(blocks) > n_blocks:
        rises = []
        for k in range(len(blocks) - 1):
            whole, parts = blocks[k] + blocks[k + 1], (blocks[k], blocks[k + 1])
            rises.append(loss(points[whole], mass[whole]) - sum(loss(points[b], mass[b]) for b in parts))
        k = int(np.argmin(np.round(rises, 9)))
        blocks[k : k + 2] = [blocks[k] + blocks[k + 1]]
    return [block[0] for block in blocks[1:]]


@given(st.integers(0, 2**32), st.integers(1, 8), st.integers(1, 8), st.integers(1, 3))
def test_ward(seed, n_points, n_blocks, n_classes):
    rng = np.random.default_rng(seed)
    points, mass = rng.normal(size=(n_points, n_classes)), rng.integers(1, 9, n_points).astype(float)
    assert ward_blocks(points, mass, n_blocks).tolist() == brute_force(points, mass, n_blocks)


def test_level_and_counts_of_the_former_partition_are_dropped():
    bins = Intervals(np.array([1.0, 2.0]), False, level=0.5)
    merged, new = merge_bins(bins, [[0, 1], [2]])
    assert (merged.level, merged.counts, new.tolist()) == (None, None, [0, 0, 1, 2])
