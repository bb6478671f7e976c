"""Recall, precision and profit of each number of columns, against decisions that are made again by hand."""

import re

import numpy as np
import polars as pl
import pytest

from bayesieve import Report, ScorecardClassifier
from bayesieve.evaluation.outer_cv import outer_splits
from bayesieve.exceptions import UnreachedFloorWarning
from bayesieve.export import model_card
from bayesieve.report import ReportContext, predict_outer_folds, summarize, training_record
from bayesieve.report.page import render_page


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = pl.DataFrame({f"c{j}": rng.normal(size=500) for j in range(5)} | {"id": rng.permutation(500)})
    score = sum((j + 1) * X[f"c{j}"].to_numpy() for j in range(4)) + rng.logistic(size=500) * 3
    return X, np.where(score > 1, "ill", "well")


@pytest.mark.parametrize(("goal", "main"), [("recall", "precision"), ("precision", "recall")])
def test_shares_of_every_size_are_those_of_thresholds_that_folds_found(table, goal, main):
    X, y = table
    model = ScorecardClassifier(drop="id", threshold=(goal, 0.8), pos_label="ill", n_pairs=0)
    report = Report.from_estimator(model, X, y, cv=3, compare=False)
    sizes = report.summary["sizes"]
    counts = {size["n_columns"]: np.zeros(3) for size in sizes if not size["selected"] and size["n_columns"]}
    for train, test in outer_splits(y, 3):
        fold = ScorecardClassifier(**model.get_params()).fit(X[train.tolist()], y[train])
        for size in counts:
            smaller = max(k for k in fold.selection_.by_size if k <= size)
            acted = fold.select(smaller).predict(X[test.tolist()]) == "ill"
            counts[size] += [(acted & (y[test] == "ill")).sum(), acted.sum(), (y[test] == "ill").sum()]
    for size in sizes:
        if size["n_columns"] in counts:
            hits, acted, positive = counts[size["n_columns"]]
            assert size["goal"]["recall"]["mean"] == pytest.approx(hits / positive, abs=1e-5)
            assert size["goal"]["precision"]["mean"] == pytest.approx(hits / acted, abs=1e-5)
    own = next(size for size in sizes if size["selected"])["goal"]
    for name in ("recall", "precision"):
        assert own[name]["mean"] == report.summary["decision"][name]
        assert own[name]["standard_error"] > 0
    shown = re.search(r'<div data-metric="(\w+)">', report.html)  # the others are hidden
    assert shown[1] == main
    assert report.html.count(f'data-metric="{goal}"') == 1


def test_decisions_of_folds_are_not_said_to_be_those_of_the_threshold_of_the_model():
    rng = np.random.default_rng(0)
    y = np.repeat(["ill", "well"], [21, 89])
    X = pl.DataFrame({"dose": (y == "ill") + rng.normal(scale=0.25, size=110)})
    model = ScorecardClassifier(threshold=("recall", 0.95), pos_label="ill")
    with pytest.warns(UnreachedFloorWarning, match="every row is predicted positive"):  # 16 or 17 cases in a fold
        report = Report.from_estimator(model, X, y, cv=5, compare=False)
    level = report.summary["decision"]["threshold"]
    first = report.summary["verdict"].split(" The model uses")[0]
    assert first.startswith("Cross-validated recall of class ill: 100.0% (21 of 21 rows, ")
    assert first.endswith(
        "precision 19.1% (all 110 rows predicted positive). Each fold had a probability threshold of its own; that of "
        f"the model is {level:.3g}."
    )
    assert "The cross-validated recall, 100.0%, and precision, 19.1%, for class ill are those of folds" in report.html
    assert "are those of folds, each with a threshold of its own; the rates below are those of one" in report.html
    fitted = ScorecardClassifier(**model.get_params()).fit(X, y)
    n_alarms = int((fitted.predict(X) == "ill").sum())
    assert n_alarms < 110
    held_out = Report.from_fitted(fitted, X, y).summary["verdict"]
    assert f"({n_alarms} of 110 rows predicted positive), at a probability threshold of {level:.3g}." in held_out


def test_goals_without_decisions_have_no_measures(table):
    X, y = table
    report = Report.from_estimator(ScorecardClassifier(drop="id", n_features=2), X, y, cv=2, compare=False)
    assert all(size["goal"] == {} for size in report.summary["sizes"])
    assert 'data-metric="recall"' not in report.html


def test_a_precision_of_no_row_is_a_dash(table):
    X, y = table
    model = ScorecardClassifier(drop="id", threshold=("precision", 0.999), n_features=(0, 2), pos_label="ill")
    with pytest.warns(match="cannot be guaranteed"):
        summary = Report.from_estimator(model, X, y, cv=2, compare=False).summary
    assert None in [size["goal"]["precision"] for size in summary["sizes"]]


def test_scores_and_counts_of_the_card_are_those_of_the_report(table):
    X, y = table
    model = ScorecardClassifier(drop="id").fit(X, y)
    predictions = predict_outer_folds(model, X, y, 3)
    context = ReportContext("state", positive="ill")
    summary = summarize(model, X, predictions, context)
    record = training_record(model, X, predictions, context)
    assert record.scores == {
        name: (score.mean, score.standard_error) for name, score in summary.selected.held_out.items()
    }
    model.training_record_ = record
    card = model_card(model)
    assert f"{summary.selected.n_columns} of {summary.data.n_candidates} columns" in card
    assert f"{summary.selected.n_columns} of {summary.data.n_candidates}" in render_page(summary)
