"""Indices of stability by hand, and for random subsets."""

from math import isnan

import numpy as np
import pytest

from bayesieve.evaluation.result import jaccard, kuncheva


def test_by_hand():
    # Two of three columns in common, out of ten: (2 × 10 - 9) / (3 × 7).
    assert kuncheva([{0, 1, 2}, {1, 2, 3}], 10) == pytest.approx(11 / 21)
    assert jaccard([{0, 1, 2}, {1, 2, 3}]) == 2 / 4
    assert kuncheva([{0, 1}, {0, 1}, {0, 1}], 5) == jaccard([{0, 1}, {0, 1}]) == 1
    assert kuncheva([{0}, {1}], 2) == -1
    assert jaccard([set(), set()]) == 1
    # A subset within a larger one has the largest index.
    assert kuncheva([{0}, {0, 1}], 4) == 1


def test_nothing_to_choose_or_to_compare():
    assert isnan(kuncheva([{0, 1}, {0, 1}], 2))
    assert isnan(kuncheva([set(), {1}], 2))
    assert isnan(kuncheva([{0}], 2))
    assert isnan(jaccard([{0}]))


def test_random_subsets_have_an_index_of_zero():
    rng = np.random.default_rng(0)
    subsets = [set(rng.choice(30, 10, replace=False).tolist()) for _ in range(60)]
    assert abs(kuncheva(subsets, 30)) < 0.02
