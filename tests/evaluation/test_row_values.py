"""Groups and weights in nested cross-validation of selectors and classifiers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, log_loss, precision_score, recall_score, roc_auc_score
from sklearn.neighbors import KNeighborsClassifier

from bayesieve import FilterSelector, Learner, SelectiveNaiveBayes, evaluate
from bayesieve.evaluation.measures import Forecast, measure
from bayesieve.exceptions import DataError, ParameterError

RNG = np.random.default_rng(0)
N = 300
GROUPS = np.arange(N) % 60
X = pd.DataFrame({"a": RNG.normal(size=N), "b": RNG.normal(size=N)})
Y = (X["a"] + RNG.normal(size=N) > 0).to_numpy().astype(int)
WEIGHTS = RNG.integers(1, 4, N).astype(float)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weighted_measures_are_those_of_repeated_rows(n_classes):
    p = RNG.dirichlet(np.ones(n_classes), N).round(2)
    p /= p.sum(axis=1, keepdims=True)
    truth, labels = RNG.integers(n_classes, size=N), p.argmax(axis=1)
    rows = np.repeat(np.arange(N), WEIGHTS.astype(int))
    weighted = measure(truth, Forecast(labels, p, p), n_classes, weights=WEIGHTS)
    repeated = measure(truth[rows], Forecast(labels[rows], p[rows], p[rows]), n_classes)
    assert weighted == pytest.approx(repeated)
    if n_classes == 2:
        assert weighted["auc"] == pytest.approx(roc_auc_score(truth, p[:, 1], sample_weight=WEIGHTS))
        assert weighted["log_loss"] == pytest.approx(log_loss(truth, p, sample_weight=WEIGHTS), rel=1e-6)
        for name, score in (("precision", precision_score), ("recall", recall_score), ("f1", f1_score)):
            assert weighted[name] == pytest.approx(score(truth, labels, sample_weight=WEIGHTS))


def test_groups_are_in_one_fold_and_weights_reach_the_fit():
    """A label per group predicts rows of the same groups only, in the outer folds and in the inner ones."""
    sick = RNG.random(60) < 0.5
    y = np.where(RNG.random(N) < 0.05, 1, 0) ^ sick[GROUPS]
    ids = pd.DataFrame({"who": [f"p{each}" for each in GROUPS]})
    learner = Learner(LogisticRegression(), grid={"C": [0.1, 10.0]})
    mixed, apart = (
        evaluate(None, learner, (ids, y), cv=3, inner_cv=2, **given).to_frame()["accuracy"].mean()
        for given in ({}, {"groups": GROUPS, "sample_weight": WEIGHTS})
    )
    assert mixed > 0.8
    assert apart < 0.65


def test_weights_are_copies_for_the_selector_and_the_classifier():
    model = SelectiveNaiveBayes(cv=0)
    found = evaluate(None, model, (X, Y), cv=3, sample_weight=WEIGHTS).to_frame()
    plain = evaluate(None, model, (X, Y), cv=3).to_frame()
    assert not np.allclose(found["log_loss"], plain["log_loss"])
    ones = evaluate(None, model, (X, Y), cv=3, sample_weight=np.ones(N)).to_frame()
    assert np.allclose(ones["log_loss"], plain["log_loss"])


def test_what_cannot_be_weighted_is_refused():
    with pytest.raises(ParameterError, match=r"KNeighborsClassifier\.fit does not take it"):
        evaluate(None, KNeighborsClassifier(), (X, Y), cv=2, sample_weight=WEIGHTS)
    with pytest.raises(ParameterError, match="groups must be a mapping of the names of the 2 data sets"):
        evaluate(None, LogisticRegression(), {"u": (X, Y), "v": (X, Y)}, cv=2, groups=GROUPS)
    with pytest.raises(ParameterError, match="groups names the data set 'w'; the data sets are u"):
        evaluate(None, LogisticRegression(), {"u": (X, Y)}, cv=2, groups={"w": GROUPS})
    with pytest.raises(DataError, match=r"groups of .* has shape"):
        evaluate(None, LogisticRegression(), (X, Y), cv=2, groups=GROUPS[:4])


def test_each_data_set_has_its_own():
    found = evaluate(
        FilterSelector("mutual_info", n_features=1),
        LogisticRegression(),
        {"u": (X, Y), "v": (X, Y)},
        cv=2,
        groups={"u": GROUPS},
    )
    assert len(found.to_frame()) == 4
