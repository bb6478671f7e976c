"""Weights of bins, recounted row by row in Python's integers."""

import numpy as np
import pytest

from bayesieve._native import core
from bayesieve.bins import BinLearner, DistinctValues, Intervals, Summary, occurring, sum_by_bin
from bayesieve.bins.summary import sum_by_bin_numpy, sum_by_bins, sum_by_bins_numpy
from bayesieve.data import Strata, Values, read_table


@pytest.mark.parametrize("weight", [2**53 - 1, 2**53, 2**53 + 1, 2**60 + 1])
def test_one_cell_at_the_end_of_exact_floats(weight):
    sums = sum_by_bin(np.zeros(80, dtype=np.intp), np.array([[weight]] + [[1]] * 79), 1)
    assert sums.tolist() == [[weight + 79]]


@pytest.mark.parametrize("high", [2, 2**31, 2**55])
@pytest.mark.parametrize("most", [8, 200])
def test_bins_by_recounting(high, most):
    rng = np.random.default_rng(1)
    for _ in range(200):
        n_labels, n_classes, n_codes = int(rng.integers(1, most)), int(rng.integers(1, 5)), int(rng.integers(1, 12))
        bins = rng.integers(0, n_codes, n_labels)
        counts = rng.integers(0, high, (n_labels, n_classes)) // n_labels
        expected = [[0] * n_classes for _ in range(n_codes)]
        for part, row in zip(bins.tolist(), counts.tolist(), strict=True):
            expected[part] = [a + b for a, b in zip(expected[part], row, strict=True)]
        for add_up in (sum_by_bin, sum_by_bin_numpy):
            sums = add_up(bins, counts, n_codes)
            assert sums.dtype == np.int64
            assert sums.tolist() == expected
        assert occurring(counts).tolist() == [any(row) for row in counts.tolist()]


def test_bins_of_several_columns_are_those_of_each_alone():
    rng = np.random.default_rng(2)
    for _ in range(100):
        n_columns, n_classes = int(rng.integers(1, 6)), int(rng.integers(1, 5))
        n_codes, n_labels = rng.integers(1, 9, n_columns), rng.integers(1, 40, n_columns)
        bins = [rng.integers(0, k, n) for k, n in zip(n_codes, n_labels, strict=True)]
        counts = rng.integers(0, 50, (int(n_labels.sum()), n_classes))
        parts = np.split(counts, np.cumsum(n_labels)[:-1])
        alone = [sum_by_bin(b, part, int(k)) for b, part, k in zip(bins, parts, n_codes, strict=True)]
        offsets = np.append(0, np.cumsum(n_codes))
        for add_up in (sum_by_bins, sum_by_bins_numpy):
            np.testing.assert_array_equal(add_up(bins, counts, offsets), np.concatenate(alone))


@pytest.mark.skipif(core is None, reason="the compiled core checks its input")
def test_bins_out_of_range_are_refused():
    counts, offsets = np.ones((3, 2), dtype=np.int64), np.array([0, 2, 3])
    for bins in ([[0, 2], [0]], [[0, 1], [1]], [[0, -1], [0]]):
        with pytest.raises(ValueError, match="bins must be from 0 to n_bins - 1"):
            core.add_by_bins([np.array(each) for each in bins], counts, offsets)
    with pytest.raises(ValueError, match="one entry per row of counts"):
        core.add_by_bins([np.array([0]), np.array([0])], counts, offsets)
    with pytest.raises(ValueError, match="one entry more than bins"):
        core.add_by_bins([np.array([0, 1, 0])], counts, offsets)


def test_many_sorted_labels_have_the_bins_of_single_ones():
    rng = np.random.default_rng(3)
    for _ in range(100):
        labels = np.unique(rng.integers(0, 200, int(rng.integers(1, 300))) / 4.0)
        bounds = np.unique(rng.integers(-8, 208, int(rng.integers(1, 12))) / 4.0)
        found = Intervals(bounds, missing=True).bins_of(Values("a", labels))
        assert found.tolist() == [*(int((bounds < label).sum()) for label in labels), len(bounds) + 1]


def test_mass_leaves_missing_out():
    summary = Summary("a", ("x", "y"), np.array([[1, 2], [0, 0], [0, 3]]), 1.0)
    assert summary.mass.tolist() == [3, 0]
    assert summary.missing
    assert not Summary("a", ("x",), np.array([[1, 2], [0, 0]]), 1.0).missing


def test_columns_with_the_same_values_have_the_bins_that_each_has_alone():
    rng = np.random.default_rng(9)
    X = rng.integers(0, 3, (60, 12)) * rng.choice([1.0, 0.5], 12)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 3] = X[:, 7]
    X[:20, 5] = np.nan
    batch = read_table(X).batch(0, 12)
    for rows in (np.arange(60), np.arange(20), np.flatnonzero(X[:, 3] > 0)):
        strata = Strata(rng.integers(0, 2, 60).astype(np.int32), 2, np.isin(np.arange(60), rows).astype(np.int64))
        together = BinLearner(batch, DistinctValues(), 1.0).learn(batch.count(strata))
        for j, bins in enumerate(together):
            one = batch.take(np.array([j]))
            (alone,) = BinLearner(one, DistinctValues(), 1.0).learn(one.count(strata))
            assert bins.partition == alone.partition
            assert bins.n_bins == alone.partition.n_bins
            np.testing.assert_array_equal(bins.bin_of_label, alone.bin_of_label)
            np.testing.assert_array_equal(bins.counts, alone.counts)
