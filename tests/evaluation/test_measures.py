"""Measures against scikit-learn's, and where they are not defined."""

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    log_loss,
    precision_score,
    recall_score,
    roc_auc_score,
)

from bayesieve.evaluation.measures import Forecast, measure


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_agree_with_scikit_learn(n_classes, seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_classes, 60)
    scores = np.round(rng.random((60, n_classes)) + (truth[:, None] == np.arange(n_classes)), 1) + 0.05  # ties
    probabilities = scores / scores.sum(axis=1, keepdims=True)
    decided = probabilities.argmax(axis=1)
    found = measure(truth, Forecast(decided, probabilities, probabilities), n_classes)
    how = {"pos_label": 1} if n_classes == 2 else {"average": "macro"}
    assert found["accuracy"] == pytest.approx(accuracy_score(truth, decided))
    assert found["precision"] == pytest.approx(precision_score(truth, decided, zero_division=0, **how))
    assert found["recall"] == pytest.approx(recall_score(truth, decided, **how))
    assert found["f1"] == pytest.approx(f1_score(truth, decided, **how))
    assert found["log_loss"] == pytest.approx(log_loss(truth, probabilities))
    several = {"multi_class": "ovr", "average": "weighted"}
    ranked = probabilities[:, 1] if n_classes == 2 else probabilities
    assert found["auc"] == pytest.approx(roc_auc_score(truth, ranked, **({} if n_classes == 2 else several)))


def test_by_hand():
    truth, decided = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 0, 1])
    probabilities = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.5, 0.5], [0.0, 1.0]])
    found = measure(truth, Forecast(decided, probabilities, probabilities), 2)
    assert found["precision"] == found["recall"] == found["f1"] == pytest.approx(2 / 3)
    assert found["auc"] == pytest.approx(5 / 6)  # one pair of six is in the wrong order
    assert found["brier"] == pytest.approx(2 * (0.01 + 0.36 + 0.04 + 0.25) / 5)
    other = measure(truth, Forecast(decided, probabilities, probabilities), 2, positive=0)
    assert other["recall"] == other["precision"] == 0.5
    assert other["auc"] == found["auc"]


def test_what_is_not_defined():
    truth = np.array([1, 1])
    found = measure(truth, Forecast(np.array([0, 0]), None, None), 2)
    assert (found["precision"], found["recall"], found["f1"]) == (0, 0, 0)
    assert all(np.isnan(found[name]) for name in ("auc", "log_loss", "brier"))
    certain = np.array([[1.0, 0.0], [0.0, 1.0]])
    sure = measure(truth, Forecast(np.array([0, 1]), certain, certain), 2)
    assert np.isnan(sure["auc"])
    assert sure["log_loss"] == pytest.approx(-np.log(np.finfo(float).eps) / 2)
