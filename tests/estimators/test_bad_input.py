"""Bad input is refused in one sentence with what to do, by an error of its own kind."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import plain_bayes

from bayesieve import NaiveBayesSelector
from bayesieve.exceptions import BayesieveError, DataError, ParameterError

ROWS = np.random.default_rng(0).normal(size=(30, 3))
X = pd.DataFrame(ROWS, columns=["a", "b", "c"])
Y = np.arange(30) % 2
ONE = {"n_features": 1, "cv": 0, "discretizer": "equal_frequency"}  # noise, which "modl" would leave out

CASES = {
    "no rows": (X[:0], Y[:0], {}, DataError, "0 sample"),
    "no columns": (X[[]], Y, {}, DataError, "0 feature"),
    "one dimension": (X["a"].to_numpy(), Y, {}, DataError, "Expected 2D array, got 1D"),
    "a series": (X["a"], Y, {}, DataError, "Expected 2D array, got 1D"),
    "lazy": (pl.LazyFrame(X.to_dict("list")), Y, {}, DataError, "collect it first"),
    "one class": (X, np.ones(30), {}, DataError, "one class only"),
    "missing in the target": (X, np.where(Y == 1, np.nan, 0), {}, DataError, "15 of 30 rows of the target are missing"),
    "no target": (X, None, {}, DataError, "requires y to be passed"),
    "numbers as target": (X, ROWS[:, 0], {}, DataError, "numbers that are not whole"),
    "constant columns": (X * 0, Y, {}, DataError, "constant"),
    "infinite": (X.assign(b=[np.inf, *ROWS[1:, 1]]), Y, {}, DataError, "'b' has infinite values"),
    "repeated names": (X.set_axis(["a", "b", "a"], axis=1), Y, {}, DataError, "'a' occurs more than once"),
    "lengths": (X, Y[:-1], {}, DataError, "The target has 29 rows and the table has 30"),
    "length of weights": (X, Y, {"sample_weight": np.ones(29)}, DataError, "sample_weight has shape"),
    "negative weights": (X, Y, {"sample_weight": Y - 0.5}, DataError, "sample_weight has negative values"),
    "no weights": (X, Y, {"sample_weight": Y * 0}, DataError, "sample_weight is zero for every row"),
    "weights of one class": (X, Y, {"sample_weight": Y}, DataError, "Only the class"),
    "length of groups": (X, Y, {"groups": Y[:5]}, DataError, "groups has shape"),
}


@pytest.mark.parametrize("kind", [NaiveBayesSelector, plain_bayes])
@pytest.mark.parametrize("case", CASES)
def test_refused(case, kind):
    table, target, parameters, error, message = CASES[case]
    with pytest.raises(error, match=message) as caught:
        kind().fit(table, target, **parameters)
    sentence = str(caught.value)
    assert isinstance(caught.value, BayesieveError | ValueError)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    assert len(sentence) < 250
    assert caught.value.__cause__ is None


def test_too_few_rows_for_the_folds():
    with pytest.raises(ParameterError, match="use fewer or 0"):
        NaiveBayesSelector().fit(X[:4], Y[:4])


def test_a_failed_fit_is_not_fitted():
    selector = NaiveBayesSelector()
    with pytest.raises(DataError):
        selector.fit(X, np.ones(30))
    assert not hasattr(selector, "path_")


@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_log_proba"])
def test_prediction_of_bad_tables(method):
    model = plain_bayes(**ONE).fit(ROWS, Y)
    with pytest.raises(ValueError, match="Reshape your data"):
        getattr(model, method)(ROWS[0])
    with pytest.raises(DataError, match="0 sample"):
        getattr(model, method)(ROWS[:0])


def test_transform_of_a_lazy_table():
    frame = pl.DataFrame(X.to_dict("list"))
    selector = NaiveBayesSelector(**ONE).fit(frame, Y)
    with pytest.raises(DataError, match="collect it first"):
        selector.transform(frame.lazy())
