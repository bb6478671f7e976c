"""`compare` against SciPy, against values by hand, and over data sets."""

from math import isnan, sqrt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

from bayesieve import FilterSelector, compare, evaluate
from bayesieve.evaluation.comparison import corrected_t, friedman, holm, mean_ranks, nemenyi_difference, signed_rank
from bayesieve.exceptions import DataError, ParameterError


def tidy(values, data="d", metric="accuracy"):
    """Return the tidy table of selectors with one value per fold."""
    rows = [
        {
            "data": data,
            "selector": name,
            "classifier": "c",
            "fold": fold,
            "n_train": 30,
            "n_test": 10,
            "size": 1,
            metric: value,
        }
        for name, folds in values.items()
        for fold, value in enumerate(folds)
    ]
    return pd.DataFrame(rows)


def test_corrected_t_by_hand_and_without_correction():
    differences = np.array([0.1, 0.3, -0.1, 0.1])
    variance = (0 + 0.04 + 0.04 + 0) / 3
    error, t, p = corrected_t(differences, 1 / 3)
    assert error == pytest.approx(sqrt((1 / 4 + 1 / 3) * variance))
    assert t == pytest.approx(0.1 / error)
    assert p == pytest.approx(2 * stats.t.sf(0.1 / error, 3))
    plain = stats.ttest_1samp(differences, 0)
    assert corrected_t(differences, 0.0)[1:] == pytest.approx((plain.statistic, plain.pvalue))
    assert corrected_t(np.zeros(3), 0.1)[1:] == (0, 1)
    assert corrected_t(np.full(3, 2.0), 0.1)[2] == 0
    assert isnan(corrected_t(np.array([1.0]), 0.1)[2])


def test_signed_ranks():
    differences = np.array([0.3, -0.1, 0.5, 0.7, 0.2, 0.9, -0.4])
    # Ranks of the negative ones, 1 and 4, add up to 5; of the 2^7 signs, 10 give 5 or less.
    assert signed_rank(differences) == pytest.approx((5, 2 * 10 / 128))
    assert signed_rank(np.zeros(4))[1] == 1
    tied = np.array([0.1, 0.1, -0.1, 0.2, 0.0, 0.3])
    assert signed_rank(tied)[1] == pytest.approx(stats.wilcoxon(tied, zero_method="zsplit", method="approx").pvalue)


def test_holm_by_hand():
    assert holm([0.04, 0.01, 0.03, float("nan")])[:3] == pytest.approx([0.06, 0.03, 0.06])
    assert isnan(holm([0.04, float("nan")])[1])
    assert holm([0.6, 0.9]) == [1, 1]


@pytest.mark.parametrize("digits", [1, 6])  # with ties, and without
def test_friedman_agrees_with_scipy(digits):
    values = np.round(np.random.default_rng(0).random((9, 4)) + np.arange(4) / 5, digits)
    expected = stats.friedmanchisquare(*values.T)
    chi, p, p_f = friedman(values)
    assert (chi, p) == pytest.approx((expected.statistic, expected.pvalue))
    f = 8 * chi / (9 * 3 - chi)
    assert p_f == pytest.approx(stats.f.sf(f, 3, 24))
    assert mean_ranks(values).sum() == pytest.approx(10)


def test_critical_difference_of_the_literature():
    # Demšar (2006), table 5 and its example: q = 2.569 for four classifiers, 14 data sets: CD = 1.25.
    assert nemenyi_difference(4, 14) == pytest.approx(2.569 * sqrt(4 * 5 / (6 * 14)), abs=1e-3)


def test_folds_of_one_set():
    first, second = [0.8, 0.7, 0.9, 0.8], [0.7, 0.7, 0.8, 0.9]
    comparison = compare(tidy({"a": first, "b": second}))
    assert comparison.test == "corrected t"
    pair = comparison.pair("a", "b")
    assert pair.difference == pytest.approx(0.025)
    assert pair.standard_error == pytest.approx(corrected_t(np.subtract(first, second), 1 / 3)[0])
    assert (pair.wins, pair.losses, pair.ties) == (2, 1, 1)
    reversed_pair = comparison.pair("b", "a")
    assert (reversed_pair.wins, reversed_pair.difference, reversed_pair.statistic) == (
        1,
        -pair.difference,
        -pair.statistic,
    )
    assert reversed_pair.p_value == pair.p_value
    assert comparison.means == pytest.approx({"a": 0.8, "b": 0.775})
    assert comparison.ranks == {"a": (1 + 1.5 + 1 + 2) / 4, "b": (2 + 1.5 + 2 + 1) / 4}
    assert isnan(comparison.critical_difference)
    loss = compare(tidy({"a": first, "b": second}, metric="log_loss"), "log_loss")
    assert loss.pairs[0].wins == 1
    assert loss.ranks["b"] < loss.ranks["a"]


def test_several_sets():
    rng = np.random.default_rng(0)
    frames, means = [], []
    for i in range(8):
        values = {name: (rng.random(5) + k / 10).tolist() for k, name in enumerate("abc")}
        means.append([np.mean(each) for each in values.values()])
        frames.append(tidy(values, f"set {i}"))
    table = pd.concat(frames)
    comparison = compare(table)
    means = np.array(means)
    assert comparison.test == "wilcoxon"
    raw = [stats.wilcoxon(means[:, a] - means[:, b]).pvalue for a, b in ((0, 1), (0, 2), (1, 2))]
    assert [pair.p_value for pair in comparison.pairs] == pytest.approx(raw)
    assert [pair.p_adjusted for pair in comparison.pairs] == pytest.approx(holm(raw))
    assert comparison.friedman[0] == pytest.approx(stats.friedmanchisquare(*means.T).statistic)
    assert list(comparison.ranks.values()) == pytest.approx(stats.rankdata(-means, axis=1).mean(axis=0))
    assert comparison.to_frame()["first"].tolist() == ["a", "a", "b"]
    polars = compare(pl.DataFrame(table.to_dict("list")))
    assert [pair.p_value for pair in polars.pairs] == [pair.p_value for pair in comparison.pairs]
    assert isinstance(polars.to_frame(), pl.DataFrame)
    with pytest.raises(ParameterError, match="on one data set, got 8"):
        compare(table, test="corrected t")


def test_of_an_evaluation():
    X, y = load_breast_cancer(return_X_y=True)
    selectors = {score: FilterSelector(score, n_features=3) for score in ("mutual_info", "mrmr")}
    comparison = evaluate(selectors, GaussianNB(), (X[::4, :9], y[::4]), sizes=[1, 3], cv=3)
    one = compare(comparison, "auc", sizes=3)
    means = comparison.to_frame().query("size == 3").groupby("selector")["auc"].mean()
    assert one.means == pytest.approx(means.to_dict())
    both = compare(comparison, "auc", among=("selector", "classifier"))
    assert list(both.means) == ["mutual_info + GaussianNB", "mrmr + GaussianNB"]
    assert compare(comparison.to_frame(), "auc").pairs == compare(comparison, "auc").pairs


def test_refusals():
    table = tidy({"a": [0.1, 0.2], "b": [0.1, 0.2]})
    with pytest.raises(ParameterError, match="metric must be one of"):
        compare(table, "speed")
    with pytest.raises(ParameterError, match="test must be"):
        compare(table, test="z")
    with pytest.raises(ParameterError, match="among must be"):
        compare(table, among="fold")
    with pytest.raises(ParameterError, match="'a' and 'z' were not compared"):
        compare(table).pair("a", "z")
    with pytest.raises(DataError, match="needs two methods"):
        compare(tidy({"a": [0.1, 0.2]}))
    with pytest.raises(DataError, match="'b' has no value on fold 1"):
        compare(table.iloc[:3])
    with pytest.raises(DataError, match="no column 'fold'"):
        compare(table.drop(columns="fold"))
    with pytest.raises(DataError, match="must be an Evaluation"):
        compare([1, 2])
