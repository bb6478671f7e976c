"""Curves, deciles, histograms and intervals against direct computation."""

import numpy as np
import pytest
from scipy.stats import binomtest

from bayesieve.report.curves import (
    calibration,
    deciles,
    describe_curves,
    histogram,
    rows_per_group,
    wilson_interval,
)


@pytest.mark.parametrize(("n_positive", "n_rows"), [(0, 1), (3, 3), (7, 20), (1, 5000), (250, 1000)])
def test_wilson_intervals_are_those_of_scipy(n_positive, n_rows):
    expected = binomtest(n_positive, n_rows).proportion_ci(method="wilson")
    assert [float(end) for end in wilson_interval(n_positive, n_rows)] == pytest.approx(list(expected), abs=1e-6)


def test_without_rows_nothing_is_known_of_a_share():
    assert [float(end) for end in wilson_interval(0, 0)] == [0.0, 1.0]


def random_rows(n_rows, n_levels, seed=0):
    rng = np.random.default_rng(seed)
    probabilities = rng.integers(n_levels, size=n_rows) / (n_levels - 1)
    return probabilities, rng.random(n_rows) < probabilities


def test_deciles_count_the_most_probable_rows_first():
    probabilities, positive = random_rows(1003, 10**6)
    found = deciles(probabilities, positive)
    assert sum(found.n_rows) == 1003
    assert set(found.n_rows) <= {100, 101}
    order, start = np.argsort(-probabilities), 0
    for n, n_positive, lowest in zip(found.n_rows, found.n_positive, found.lowest, strict=True):
        rows = order[start : start + n]
        assert n_positive == positive[rows].sum()
        assert lowest == pytest.approx(probabilities[rows].min(), rel=1e-5)
        start += n


def test_ties_share_their_positives_whatever_the_order_of_the_rows():
    probabilities, positive = random_rows(500, 4)
    turned = deciles(probabilities[::-1], positive[::-1])
    assert deciles(probabilities, positive) == turned
    assert sum(turned.n_positive) == pytest.approx(positive.sum(), rel=1e-5)
    constant = deciles(np.full(100, 0.3), np.arange(100) < 30)
    assert constant.n_positive == [3.0] * 10


def test_rows_of_a_group_count_as_one_observation():
    assert rows_per_group(np.array(["a", "b", "c"])) == 1.0
    assert rows_per_group(np.array([0, 0, 1, 1, 1, 1])) == pytest.approx((2 * 2 + 4 * 4) / 6)
    probabilities, positive = random_rows(100, 10**6)
    assert wilson_interval(12, 80, 4) == wilson_interval(3, 20)
    plain = calibration(probabilities, positive)
    copied = calibration(np.repeat(probabilities, 4), np.repeat(positive, 4), 4.0)
    assert (copied.low, copied.high) == (plain.low, plain.high)


def test_three_rows_have_three_groups():
    found = deciles(np.array([0.1, 0.9, 0.5]), np.array([False, True, True]))
    assert found.n_rows == [1, 1, 1]
    assert found.n_positive == [1, 1, 0]


def test_the_histogram_counts_every_row_once():
    probabilities, positive = random_rows(777, 41)
    bars = histogram(probabilities, positive)
    assert sum(bars.positive) == positive.sum()
    assert sum(bars.others) == (~positive).sum()
    edges = np.linspace(0, 1, 21)
    expected, _ = np.histogram(probabilities + 1e-12, edges)
    assert np.add(bars.positive, bars.others)[:-1].tolist() == expected[:-1].tolist()


def test_calibration_has_the_intervals_of_its_groups():
    groups = calibration(*random_rows(400, 10**6))
    for observed, low, high, n in zip(groups.observed, groups.low, groups.high, groups.n_rows, strict=True):
        expected = wilson_interval(observed * n, n)
        assert [low, high] == pytest.approx([float(end) for end in expected], abs=1e-4)


def test_many_curves_have_fewer_thresholds():
    probabilities, positive = random_rows(2000, 10**6)
    both = np.stack([1 - probabilities, probabilities], axis=1)
    few, many = (describe_curves(both, positive.astype(np.intp), 1, None, n) for n in (1, 100))
    assert len(many.threshold) < len(few.threshold) / 3
    assert few.deciles == many.deciles
