"""Fitted models and models from a file need the columns that they use, and find them by their names in a data frame."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression

from bayesieve import (
    BenefitClassifier,
    BoostClassifier,
    BoostSelector,
    FilterSelector,
    MODLDiscretizer,
    NaiveBayesSelector,
    Report,
    ScorecardClassifier,
    SelectiveNaiveBayes,
    VoteClassifier,
    VoteSelector,
    WrapperSelector,
    drift,
    load,
)
from bayesieve.exceptions import DataError
from bayesieve.export import onnx_inputs


def table(n_rows=400):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n_rows)
    columns = {f"noise {j}": rng.normal(size=n_rows) for j in range(6)}
    columns |= {"size": y + rng.normal(size=n_rows), "kind": np.where(rng.random(n_rows) < 0.7, y, 1 - y).astype(str)}
    return pd.DataFrame(columns)[[*list(columns)[:3], "size", *list(columns)[3:6], "kind"]], y


MODELS = {
    "scorecard": ScorecardClassifier(n_features=2),
    "naive Bayes": SelectiveNaiveBayes(n_features=2),
    "votes": VoteClassifier("majority", cv=0, n_features=2),
    "boosting": BoostClassifier(cv=0, n_features=2),
    "benefit": BenefitClassifier(SelectiveNaiveBayes(n_features=2), benefit_matrix=[[0.0, 1.0], [2.0, 0.0]]),
}


@pytest.fixture(params=MODELS.values(), ids=MODELS)
def fitted_and_loaded(request, tmp_path):
    X, y = table()
    fitted = request.param.fit(X, y)
    fitted.save(tmp_path / "model.json")
    return fitted, load(tmp_path / "model.json"), X, y


@pytest.mark.parametrize("library", [pd.DataFrame, lambda X: pl.from_pandas(X)], ids=["pandas", "polars"])
def test_selected_columns_suffice_in_any_order_beside_others(fitted_and_loaded, library):
    fitted, loaded, X, _ = fitted_and_loaded
    few = library(X[["kind", "size"]].assign(other=1.0))
    for model in (fitted, loaded):
        assert np.array_equal(model.predict_proba(few), fitted.predict_proba(X))
        assert model.predict(few).tolist() == fitted.predict(X).tolist()
        assert model.explain(few.head(3)) == model.explain(X.head(3))


def test_an_absent_column_is_named(fitted_and_loaded):
    *models, X, _ = fitted_and_loaded
    for model in models:
        with pytest.raises(DataError, match="The table has no column 'kind', which the model uses; it uses "):
            model.predict(X[["size"]])


def test_an_array_has_the_training_columns_by_position(fitted_and_loaded):
    fitted, loaded, X, _ = fitted_and_loaded
    for model in (fitted, loaded):
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            assert np.array_equal(model.predict_proba(X.to_numpy()), fitted.predict_proba(X))
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            model.predict_proba(X.set_axis(range(8), axis=1))  # names are texts
        unnamed = pytest.warns(UserWarning, match="does not have valid feature names")
        with pytest.raises(ValueError, match="X has 2 features"), unnamed:
            model.predict(X[["size", "kind"]].to_numpy())


SELECTORS = {
    "naive Bayes": NaiveBayesSelector(n_features=2, keep=["size", "kind"]),
    "votes": VoteSelector("any", n_features=2, keep=["size", "kind"]),
    "boosting": BoostSelector(n_features=2, keep=["size", "kind"]),
    "filter": FilterSelector(n_features=2, keep=["size", "kind"]),
    "wrapper": WrapperSelector(SelectiveNaiveBayes(cv=0), n_features=2, keep=["size", "kind"], cv=2),
}


@pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS)
@pytest.mark.parametrize("library", [pd.DataFrame, lambda X: pl.from_pandas(X)], ids=["pandas", "polars"])
def test_selectors_return_their_columns_of_a_table_in_another_order(selector, library):
    X, y = table()
    selector.fit(X, y)
    for other in (X[X.columns[::-1]], X[["kind", "size"]]):
        new = selector.transform(library(other))
        assert list(new.columns) == ["size", "kind"]
        assert new["size"].to_list() == X["size"].to_list()
    with pytest.raises(DataError, match="The table has no column 'size', which the model uses"):
        selector.transform(library(X[["kind"]]))


def test_a_discretizer_needs_all_of_its_columns_in_any_order():
    X, y = table()
    bins = MODLDiscretizer().fit(X, y)
    assert np.array_equal(bins.transform(X[X.columns[::-1]].assign(other=1)), bins.transform(X))
    with pytest.raises(DataError, match="The table has no column 'noise 0', which the model uses"):
        bins.transform(X[["kind", "size"]])


def test_a_regressor_of_amounts_gets_the_columns_in_its_order():
    X, y = table()
    numbers = X.drop(columns="kind")
    amounts = np.where(y == 1, 5.0 + numbers["noise 2"].clip(-1, 1), np.nan)
    model = BenefitClassifier(SelectiveNaiveBayes(n_features=1), LinearRegression(), cost=1.0)
    model.fit(numbers, y, amounts=amounts)
    assert np.array_equal(model.expected_benefit(numbers[numbers.columns[::-1]]), model.expected_benefit(numbers))


def test_drift_reports_and_inputs_of_onnx_need_no_others_either(tmp_path):
    X, y = table()
    ScorecardClassifier(n_features=2).fit(X, y).save(tmp_path / "model.json")
    loaded, few = load(tmp_path / "model.json"), X[["kind", "size"]]
    assert drift(loaded, few, y) == drift(loaded, X, y)
    assert Report.from_fitted(loaded, few, y).verdict == Report.from_fitted(loaded, X, y).verdict
    inputs = onnx_inputs(loaded, few)
    assert all(np.array_equal(inputs[name], values) for name, values in onnx_inputs(loaded, X).items())
    with pytest.raises(DataError, match="no column 'size'"):
        Report.from_fitted(loaded, X[["kind"]], y)


def test_amounts_find_their_columns_by_name(tmp_path):
    X, y = table()
    amounts = np.where(y == 1, 5.0 + 3.0 * X["noise 2"].clip(-1, 1), np.nan)
    model = BenefitClassifier(SelectiveNaiveBayes(n_features=2), "bins", cost=1.0).fit(X, y, amounts=amounts)
    model.save(tmp_path / "model.json")
    loaded, few = load(tmp_path / "model.json"), X[X.columns[::-1]]
    assert np.array_equal(loaded.expected_benefit(few), model.expected_benefit(X))
