"""One model evaluated on held-out rows: scores of all of them, and no folds."""

import warnings

import numpy as np
import pytest
from report.report_cases import odd_table
from sklearn.metrics import log_loss, roc_auc_score

from bayesieve import Report, ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.evaluation.measures import roc_area
from bayesieve.exceptions import NothingSelectedWarning
from bayesieve.report import ReportContext, predict_held_out, summarize

W = np.ones(100)


@pytest.fixture(scope="module", params=[2, 4])
def evaluated(request):
    X, y = odd_table(400, request.param, n_noise=2, seed=3)
    held = np.arange(400) % 4 == 1
    model = SelectiveNaiveBayes().fit(X.filter(~held), y[~held])
    return model, X.filter(held), y[held], predict_held_out(model, X.filter(held), y[held], 300)


def test_scores_are_those_of_all_rows_as_scikit_learn_has_them(evaluated):
    model, X, y, predictions = evaluated
    probabilities, binary = model.predict_proba(X), len(model.classes_) == 2
    scores = predictions.scores(None)
    assert scores["log_loss"][0] == pytest.approx(log_loss(y, probabilities))
    area = roc_auc_score(
        y,
        probabilities[:, 1] if binary else probabilities,
        multi_class="ovr",
        average="weighted",
    )
    assert scores["auc"][0] == pytest.approx(area)
    losses = -np.log(probabilities[np.arange(100), predictions.target])
    assert scores["log_loss"][1] == pytest.approx(losses.std() / 10)
    rng = np.random.default_rng(0)
    again = [rng.integers(0, 100, 100) for _ in range(100)]
    areas = [roc_area(predictions.target[i], probabilities[i], [1] if binary else [0, 1, 2, 3], W) for i in again]
    assert np.nanstd(areas) / scores["auc"][1] == pytest.approx(1.0, abs=0.5)


def test_predictions_of_the_model(evaluated):
    model, X, _, predictions = evaluated
    assert np.array_equal(predictions.probabilities(None), model.predict_proba(X))
    assert np.array_equal(model.classes_[predictions.predicted], model.predict(X))
    for size, probabilities in model.staged_predict_proba(X):
        assert np.array_equal(predictions.probabilities(size), probabilities)


def test_the_summary_describes_the_evaluation(evaluated):
    model, X, _, predictions = evaluated
    summary = summarize(model, X, predictions, ReportContext("y")).as_json()
    assert summary["evaluation"] == {
        "method": "held-out",
        "n_train": 300,
        "n_folds": 0,
        "rows_per_observation": 1.0,
        "description": predictions.description,
    }
    assert predictions.description.startswith("100 of 400 rows, spread evenly over the table, were held out")
    assert "the other 300 rows" in predictions.description
    assert "without cross-validation" in predictions.description
    assert summary["stability"]["n_folds"] == 0
    for size in summary["sizes"]:
        assert set(size["optimistic"].values()) == {None}
        assert sum(map(sum, size["confusion"])) == 100


def test_folds_do_not_repeat_the_warnings_of_the_model():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2)), rng.random(120) < 0.5
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Report.from_estimator(ScorecardClassifier(cv=2), X, y, cv=3, compare=False)
    assert [each.category for each in caught] == [NothingSelectedWarning]  # not of the three folds
