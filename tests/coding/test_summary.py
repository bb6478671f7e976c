"""Weights of bins, recounted row by row in Python's integers."""

import numpy as np
import pytest

from bayesieve.coding import Summary, occurring, sum_by_bin
from bayesieve.coding.binning_rule import sum_by_bin_numpy


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
