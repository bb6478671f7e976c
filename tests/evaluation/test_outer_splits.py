"""Outer folds by groups and by time, and weights of rows in fits and scores."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from bayesieve import Report, ScorecardClassifier, SelectiveNaiveBayes, load
from bayesieve.evaluation import outer_fits, score_probabilities
from bayesieve.evaluation.outer_cv import outer_splits, time_splits
from bayesieve.exceptions import DataError, NothingSelectedWarning, ParameterError
from bayesieve.report import predict_outer_folds

RNG = np.random.default_rng(0)
N = 600
GROUPS = np.arange(N) % 150
X = pd.DataFrame({"a": RNG.normal(size=N), "of_group": GROUPS * 1.0, "b": RNG.normal(size=N)})
Y = (X["a"] + RNG.normal(size=N) > 0).to_numpy().astype(int)


def test_rows_of_a_group_are_in_one_fold():
    splits = outer_splits(Y, 5, GROUPS)
    assert np.array_equal(np.sort(np.concatenate([test for _, test in splits])), np.arange(N))
    for train, test in splits:
        assert not set(GROUPS[train]) & set(GROUPS[test])
        assert np.array_equal(np.union1d(train, test), np.arange(N))
    with pytest.raises(DataError, match="There are 3 groups; 5 folds need at least 5"):
        outer_splits(Y, 5, np.arange(N) % 3)
    with pytest.raises(DataError, match="have no class 1; use fewer folds"):
        outer_splits(np.r_[np.zeros(90, int), np.ones(10, int)], 5, np.arange(100) // 10)


def test_groups_reach_the_fit():
    """A label per group looks good on rows of the same groups, and is not selected where groups are apart."""
    sick = RNG.random(150) < 0.5
    y = np.where(RNG.random(N) < 0.05, 1, 0) ^ sick[GROUPS]
    ids = pd.DataFrame({"who": GROUPS.astype(str)})
    model = SelectiveNaiveBayes(discretizer=None, bins="best", weights="none")
    for fold in outer_fits(model, ids, y, 3):
        assert (fold.model.predict(fold.X) == y[fold.rows]).mean() > 0.8
    with pytest.warns(NothingSelectedWarning, match="'who'"):
        folds = list(outer_fits(model, ids, y, 3, groups=GROUPS))
    assert [fold.model.n_features_ for fold in folds] == [0, 0, 0]


def test_folds_by_time_are_tested_on_what_follows():
    times = np.repeat(RNG.permutation(N // 3), 3)
    splits = time_splits(Y, times, 4)
    assert len(splits) == 4
    for number, (train, test) in enumerate(splits, 1):
        assert times[train].max() < times[test].min()
        assert len(train) == pytest.approx(N * number / 5, abs=6)
    assert np.array_equal(np.union1d(*splits[-1]), np.arange(N))
    with pytest.raises(DataError, match="too few different values for 4 folds"):
        time_splits(Y, np.arange(N) % 3, 4)


def test_scores_are_weighted_as_in_scikit_learn():
    p = RNG.dirichlet([1, 1], N)
    weights = RNG.random(N)
    scores = score_probabilities(Y, p, np.array([0, 1]), weights)
    assert scores["log_loss"] == pytest.approx(log_loss(Y, p, sample_weight=weights))
    assert scores["auc"] == pytest.approx(roc_auc_score(Y, p[:, 1], sample_weight=weights))
    assert scores["brier"] == pytest.approx(brier_score_loss(Y, p[:, 1], sample_weight=weights))
    assert scores["accuracy"] == pytest.approx(np.average((p[:, 1] > 0.5) == Y, weights=weights))


def test_weights_of_two_are_two_copies_in_each_fold():
    weights = RNG.integers(1, 3, N).astype(float)
    model = SelectiveNaiveBayes(cv=0).fit(X, Y, sample_weight=weights)
    predictions = predict_outer_folds(model, X, Y, 3, sample_weight=weights)
    for fold in predictions.folds:
        rows = np.repeat(predictions.training_rows(fold), weights[predictions.training_rows(fold)].astype(int))
        expected = SelectiveNaiveBayes(cv=0).fit(X.iloc[rows], Y[rows]).predict_proba(X.iloc[fold.rows])
        assert np.abs(fold.stages[-1] - expected).max() < 1e-9
    by_fold = predictions.fold_scores([fold.stages[-1] for fold in predictions.folds])
    assert by_fold["log_loss"][0] == pytest.approx(
        log_loss(
            Y[predictions.folds[0].rows],
            predictions.folds[0].stages[-1],
            sample_weight=weights[predictions.folds[0].rows],
        )
    )


def test_a_report_takes_groups_weights_and_times():
    model = ScorecardClassifier(n_features=1, n_pairs=0)
    report = Report.from_estimator(
        model, X, Y, cv=3, compare=False, groups=GROUPS.astype(str), sample_weight=np.ones(N)
    )
    assert report.summary["data"]["n_rows"] == N
    assert report.summary["evaluation"]["description"].startswith("The rows of each of 150 groups are in one fold; ")
    by_time = Report.from_estimator(model, X, Y, cv=3, times=np.arange(N))
    assert by_time.summary["data"]["n_rows"] == N * 3 // 4
    assert sum(each["n_rows"] for each in by_time.summary["data"]["classes"]) == N * 3 // 4
    assert [each["name"] for each in by_time.summary["comparison"]["models"]] == [
        "class frequencies",
        "gradient boosting",
        "logistic regression",
        "the same method with any number of columns",
    ]
    assert "by time into 4 parts" in by_time.summary["evaluation"]["description"]
    with pytest.raises(ParameterError, match="by groups or by time"):
        Report.from_estimator(model, X, Y, cv=3, times=np.arange(N), groups=GROUPS)
    with pytest.raises(ParameterError, match="no parameter 'weight'; arrays with one value per row are groups"):
        Report.from_estimator(model, X, Y, weight=np.ones(N))
    with pytest.raises(DataError, match="groups has shape"):
        Report.from_estimator(model, X, Y, groups=GROUPS[:5])


def test_a_fitted_model_is_evaluated_on_other_rows(tmp_path):
    model = ScorecardClassifier(n_features=2).fit(X[:400], Y[:400])
    model.save(tmp_path / "m.json")
    for each in (model, load(tmp_path / "m.json")):
        summary = Report.from_fitted(each, X[400:], Y[400:]).summary
        (size,) = [size for size in summary["sizes"] if size["selected"]]
        p = model.predict_proba(X[400:])
        assert size["held_out"]["log_loss"]["mean"] == pytest.approx(log_loss(Y[400:], p), abs=0.002)
        assert np.array(size["confusion"]).sum() == 200
        share = Y[:400].mean()
        baseline = summary["comparison"]["models"][0]["scores"]["log_loss"]["mean"]
        assert baseline == pytest.approx(log_loss(Y[400:], np.tile([1 - share, share], (200, 1))), abs=0.002)
    with pytest.raises(DataError, match="class 1 has no rows; an evaluation needs rows of every class"):
        Report.from_fitted(model, X[:9], np.zeros(9, int))
    with pytest.raises(DataError, match="y has the class 7"):
        Report.from_fitted(model, X[:9], np.full(9, 7))


def test_labels_beyond_64_bits_are_divided_as_others():
    large, small = (np.array([low, 2, low, 2, low, 2, low, 2], dtype=object) for low in (2**70, 1))
    for a, b in zip(outer_splits(large, 2), outer_splits(4 - small.astype(int), 2), strict=True):
        assert a[1].tolist() == b[1].tolist()
