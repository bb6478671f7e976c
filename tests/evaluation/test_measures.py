"""Measures against scikit-learn's, and undefined ones."""

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
    labels = probabilities.argmax(axis=1)
    values = measure(truth, Forecast(labels, probabilities, probabilities), n_classes)
    options = {"pos_label": 1} if n_classes == 2 else {"average": "macro"}
    assert values["accuracy"] == pytest.approx(accuracy_score(truth, labels))
    assert values["precision"] == pytest.approx(precision_score(truth, labels, zero_division=0, **options))
    assert values["recall"] == pytest.approx(recall_score(truth, labels, **options))
    assert values["f1"] == pytest.approx(f1_score(truth, labels, **options))
    assert values["log_loss"] == pytest.approx(log_loss(truth, probabilities))
    several = {"multi_class": "ovr", "average": "weighted"}
    ranking = probabilities[:, 1] if n_classes == 2 else probabilities
    assert values["auc"] == pytest.approx(roc_auc_score(truth, ranking, **({} if n_classes == 2 else several)))


def test_by_hand():
    truth, labels = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 0, 1])
    probabilities = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.5, 0.5], [0.0, 1.0]])
    values = measure(truth, Forecast(labels, probabilities, probabilities), 2)
    assert values["precision"] == values["recall"] == values["f1"] == pytest.approx(2 / 3)
    assert values["auc"] == pytest.approx(5 / 6)  # one pair of six is in the wrong order
    assert values["brier"] == pytest.approx((0.01 + 0.36 + 0.04 + 0.25) / 5)
    other = measure(truth, Forecast(labels, probabilities, probabilities), 2, positive=0)
    assert other["recall"] == other["precision"] == 0.5
    assert other["auc"] == values["auc"]


def test_undefined_measures():
    truth = np.array([1, 1])
    values = measure(truth, Forecast(np.array([0, 0]), None, None), 2)
    assert (values["precision"], values["recall"], values["f1"]) == (0, 0, 0)
    assert all(np.isnan(values[name]) for name in ("auc", "log_loss", "brier"))
    certain = np.array([[1.0, 0.0], [0.0, 1.0]])
    sure = measure(truth, Forecast(np.array([0, 1]), certain, certain), 2)
    assert np.isnan(sure["auc"])
    assert sure["log_loss"] == pytest.approx(-np.log(np.finfo(float).eps) / 2)
