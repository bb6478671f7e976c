"""The scorecard has the probabilities of the classifier."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tables import three_classes, two_classes

from bayesieve import SelectiveNaiveBayes
from bayesieve.exceptions import ParameterError


def points_of(model, X, frame, column):
    """Add up the points of each row by looking its bins up in the words of the scorecard."""
    table = {(row["column"], row["bin"]): row[column] for row in frame.to_dict("records")}
    return np.array(
        [
            table["", "intercept"] + sum(table.get((each.column, each.bin), 0.0) for each in decision.contributions)
            for decision in model.explain(X)
        ]
    )


@pytest.mark.parametrize("bins", ["averaged", "best"])
@pytest.mark.parametrize("max_bins", [2, 5, 12])
def test_points_of_two_classes_add_up_to_the_log_odds(bins, max_bins):
    X, y = two_classes()
    model = SelectiveNaiveBayes(bins=bins).fit(X, y)
    simple, frame = model.simplify(max_bins), model.scorecard(max_bins)
    log_odds = points_of(simple, X, frame, "points")
    assert_array_equal(np.where(log_odds > 0, "yes", "no"), simple.predict(X))
    p = 1 / (1 + np.exp(-log_odds))
    n = len(y)
    assert_allclose(simple.predict_proba(X)[:, 1], (n * p + 0.25) / (n + 0.5), atol=1e-9)
    sizes = frame[frame["column"] != ""].groupby("column").size()
    assert set(sizes.index) == set(model.feature_weights_)
    assert sizes.max() <= max_bins


def test_points_of_three_classes_add_up_to_the_probabilities():
    X, y = three_classes()
    model = SelectiveNaiveBayes(weights="none").fit(X, y)
    frame = model.scorecard(None)
    points = np.column_stack([points_of(model, X, frame, f"points {label}") for label in model.classes_])
    odds = np.exp(points)
    assert_allclose(model.predict_proba(X), odds / odds.sum(axis=1, keepdims=True), atol=1e-9)


def test_shares_and_rates_are_those_of_the_rows():
    X, y = two_classes()
    frame = SelectiveNaiveBayes().fit(X, y).scorecard()
    assert_allclose(frame["rate"][0], (y == "yes").mean())
    for _, rows in frame[frame["column"] != ""].groupby("column"):
        assert_allclose([rows["share"].sum(), rows["count"].sum()], [1.0, len(y)])
        assert_allclose((rows["count"] * rows["rate"]).sum(), (y == "yes").sum())
    missing = frame[(frame["column"] == "size") & (frame["bin"] == "missing")]
    assert_allclose(missing["count"], X["size"].isna().sum())
    assert_allclose(missing["rate"], (y[X["size"].isna()] == "yes").mean())


def test_simplifying_changes_little_and_twelve_bins_less_than_three():
    X, y = two_classes(600, seed=7)
    model = SelectiveNaiveBayes().fit(X, y)
    before = model.predict_proba(X)[:, 1]
    change = {k: np.abs(model.simplify(k).predict_proba(X)[:, 1] - before).mean() for k in (3, 12)}
    assert change[12] < change[3] < 0.1
    assert change[12] < 0.02


def test_the_copy_is_a_copy():
    X, y = two_classes()
    model = SelectiveNaiveBayes().fit(X, y)
    before = model.predict_proba(X)
    simple = model.simplify(2)
    assert_array_equal(model.predict_proba(X), before)
    assert (simple.feature_weights_, simple.threshold_, simple.n_features_) == (
        model.feature_weights_,
        model.threshold_,
        model.n_features_,
    )
    assert_allclose(simple.feature_importances_.sum(), 1.0)
    assert_array_equal(simple.simplify(2).predict_proba(X), simple.predict_proba(X))


def test_in_the_library_of_the_input():
    X, y = two_classes()
    assert isinstance(SelectiveNaiveBayes().fit(pl.from_pandas(X), y).scorecard(), pl.DataFrame)


@pytest.mark.parametrize("max_bins", [1, 0, 2.5, "many"])
def test_bad_numbers_of_bins(max_bins):
    X, y = two_classes()
    with pytest.raises(ParameterError, match="max_bins must be an integer of 2 or more"):
        SelectiveNaiveBayes().fit(X, y).scorecard(max_bins)
