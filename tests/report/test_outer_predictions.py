"""One model evaluated on held-out rows: groups for standard errors, and no folds."""

import numpy as np
import pytest
from report.report_cases import odd_table

from bayesieve import SelectiveNaiveBayes
from bayesieve.report import ReportContext, predict_held_out, summarize


@pytest.fixture(scope="module", params=[2, 4])
def evaluated(request):
    X, y = odd_table(400, request.param, n_noise=2)
    held = np.arange(400) % 4 == 1
    model = SelectiveNaiveBayes().fit(X.filter(~held), y[~held])
    return model, X.filter(held), y[held], predict_held_out(model, X.filter(held), y[held], 5, 300)


def test_groups_divide_the_rows_and_keep_the_classes(evaluated):
    model, X, y, predictions = evaluated
    rows = np.concatenate([fold.rows for fold in predictions.folds])
    assert sorted(rows.tolist()) == list(range(100))
    for label in model.classes_:
        counts = [int((y[fold.rows] == label).sum()) for fold in predictions.folds]
        assert max(counts) - min(counts) <= 1
    assert np.array_equal(predictions.probabilities(None), model.predict_proba(X))
    assert np.array_equal(model.classes_[predictions.predicted], model.predict(X))
    for size, probabilities in model.staged_predict_proba(X):
        assert np.array_equal(predictions.probabilities(size), probabilities)


def test_the_summary_describes_the_evaluation(evaluated):
    model, X, _, predictions = evaluated
    summary = summarize(model, X, predictions, ReportContext("y"))
    assert summary["evaluation"] == {
        "method": "held-out",
        "n_train": 300,
        "n_groups": 5,
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
