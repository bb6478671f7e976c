"""Folds have the rows of scikit-learn's StratifiedKFold."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from bayesieve.fit.stratified_folds import fold_shares, stratified_folds


@pytest.mark.parametrize("seed", range(30))
def test_folds_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    n_folds = int(rng.integers(2, 7))
    labels = rng.permutation(np.repeat(rng.permutation(20)[:4], [n_folds + 5, *rng.integers(1, 40, 3)]))
    for state in (None, 0, seed, np.random.RandomState(seed)):
        splitter = StratifiedKFold(n_folds, shuffle=state is not None, random_state=state)
        drawn = np.random.RandomState(seed) if isinstance(state, np.random.RandomState) else state
        own = np.random.RandomState(drawn) if isinstance(drawn, int) else drawn
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class")
            expected = list(splitter.split(labels, labels))
        for (a, b), (c, d) in zip(expected, stratified_folds(labels, n_folds, own), strict=True):
            assert a.tolist() == c.tolist()
            assert b.tolist() == d.tolist()
            assert (a.dtype, b.dtype) == (c.dtype, d.dtype)


def test_rows_sorted_by_class_go_to_the_folds_in_turn():
    # b a a b b a a: the class b is first, so that its three rows go to the folds 0, 1, 2, and those of a to 0, 1, 2, 0.
    assert fold_shares(np.array([4, 3]), np.array([1, 0]), 3).tolist() == [[2, 1, 1], [1, 1, 1]]
    tested = [test.tolist() for _, test in stratified_folds(np.array([1, 0, 0, 1, 1, 0, 0]), 3)]
    assert tested == [[0, 1, 2], [3, 5], [4, 6]]
