"""Scores of single columns: definitions, information inequalities, scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from cases import make_codes
from filters.brute_filters import entropy, univariate
from filters.filter_cases import random_rows, tables_of
from scipy import sparse
from sklearn.feature_selection import chi2 as sklearn_chi2, mutual_info_classif

from bayesieve import MODLDiscretizer, filters
from bayesieve.exceptions import ParameterError
from bayesieve.filters import CodedColumns
from bayesieve.filters.univariate import FORMULAS


def test_formulas_equal_their_definitions():
    rng = np.random.default_rng(0)
    for _ in range(300):
        rows, columns, weights, target = random_rows(rng)
        tables = tables_of(rows)
        for name, formula in FORMULAS.items():
            expected = [univariate(name, weights, x, target) for x in columns]
            np.testing.assert_allclose(formula(tables), expected, rtol=1e-9, atol=1e-11, err_msg=name)


def test_information_inequalities():
    rng = np.random.default_rng(1)
    for _ in range(200):
        rows, columns, weights, target = random_rows(rng, n_columns=4)
        found = FORMULAS["mutual_info"](tables_of(rows))
        assert (found >= 0).all()
        assert found[0] == found[1]  # renamed
        assert found[2] <= found[0]  # merged
        limits = [min(entropy(weights, x), entropy(weights, target)) for x in columns]
        assert (found <= np.array(limits) + 1e-12).all()
        constant = np.array([len(set(x)) < 2 for x in columns])
        for name in ("mutual_info", "gain_ratio", "symmetric_uncertainty", "chi2"):
            assert (FORMULAS[name](tables_of(rows))[constant] == 0).all()


def test_information_is_symmetric():
    rng = np.random.default_rng(2)
    for _ in range(100):
        rows, columns, weights, target = random_rows(rng)
        found = FORMULAS["mutual_info"](tables_of(rows))
        for x, information in zip(columns, found, strict=True):
            order = np.argsort(x, kind="stable")
            codes = make_codes([np.array(target)[order]], [rows.n_classes], len(x))
            classes = np.array(x, dtype=np.int32)[order]
            swapped = CodedColumns(codes, classes, np.array(weights)[order], int(classes.max()) + 1)
            assert FORMULAS["mutual_info"](tables_of(swapped))[0] == pytest.approx(information, rel=1e-12, abs=1e-13)


def table(seed, n_rows=120):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)
    X = pd.DataFrame(
        {
            "number": np.where(rng.random(n_rows) < 0.2, np.nan, y + rng.normal(size=n_rows)),
            "label": np.where(rng.random(n_rows) < 0.5, "a", np.array(["b", "c", "d"])[y]),
            "noise": rng.normal(size=n_rows),
            "constant": 1.0,
            "count": rng.poisson(y + 1),
        }
    )
    X.loc[rng.random(n_rows) < 0.1, "label"] = None
    return X, y


@pytest.mark.parametrize("discretizer", ["modl", "mdlp", "equal_frequency", None])
@pytest.mark.parametrize("name", ["mutual_info", "conditional_entropy", "gain_ratio", "symmetric_uncertainty", "chi2"])
def test_weights_are_copies_and_the_order_of_rows_does_not_matter(name, discretizer):
    X, y = table(0)
    rng, score = np.random.default_rng(0), getattr(filters, name)
    times = rng.integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), times)
    weighted = score(X, y, times, discretizer=discretizer)
    np.testing.assert_array_equal(weighted, score(X.iloc[copies], y[copies], discretizer=discretizer))
    order = rng.permutation(len(y))
    shuffled = score(X.iloc[order], y[order], times[order], discretizer=discretizer, n_threads=2)
    np.testing.assert_array_equal(weighted, shuffled)


def test_scikit_learn_agrees_on_discrete_columns():
    rng = np.random.default_rng(2)
    codes, y = rng.integers(0, 4, (300, 6)), rng.integers(0, 3, 300)
    expected = mutual_info_classif(codes, y, discrete_features=True)
    np.testing.assert_allclose(filters.mutual_info(codes, y, discretizer=None), expected, atol=1e-12)
    for j, found in enumerate(filters.chi2(codes, y, discretizer=None)):
        # Its chi2 sees an indicator as a count: those of all codes add up to the statistic of the table.
        indicators = (codes[:, [j]] == np.arange(4)).astype(float)
        assert found == pytest.approx(sklearn_chi2(indicators, y)[0].sum(), rel=1e-9)


def test_level_is_that_of_the_discretizer():
    X, y = table(3)
    np.testing.assert_array_equal(filters.modl_level(X, y), MODLDiscretizer().fit(X, y).levels_)
    with pytest.raises(ParameterError, match="discretizer='modl'"):
        filters.modl_level(X, y, discretizer="mdlp")


def test_pearson():
    X, y = table(4)
    two, w = (y > 0).astype(int), np.random.default_rng(4).integers(1, 4, len(y))
    found = filters.pearson(X, two, w)
    for j, name in enumerate(["number", "noise", "count"]):
        known = X[name].notna().to_numpy()
        spread = np.cov(X[name][known], two[known], fweights=w[known])
        expected = abs(spread[0, 1]) / np.sqrt(spread[0, 0] * spread[1, 1])
        assert found[[0, 2, 4][j]] == pytest.approx(expected, rel=1e-12)
    assert found[3] == 0.0
    each = [filters.pearson(X[["count"]], (y == c).astype(int))[0] for c in range(3)]
    expected = np.average(each, weights=np.bincount(y))
    assert filters.pearson(X[["count"]], y)[0] == pytest.approx(expected, rel=1e-12)
    known = X["label"].notna().to_numpy()
    labels = X["label"][known]
    alone = [abs(np.corrcoef(labels == label, two[known])[0, 1]) for label in "abcd"]
    weighted = np.average(alone, weights=[(labels == label).sum() for label in "abcd"])
    assert filters.pearson(X[["label"]], two)[0] == pytest.approx(weighted, rel=1e-9)
    assert filters.pearson(np.array([[-1e308], [1e308], [0.0]]), [0, 1, 1])[0] > 0.5


@pytest.mark.parametrize("name", ["mutual_info", "chi2", "pearson", "modl_level"])
def test_sparse_tables(name):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 200)
    X = np.where(rng.random((200, 8)) < 0.05 + 0.1 * y[:, None], rng.integers(1, 4, (200, 8)), 0).astype(float)
    score = getattr(filters, name)
    np.testing.assert_allclose(score(sparse.csr_array(X), y), score(X, y), rtol=1e-12, atol=1e-12)


def test_unknown_discretizer_is_named():
    with pytest.raises(ParameterError, match="'trees' is not supported; 'equal_frequency'"):
        filters.mutual_info([[0.0], [1.0]], [0, 1], discretizer="trees")
