"""Likelihoods as Weka estimates them: one column by hand, and a table against scikit-learn's Gaussian naive Bayes."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.naive_bayes import GaussianNB

from bayesieve.evaluation.encodings import Likelihoods
from bayesieve.evaluation.labeled_table import LabeledTable
from bayesieve.papers.paper_001.gaussian_naive_bayes import SummedLikelihoods


def test_a_small_column_by_hand():
    X = pd.DataFrame({"a": [1.0, 2.0, 4.0, np.nan, 2.0, 9.0], "b": ["u", "v", "u", None, "u", "w"]})
    y = np.array([0, 0, 1, 1, 1, 0])
    train, test = np.arange(5), np.array([3, 5])
    data = LabeledTable(X, y)
    numbers, labels = (Likelihoods(data, train, test).pick([j]) for j in (0, 1))
    precision = 1.5  # of 1, 2, 4; rounded to its multiples: 1.5, 1.5, 4.5 and 1.5
    spread = np.array([precision / 6, 1.5])  # class 0 has one value, class 1 has 4.5 and 1.5
    z = (1.5 - np.array([1.5, 3.0])) / spread, precision / 2 / spread
    assert numbers[0][0] == pytest.approx(np.log(norm.cdf(z[0] + z[1]) - norm.cdf(z[0] - z[1])))
    assert numbers[0][3].tolist() == [0, 0]  # missing
    assert numbers[1][1][0] == pytest.approx(np.log(1e-75))  # 9 is 30 deviations from class 0
    # Labels u and v; class 0 has both, class 1 has u twice.
    assert np.exp(labels[0][0]) == pytest.approx([2 / 4, 3 / 4])
    assert np.exp(labels[0][1]) == pytest.approx([2 / 4, 1 / 4])
    assert labels[1].tolist() == [[0, 0], [0, 0]]  # a missing one, and w, which the training rows do not have


def test_numbers_without_ties_are_gaussian_naive_bayes():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat([0, 1], 2000))
    X = rng.normal(size=(4000, 3)) + 0.5 * y[:, None]
    train, test = np.arange(3500), np.arange(3500, 4000)
    encoded = Likelihoods(LabeledTable(X, y), train, test).pick([0, 1, 2])
    ours = SummedLikelihoods().fit(encoded[0], y[train]).predict_proba(encoded[1])
    theirs = GaussianNB().fit(X[train], y[train]).predict_proba(X[test])
    assert ours == pytest.approx(theirs, abs=2e-3)
