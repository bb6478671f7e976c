"""Values as people read them: integers, bins that are one value, contributions as a table, points as a figure."""

import logging

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bayesieve
from bayesieve import BenefitClassifier, BinsDisplay, MODLDiscretizer, ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.data.files.output import html_table


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(0)
    share = rng.choice(["76 - 88%", "24 - 36%", "0%"], 400)
    tenure, price = rng.integers(0, 72, 400).astype(float), rng.gamma(2.0, 9.0, 400)
    y = (tenure / 9 + price / 9 + 4 * (share == "76 - 88%") + rng.normal(0, 2, 400) > 7).astype(int)
    X = pd.DataFrame({"share": share, "tenure": tenure, "price": price})
    return X, y, ScorecardClassifier(keep=list(X.columns), n_pairs=0).fit(X, y)


def test_an_integer_is_written_as_one(case):
    X, y, model = case
    values = {each.column: each.show_value() for each in model.explain(X[:1])[0].contributions}
    assert values["tenure"] == str(int(X["tenure"][0]))
    assert "." in values["price"]
    assert f"tenure = {int(X['tenure'][0])} (" in str(model.explain(X[:1])[0])
    amounts = BenefitClassifier(model, "bins", cost=1.0).fit(X, y, amounts=3 + X["tenure"])
    assert f"tenure = {int(X['tenure'][0])} (" in str(amounts.explain(X[:1])[0]).split("predicted class")[0]
    votes = bayesieve.VoteClassifier(keep=["tenure"]).fit(X, y).explain(X[:1])[0]
    assert f"tenure = {int(X['tenure'][0])} (" in str(votes)


def test_a_bin_of_one_value_is_not_written_twice(case):
    X, _, model = case
    rows = model.explain(X)
    (alone,) = {each.bin for row in rows for each in row.contributions if each.value == "76 - 88%"}
    assert alone == "76 - 88%"
    reasons = [each for k in range(3) for each in rows.reasons(3)[f"reason_{k + 1}"]]
    assert "share = 76 - 88%" in reasons
    assert not any("(76 - 88%)" in each for each in reasons)
    assert not any("(76 - 88%)" in str(row) for row in rows)


@pytest.mark.parametrize(
    ("backend", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), (None, pd.DataFrame)]
)
def test_a_row_is_a_table_of_its_terms(case, backend, kind):
    X, _, model = case
    explanation = model.explain(X[:1])[0]
    frame = explanation.to_frame(backend)
    assert isinstance(frame, kind)
    assert list(frame["column"])[-1] == "intercept"
    assert sum(frame["log_odds"]) == pytest.approx(explanation.log_odds)
    assert list(frame["column"])[:-1] == [each.column for each in explanation.contributions]
    several = model.explain(X[:2]).to_frame("polars").filter(pl.col("row") == 0)
    shown = explanation.to_frame("polars")[:-1]
    assert several.select(shown.columns).equals(shown)


@pytest.mark.parametrize("label", [0, 1])
def test_points_of_a_scorecard_are_drawn(case, label):
    X, _, model = case
    table = model.scorecard()
    for name in X.columns:
        shown = BinsDisplay.from_estimator(model, name, label=label)
        points = table[table["column"] == name]["points"].to_numpy()
        assert shown.points == pytest.approx(points if label == 1 else -points)
        np.testing.assert_array_equal(shown.line_.get_ydata(), shown.points)
        assert "log-odds of" in shown.rate_ax_.get_ylabel()
        assert shown.rate.shape == shown.points.shape
    shown.figure_.canvas.draw()


def test_points_of_three_classes_are_relative_to_their_mean(case):
    X, y, _ = case
    three = y + (X["price"].to_numpy() > 40)
    model = SelectiveNaiveBayes(keep=["tenure"]).fit(X, three)
    shown = [BinsDisplay.from_estimator(model, "tenure", label=label).points for label in range(3)]
    assert np.sum(shown, axis=0) == pytest.approx(0.0, abs=1e-9)


def test_bins_without_points_have_rates(case):
    X, y, _ = case
    shown = BinsDisplay.from_estimator(MODLDiscretizer().fit(X, y), "share")
    assert shown.points is None
    np.testing.assert_array_equal(shown.line_.get_ydata(), shown.rate)


def test_small_numbers_have_no_exponent():
    html = html_table("t", {"gain": [-4.127e-05, 3.5, 1e-12, 0.0, -0.48261]})
    cells = [each.split("<")[0] for each in html.split('right">')[1:]]
    assert cells == ["-0.00004127", "3.5", "1e-12", "0", "-0.4826"]


def test_a_path_has_each_score_once(case):
    X, y, model = case
    frame = model.path_.to_frame()
    assert "score" not in frame.columns
    assert list(frame["log_loss"]) == list(model.path_.values)
    assert (frame["log_loss"] > 0).all()
    ranked = bayesieve.SelectiveNaiveBayes(criterion="auc", search="forward").fit(X, y).path_
    assert list(ranked.to_frame()["auc"]) == list(ranked.scores)


def test_one_column_is_not_many(case, caplog):
    X, y, _ = case
    with caplog.at_level(logging.INFO, logger="bayesieve"):
        ScorecardClassifier(n_features=1, n_pairs=0, verbose=1).fit(X, y)
    assert ", 1 column, " in caplog.text
    assert "1 columns" not in caplog.text


def test_names_of_the_package_are_those_for_users():
    names = dir(bayesieve)
    assert set(bayesieve.__all__) <= set(names)
    assert not {"gc", "import_module", "TYPE_CHECKING"} & set(names)
    assert not [name for name in names if "." in name]
    assert all(hasattr(bayesieve, name) for name in names)
