"""Parameters are honored or refused, and what changes nothing is not selected."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from bayesieve import MODLDiscretizer, ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.data import index_frame
from bayesieve.exceptions import IdleColumnWarning, ParameterError


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.mark.parametrize("given", [{"monotone": {"mean area": "increasing"}}, {"max_bins": 3}, {"min_bin_size": 40}])
def test_limits_of_bins_are_refused_where_bins_are_averaged(cancer, given):
    discretizer = MODLDiscretizer(**given)
    with pytest.raises(ParameterError, match=f"{next(iter(given))} of the discretizer is for one partition"):
        SelectiveNaiveBayes(discretizer=discretizer).fit(*cancer)
    SelectiveNaiveBayes(discretizer=discretizer, bins="best", n_features=2).fit(*cancer)


def test_a_tolerance_selects_fewer_columns(cancer):
    sizes = [SelectiveNaiveBayes(tol=tol).fit(*cancer).n_features_ for tol in (0.0, 0.005, 0.05)]
    assert sizes[0] > sizes[1] > sizes[2] > 0


def test_one_standard_error_has_folds_in_a_long_table():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=10_001)
    X = pd.DataFrame({"a": y + rng.normal(size=len(y)).round(1), "b": y + 9 * rng.normal(size=len(y)).round(1)})
    assert SelectiveNaiveBayes(one_se=True).fit(X, y).n_features_ in (1, 2)


def test_copies_are_not_selected_and_probabilities_stay(cancer):
    X, y = cancer
    X = X.iloc[:, :12]
    doubled = pd.concat([X, X.add_suffix(" copy")], axis=1)
    model = SelectiveNaiveBayes().fit(doubled, y)
    names = model.get_feature_names_out().tolist()
    assert not [name for name in names if name.endswith(" copy") and name.removesuffix(" copy") in names]
    plain = SelectiveNaiveBayes().fit(X, y)
    assert [name.removesuffix(" copy") for name in names] == plain.get_feature_names_out().tolist()
    np.testing.assert_allclose(model.predict_proba(doubled), plain.predict_proba(X), atol=0.02)


def test_a_weight_that_changes_nothing_is_not_selected(cancer):
    model = SelectiveNaiveBayes().fit(*cancer)
    assert min(model.feature_weights_.values()) >= 1e-3


@pytest.mark.parametrize("kind", [SelectiveNaiveBayes, ScorecardClassifier])
def test_a_kept_column_without_effect_is_named(kind):
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = pd.DataFrame({"a": y + rng.normal(size=200), "same": ["x"] * 198 + ["z"] * 2})
    with pytest.warns(IdleColumnWarning, match="'same' must be selected but cannot improve the predictions"):
        kind(keep=["same"]).fit(X, y)


@pytest.mark.parametrize("table", [pd.DataFrame, np.asarray, lambda X: index_frame(pd.DataFrame(X))])
def test_integers_that_are_the_same_number_are_not_called_constant(table):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = np.column_stack([2**53 + y, y + rng.integers(0, 2, 200), np.full(200, 7)])
    reasons = [each["reason"] for each in ScorecardClassifier().fit(table(X), y).why_.values()]
    assert reasons[0] == "its integers, beyond 2^53, are the same 64-bit float; use differences or text"
    assert reasons[2] == "constant"
