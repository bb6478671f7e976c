"""Combinations of parameters that cannot work are refused before any bin is learned."""

import numpy as np
import pandas as pd
import pytest

from bayesieve import (
    BoostSelector,
    FilterSelector,
    NaiveBayesSelector,
    SelectiveNaiveBayes,
    VoteClassifier,
    VoteSelector,
)
from bayesieve.estimators import search_estimator
from bayesieve.exceptions import ParameterError

RNG = np.random.default_rng(0)
Y = np.arange(60) % 2
X = pd.DataFrame({"a": Y + RNG.normal(size=60), "b": RNG.normal(size=60)})
THREE = np.arange(60) % 3
GROUPS = np.arange(60) // 5
BENEFITS = np.zeros((60, 2, 2))
PAIRS = [(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))]

CASES = [
    *((kind(), {"benefits": BENEFITS}, "benefits would be ignored")
      for kind in (NaiveBayesSelector, SelectiveNaiveBayes, VoteSelector, VoteClassifier, BoostSelector)),
    *((kind(benefit_matrix=np.eye(2)), {}, "benefit_matrix would be ignored")
      for kind in (NaiveBayesSelector, SelectiveNaiveBayes)),
    (NaiveBayesSelector(criterion="benefit"), {}, "neither is given"),
    (SelectiveNaiveBayes(criterion="benefit", benefit_matrix=np.eye(2), weights="averaged"), {}, "weights='none' or"),
    *((kind(one_se=True, cv=cv), {}, "one_se needs a standard error over folds")
      for kind in (NaiveBayesSelector, SelectiveNaiveBayes, VoteSelector, BoostSelector)
      for cv in (0, 0.3, PAIRS[:1])),
    (SelectiveNaiveBayes(one_se=True, weights="fractional"), {}, "one_se needs a standard error"),
    (NaiveBayesSelector(one_se=True), {"X_val": X, "y_val": Y}, "one_se needs a standard error"),
    *((kind(cv=cv), {"groups": GROUPS}, "groups would be ignored")
      for kind in (NaiveBayesSelector, SelectiveNaiveBayes, VoteSelector, BoostSelector) for cv in (0, PAIRS)),
    (NaiveBayesSelector(), {"X_val": X, "y_val": Y, "groups": GROUPS}, "groups would be ignored"),
    (FilterSelector(), {"groups": GROUPS}, "groups would be ignored"),
    (SelectiveNaiveBayes(calibration="beta", bins="best", cv=0), {}, "needs held-out rows"),
    (SelectiveNaiveBayes(discretizer="mdlp"), {}, "use bins='best'"),
    (SelectiveNaiveBayes(feature_groups={"both": [0, 1]}), {}, "feature_groups needs a search"),
    (SelectiveNaiveBayes(weights="fractional", start_from=[0]), {}, "start_from needs a search"),
    (NaiveBayesSelector(), {"X_val": X}, "X_val and y_val belong together"),
    (VoteSelector(pos_label=7), {}, "pos_label is 7; the classes are"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def no_work(monkeypatch):
    def work(*_):
        raise AssertionError("bins are learned")

    monkeypatch.setattr(search_estimator, "prepare", work)


@pytest.mark.parametrize(("estimator", "options", "message"), CASES)
def test_refused_in_one_sentence(estimator, options, message):
    with pytest.raises(ParameterError, match=message) as refusal:
        estimator.fit(X, Y, **options)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("parameters", [{"threshold": "f1"}, {"threshold": 0.3}, {"pos_label": 1}])
def test_what_is_for_two_classes(parameters):
    with pytest.raises(ParameterError, match="for two classes; this target has 3"):
        SelectiveNaiveBayes(**parameters).fit(X, THREE)
