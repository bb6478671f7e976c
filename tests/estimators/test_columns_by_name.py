"""A model from a file needs the columns that it uses, and finds them by their names."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayesieve import (
    BenefitClassifier,
    BoostClassifier,
    Report,
    ScorecardClassifier,
    SelectiveNaiveBayes,
    VoteClassifier,
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
    assert np.array_equal(loaded.predict_proba(few), fitted.predict_proba(X))
    assert loaded.predict(few).tolist() == fitted.predict(X).tolist()
    assert loaded.explain(few.head(3)) == loaded.explain(X.head(3))


def test_an_absent_column_is_named(fitted_and_loaded):
    _, loaded, X, _ = fitted_and_loaded
    with pytest.raises(DataError, match="The table has no column 'kind', which the model uses; it uses "):
        loaded.predict(X[["size"]])


def test_a_fitted_model_expects_the_training_table_as_those_of_scikit_learn_do(fitted_and_loaded):
    fitted, _, X, _ = fitted_and_loaded
    with pytest.raises(ValueError, match="Feature names"):
        fitted.predict(X[["size", "kind"]])


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
