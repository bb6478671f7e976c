"""Folds of rows in blocks have the rows of scikit-learn's StratifiedKFold."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from bayesieve.fit.block_folds import fold_shares


@pytest.mark.parametrize("seed", range(30))
def test_shares_of_classes_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    n_folds = int(rng.integers(2, 7))
    labels = rng.permutation(np.repeat(rng.permutation(20)[:4], [n_folds + 5, *rng.integers(1, 40, 3)]))
    _, firsts, codes, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        expected = list(StratifiedKFold(n_folds).split(labels, labels))
    shares = fold_shares(sizes, firsts, n_folds)
    assert shares.T.tolist() == [np.bincount(codes[test], minlength=4).tolist() for _, test in expected]
    # The rows of a class go to the folds in their order.
    ends = np.cumsum(shares, axis=1)
    fold_of_row = np.empty(len(labels), dtype=int)
    for c, own in enumerate(ends):
        rows = np.flatnonzero(codes == c)
        fold_of_row[rows] = own.searchsorted(np.arange(len(rows)), side="right")
    assert all((fold_of_row[test] == fold).all() for fold, (_, test) in enumerate(expected))


def test_rows_sorted_by_class_go_to_the_folds_in_turn():
    # b a a b b a a: the class b is first, so that its three rows go to the folds 0, 1, 2, and those of a to 0, 1, 2, 0.
    assert fold_shares(np.array([4, 3]), np.array([1, 0]), 3).tolist() == [[2, 1, 1], [1, 1, 1]]
