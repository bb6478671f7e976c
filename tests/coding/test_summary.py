"""Weights of bins, recounted row by row in Python's integers."""

import numpy as np
import pytest

from bayesieve.coding import BinLearner, DistinctValues, Summary, occurring, sum_by_bin
from bayesieve.coding.binning_rule import sum_by_bin_numpy
from bayesieve.data import Strata, read_table


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
