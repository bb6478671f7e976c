"""Other models in the same outer folds, against their direct computation."""

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import train_test_split

from bayesieve import Report, ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.evaluation import REFERENCE_MODELS, reference_matrix
from bayesieve.evaluation.measures import paired_errors, score_probabilities
from bayesieve.report import (
    ReportContext,
    TrainingRows,
    compare_models,
    predict_outer_folds,
    predict_test_rows,
    summarize,
)
from bayesieve.report.curves import wilson_interval
from bayesieve.report.selected import describe_bins

METRICS = ("error", "auc", "brier", "log_loss")


def make_table(n_rows=200):
    rng = np.random.default_rng(0)
    y = rng.random(n_rows) < 0.3
    X = pl.DataFrame(
        {
            "a": [None if i % 11 == 0 else v for i, v in enumerate((y + rng.normal(size=n_rows)).tolist())],
            "b": np.where(y, rng.choice(["u", "v"], n_rows), rng.choice(["v", "w"], n_rows)),
            "constant": np.ones(n_rows),
            "leak": y.astype(float),
        }
    )
    return X, np.where(y, "yes", "no")


@pytest.fixture(scope="module")
def case():
    X, y = make_table()
    model = ScorecardClassifier(drop="leak", scoring=METRICS, n_pairs=0).fit(X, y)
    predictions = predict_outer_folds(model, X, y, 3)
    comparison = compare_models(model, X, predictions, None)
    return X, y, model, predictions, comparison


def test_folds_columns_and_scores_are_those_of_a_direct_computation(case):
    X, y, model, predictions, comparison = case
    summary = summarize(model, X, predictions, ReportContext("y", positive="yes"), comparison).as_json()
    matrix, categorical = reference_matrix(X, drop="leak")
    assert categorical.tolist() == [False, True]
    by_name = {each["name"]: each["scores"] for each in summary["comparison"]["models"]}
    losses = {name: [] for name in (*REFERENCE_MODELS, "class frequencies")}
    briers = []
    for fold in predictions.folds:
        train = np.setdiff1d(np.arange(len(y)), fold.rows)
        for name, build in REFERENCE_MODELS.items():
            fitted = build(categorical).fit(matrix[train], y[train])
            losses[name].append(log_loss(y[fold.rows], fitted.predict_proba(matrix[fold.rows])))
        share = np.full(len(fold.rows), (y[train] == "yes").mean())
        losses["class frequencies"].append(log_loss(y[fold.rows] == "yes", share))
        briers.append(brier_score_loss(y[fold.rows] == "yes", share))
    for name, values in losses.items():
        assert by_name[name]["log_loss"]["mean"] == pytest.approx(np.mean(values), rel=1e-4)
        assert by_name[name]["log_loss"]["mean"] > 0.1, "the column that must not be used is used"
    assert by_name["class frequencies"]["brier"]["mean"] == pytest.approx(np.mean(briers), rel=1e-4)


def test_a_budget_names_what_it_left_out(case):
    X, _, model, predictions, _ = case
    short = compare_models(model, X, predictions, 1e-9)
    assert short.probabilities == {}
    assert short.left_out == (
        "No time was left to compare with gradient boosting and logistic regression: the limit is 1e-09 s of "
        "processor time."
    )
    assert compare_models(model, X, predictions, 0) == type(short)()


def test_a_report_compares_by_default():
    X, y = make_table()
    report = Report.from_estimator(ScorecardClassifier(drop="leak", n_pairs=0, n_features=1), X, y, cv=2)
    names = [each["name"] for each in report.summary["comparison"]["models"]]
    assert names == [
        "class frequencies",
        "gradient boosting",
        "logistic regression",
        "the same method with any number of columns",
    ]
    assert re.search("(readable|this) model gives up|is given up", report.verdict)
    assert "With any number of columns, the same method has log loss" in report.verdict
    free = Report.from_estimator(ScorecardClassifier(drop="leak", n_pairs=0), X, y, cv=2)
    scores = next(size["held_out"] for size in free.summary["sizes"] if size["selected"])
    assert report.summary["comparison"]["models"][-1]["scores"] == scores
    assert [each["name"] for each in free.summary["comparison"]["models"]] == names[:-1]


def test_of_two_subsets_of_one_size_that_tie_the_selected_one_is_on_offer():
    X, y = make_table()
    selection = SelectiveNaiveBayes().fit(X.drop("leak").with_columns(copy=pl.col("b")), y).selection_
    best = selection.best
    columns = tuple("copy" if name == "b" else name for name in best.columns)
    tied = replace(best, visit=replace(best.visit, columns=columns))
    selection = replace(selection, best=tied, candidates={**selection.candidates, columns: tied})
    assert selection.path.best_by_size()[tied.n_features].columns == best.columns != columns
    assert selection.by_size[tied.n_features] is selection.of_size(tied.n_features) is tied


@pytest.mark.parametrize("kind", [SelectiveNaiveBayes, ScorecardClassifier])
def test_a_row_s_explanation_is_found_in_the_report_and_in_the_scorecard(kind):
    X, y = make_table()
    estimator = kind(pos_label="no", drop="leak")
    report = Report.from_estimator(estimator, X, y, cv=2, compare=False).summary
    model = estimator.fit(X, y)
    card = model.scorecard()
    assert card["bin"][0] == "intercept"
    shown = {(row["column"], row["bin"]): row["points"] for row in card.iter_rows(named=True)}
    reported = {report["columns"]["name"][each["column"]]: each["points"] for each in report["bins"]}
    for explanation in model.explain(X[:20]):
        assert explanation.favored == "no"
        assert explanation.prior == shown["", "intercept"]
        for each in explanation.contributions:
            assert shown[each.column, each.bin] == each.log_odds
            assert float(f"{each.log_odds:.6g}") in reported[each.column]


def test_two_columns_have_one_redundancy():
    X, y = make_table()
    X = X.with_columns(c=pl.col("a") + pl.Series(np.random.default_rng(1).normal(size=len(X))))
    report = Report.from_estimator(SelectiveNaiveBayes(drop="leak"), X, y, cv=2, compare=False).summary
    columns, places = report["columns"], report["redundancy"]["columns"]
    assert len(places) > 1
    for i, j in enumerate(places):
        partner = places.index(columns["redundant_with"][j])
        assert columns["redundancy"][j] == report["redundancy"]["matrix"][max(i, partner)][min(i, partner)]


def test_weights_reach_the_other_models(case):
    X, y, model, *_ = case
    weights = np.where(np.arange(len(y)) % 3 == 0, 5.0, 0.5)
    predictions = predict_outer_folds(model, X, y, 2, sample_weight=weights)
    compared = compare_models(model, X, predictions, None)
    matrix, categorical = reference_matrix(X, "leak")
    steps = {"logistic regression": "logisticregression", "gradient boosting": "tunedtrees"}
    fold = predictions.folds[0]
    rows = predictions.training_rows(fold)
    for name, step in steps.items():
        other = REFERENCE_MODELS[name](categorical)
        other.fit(matrix[rows], predictions.target[rows], **{f"{step}__sample_weight": weights[rows]})
        np.testing.assert_allclose(compared.probabilities[name][0], other.predict_proba(matrix[fold.rows]), rtol=1e-9)
        plain = REFERENCE_MODELS[name](categorical).fit(matrix[rows], predictions.target[rows])
        assert not np.allclose(compared.probabilities[name][0], plain.predict_proba(matrix[fold.rows]), rtol=1e-3)


def test_groups_widen_the_intervals_of_the_report(case):
    X, y, model, *_ = case
    places = np.repeat(np.arange(len(y)), 3)
    predictions = predict_outer_folds(model, X[places], y[places], 2, groups=places)
    summary = summarize(model, X[places], predictions, ReportContext("y", positive="yes")).as_json()
    assert summary["evaluation"]["rows_per_observation"] == 3
    assert "intervals count 3.0 rows as one observation, which is cautious." in summary["evaluation"]["description"]
    size = next(size for size in summary["sizes"] if size["selected"])
    groups = size["curves"][0]["calibration"]
    for observed, low, high, n in zip(*(groups[key] for key in ("observed", "low", "high", "n_rows")), strict=True):
        ends = wilson_interval(observed * n / 3, n / 3)
        assert (low, high) == pytest.approx(tuple(map(float, ends)), abs=1e-5)
    plain = describe_bins(model, X[places], 1)
    for bins, narrow in zip(summary["bins"], plain, strict=True):
        assert bins["standard_error"] == pytest.approx(np.sqrt(3) * np.array(narrow.standard_error), rel=1e-3)


def test_gradient_boosting_is_tuned():
    """Where effects are steps of single columns, small trees are better than those of the defaults."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 8))
    y = (rng.logistic(size=3000) < X[:, 0] + np.abs(X[:, 1]) - X[:, 2] - 0.5).astype(int)
    categorical = np.zeros(8, dtype=bool)
    ours = REFERENCE_MODELS["gradient boosting"](categorical).fit(X[:1500], y[:1500])
    default = HistGradientBoostingClassifier(early_stopping=True, max_iter=500, random_state=0).fit(X[:1500], y[:1500])
    losses = [log_loss(y[1500:], each.predict_proba(X[1500:])) for each in (ours, default)]
    assert losses[0] < losses[1] - 0.005
    trees = ours.steps[-1][1].trees_
    rest, rows = train_test_split(np.arange(1500), test_size=0.2, stratify=y[:1500], random_state=0)
    assert trees.max_leaf_nodes < default.max_leaf_nodes
    grown = clone(trees).set_params(max_iter=300)
    stages = grown.fit(X[rest], y[rest]).staged_predict_proba(X[rows])
    found = [float(-np.log(stage[np.arange(len(rows)), y[rows]]).mean()) for stage in stages]
    assert found[trees.n_iter_ - 1] < min(found) + 0.002
    assert not trees.early_stopping


def test_few_rows_of_many_classes_can_be_compared():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 8
    report = Report.from_estimator(
        ScorecardClassifier(n_pairs=0), pl.DataFrame({"a": y + rng.normal(size=40)}), y, cv=5
    )
    assert [each["name"] for each in report.summary["comparison"]["models"]][1] == "gradient boosting"


@pytest.mark.parametrize("n_classes", [2, 3])
def test_differences_on_test_rows_are_those_of_their_scores(n_classes):
    """The standard errors are those of a bootstrap of the rows."""
    rng = np.random.default_rng(n_classes)
    codes, classes = rng.permutation(np.arange(600) % n_classes), np.arange(n_classes)
    raw = rng.random((2, 600, n_classes)) + 1.5 * (codes[:, None] == classes) * rng.random((600, 1))
    first, second = raw / raw.sum(axis=2, keepdims=True)
    found = paired_errors(first, second, codes, classes)
    repeated = {name: [] for name in found}
    for _ in range(400):
        rows = rng.integers(0, 600, 600)
        scores = [score_probabilities(codes[rows], each[rows], classes) for each in (first, second)]
        for name, values in repeated.items():
            values.append(scores[0][name] - scores[1][name])
    scores = [score_probabilities(codes, each, classes) for each in (first, second)]
    for name, (difference, error) in found.items():
        assert difference == pytest.approx(scores[0][name] - scores[1][name], abs=1e-12)
        assert error == pytest.approx(np.std(repeated[name]), rel=0.15)


def test_other_models_are_fitted_on_the_training_rows_and_tested_on_those_of_another_file():
    X, y = make_table(300)
    new = X[200:].with_columns(b=pl.when(pl.int_range(100) < 5).then(pl.lit("new")).otherwise(pl.col("b")))
    model = ScorecardClassifier(drop="leak", n_pairs=0, n_features=1, scoring=METRICS).fit(X[:200], y[:200])
    predictions = predict_test_rows(model, new, y[200:], "new.csv")
    found = compare_models(model, new, predictions, None, TrainingRows(X[:200], y[:200])).probabilities
    matrix, categorical = reference_matrix(X[:200], "leak")
    both, _ = reference_matrix(X[:200], "leak", new_rows=new)
    np.testing.assert_array_equal(both[:200], matrix)
    same = np.flatnonzero(new["b"] == X["b"][200:])
    np.testing.assert_array_equal(both[200 + same], reference_matrix(X, "leak")[0][200 + same])
    for name, build in REFERENCE_MODELS.items():
        expected = build(categorical).fit(matrix, y[:200]).predict_proba(both[200:])
        np.testing.assert_allclose(found[name][0], expected, rtol=1e-9)
    free = ScorecardClassifier(drop="leak", n_pairs=0).fit(X[:200], y[:200])
    np.testing.assert_array_equal(found["the same method with any number of columns"][0], free.predict_proba(new))
    assert compare_models(model, new, predictions, None).left_out.startswith("Other models are compared where")
