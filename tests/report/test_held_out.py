"""One model judged on rows that were held out: groups for standard errors, and no word of folds."""

import numpy as np
import pytest
from report.report_cases import odd_table

from bayesieve import SelectiveNaiveBayes
from bayesieve.report import Question, judge_held_out, summarize


@pytest.fixture(scope="module", params=[2, 4])
def judged(request):
    X, y = odd_table(400, request.param, n_noise=2)
    held = np.arange(400) % 4 == 1
    model = SelectiveNaiveBayes().fit(X.filter(~held), y[~held])
    return model, X.filter(held), y[held], judge_held_out(model, X.filter(held), y[held], 5, 300)


def test_groups_divide_the_rows_and_keep_the_classes(judged):
    model, X, y, honest = judged
    rows = np.concatenate([fold.rows for fold in honest.folds])
    assert sorted(rows.tolist()) == list(range(100))
    for label in model.classes_:
        counts = [int((y[fold.rows] == label).sum()) for fold in honest.folds]
        assert max(counts) - min(counts) <= 1
    assert np.array_equal(honest.probabilities(None), model.predict_proba(X))
    assert np.array_equal(model.classes_[honest.predicted], model.predict(X))
    for size, probabilities in model.staged_predict_proba(X):
        assert np.array_equal(honest.probabilities(size), probabilities)


def test_the_summary_says_what_was_done(judged):
    model, X, _, honest = judged
    summary = summarize(model, X, honest, Question("y"))
    assert summary["judged"] == {"n_fitted": 300, "n_groups": 5, "words": honest.words}
    assert honest.words.startswith("100 of 400 rows, spread evenly over the table, were held out")
    assert "the other 300 rows" in honest.words
    assert "not fitted again for each fold" in honest.words
    assert summary["stability"]["n_folds"] == 0
    for size in summary["sizes"]:
        assert set(size["fit"].values()) == {None}
        assert sum(map(sum, size["confusion"])) == 100
