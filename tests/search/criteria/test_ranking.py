"""The largest precision at a minimum recall, against scikit-learn's curve, and as the aim of a search."""

import numpy as np
import pandas as pd
import pytest
from draws import draws
from sklearn.metrics import precision_recall_curve

from bayesieve import NaiveBayesSelector, SelectionPathDisplay, SelectiveNaiveBayes, VoteClassifier
from bayesieve.search.criteria import PrecisionAtRecall
from bayesieve.search.criteria.ranking import tie_rows


def by_curve(truth, scores, recall, weights=None):
    precisions, recalls, _ = precision_recall_curve(truth, scores, sample_weight=weights)
    return precisions[:-1][recalls[:-1] >= recall - 1e-12].max()


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("ties", [[], [[3, 0], [2, 0]], [[0, 3], [0, 2]]])
def test_without_rows_of_the_class_it_is_nothing_and_without_others_everything(ties, positive):
    expected = 2**40 if sum(tie[positive] for tie in ties) else 0
    counts = np.array(ties, dtype=np.int64).reshape(-1, 2)
    assert PrecisionAtRecall(0.5, positive).measure_ties(counts) == expected


@pytest.mark.parametrize("seed", range(draws(8, 20)))
@pytest.mark.parametrize("recall", [0.5, 0.9, 1.0])
def test_it_is_a_point_of_the_curve(seed, recall):
    rng = np.random.default_rng(seed)
    truth = rng.random(60) < 0.3
    truth[:2] = True, False
    keys = (3 * truth + rng.normal(scale=3, size=60)).round().astype(np.int64)
    weights = rng.integers(0, 4, 60)
    weights[:2] = 1
    ties = tie_rows(keys, truth, weights)[1]
    for positive, labels, scores in ((1, truth, keys), (0, ~truth, -keys)):
        measured = PrecisionAtRecall(recall, positive).measure_ties(ties) / 2**40
        assert measured == pytest.approx(by_curve(labels, scores, recall, weights), abs=1e-11)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_searches_of_rows_in_memory_and_in_blocks_agree(n_classes):
    X, y = alarm_table()
    labels = y if n_classes == 2 else np.where(X["noise"] > 0.8, "other", y)
    X["noise"] += labels == "ill"
    settings = {"criterion": "precision_at_recall", "n_features": 2, "cv": 3, "discretizer": "mdlp"}
    model = NaiveBayesSelector("floating", **settings).fit(X, labels)
    again = NaiveBayesSelector("floating", backend="reference", n_jobs=1, **settings).fit(X, labels)
    assert model.path_ == again.path_
    assert 0 < model.path_.scores[-1] <= 1


def test_without_positive_rows_it_is_zero():
    assert PrecisionAtRecall().measure_ties(np.array([[2, 0], [1, 0]])) == 0


def alarm_table(n_rows=600):
    """Return a column that finds most cases with certainty, and one that ranks all rows a little better."""
    rng = np.random.default_rng(0)
    y = rng.random(n_rows) < 0.2
    return (
        pd.DataFrame(
            {
                "sure of some": np.where(y & (rng.random(n_rows) < 0.6), 1, 0),
                "never misses": np.where(y, 1, rng.random(n_rows) < 0.35).astype(int),
                "noise": rng.normal(size=n_rows),
            }
        ),
        np.where(y, "ill", "well"),
    )


def test_a_search_selects_for_the_recall_that_is_required():
    X, y = alarm_table()
    first = {}
    for recall in (0.5, 0.95):
        options = {"criterion": "precision_at_recall", "weights": "none", "bins": "best", "cv": 0, "pos_label": "ill"}
        model = SelectiveNaiveBayes("forward", threshold=("recall", recall), n_features=1, **options).fit(X, y)
        first[recall] = model.path_.order[0]
        scores = model.predict_proba(X)[:, 0]
        assert model.path_.scores[-1] == pytest.approx(by_curve(y == "ill", scores, recall), abs=1e-9)
    assert first == {0.5: "sure of some", 0.95: "never misses"}


def test_selectors_and_votes_have_it():
    X, y = alarm_table()
    assert NaiveBayesSelector("forward", "precision_at_recall", n_features=1).fit(X, y).path_.is_loss is False
    model = VoteClassifier(1, "precision_at_recall", n_features=1, threshold=("recall", 0.9), pos_label="ill").fit(X, y)
    assert model.path_.order == ("never misses",)


def test_it_is_reported_along_a_path_and_chooses_among_subsets():
    X, y = alarm_table()
    options = {"weights": "none", "bins": "best", "cv": 0, "pos_label": "ill", "threshold": ("recall", 0.95)}
    model = SelectiveNaiveBayes("forward", n_features=2, scoring="precision_at_recall", **options).fit(X, y)
    reported = model.cv_results_["mean_test_precision_at_recall"]
    for size, score in zip(model.cv_results_["n_features"], reported, strict=True):
        expected = by_curve(y == "ill", model.select(int(size)).predict_proba(X)[:, 0], 0.95)
        assert score == pytest.approx(expected, abs=1e-9)
    SelectionPathDisplay.from_estimator(model, metric="precision_at_recall")
    chosen = NaiveBayesSelector("forward", "auc", choose_by="precision_at_recall", n_features=(0, 2), tol=None).fit(
        X, y
    )
    best = max(chosen.path_.best_by_size().values(), key=lambda visit: (visit.score, -visit.n_features))
    assert chosen.path_.order == best.columns


def test_a_checkpoint_of_another_recall_is_not_resumed(tmp_path):
    X, y = alarm_table()
    options = {"criterion": "precision_at_recall", "weights": "none", "bins": "best", "cv": 0, "pos_label": "ill"}
    for recall, first in ((0.5, "sure of some"), (0.95, "never misses")):
        model = SelectiveNaiveBayes(
            "forward", threshold=("recall", recall), n_features=1, checkpoint=f"{tmp_path}/", **options
        )
        assert model.fit(X, y).path_.order == (first,)
