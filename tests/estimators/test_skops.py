"""skops stores fitted estimators without code: what comes back predicts and selects the same."""

import numpy as np
import pytest
import skops.io
from sklearn.linear_model import LogisticRegression
from tables import two_classes

from bayesieve import (
    BoostSelector,
    FilterSelector,
    MODLDiscretizer,
    NaiveBayesSelector,
    ScorecardClassifier,
    SelectiveNaiveBayes,
    VoteClassifier,
    VoteSelector,
    WrapperSelector,
)

ESTIMATORS = [
    ScorecardClassifier(),
    SelectiveNaiveBayes(),
    SelectiveNaiveBayes(threshold=("recall", 0.9), bins="best", weights="none"),
    NaiveBayesSelector(),
    VoteSelector(cv=0),
    VoteClassifier(cv=0),
    BoostSelector(cv=0),
    FilterSelector(),
    FilterSelector("mrmr"),
    MODLDiscretizer(),
]


def through_skops(estimator):
    stored = skops.io.dumps(estimator)
    unknown = skops.io.get_untrusted_types(data=stored)
    assert all(name.startswith(("bayesieve.", "collections.", "fractions.")) for name in unknown), unknown
    return skops.io.loads(stored, trusted=unknown)


def codes(table):
    """Return a table as text, in which missing values are equal."""
    return np.asarray(table).astype(str)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_round_trip(estimator):
    X, y = two_classes()
    fitted = estimator.fit(X, y)
    back = through_skops(fitted)
    if hasattr(fitted, "transform"):
        assert np.array_equal(codes(back.transform(X)), codes(fitted.transform(X)))
    for method in ("predict", "predict_proba", "decision_function"):
        if hasattr(fitted, method):
            np.testing.assert_array_equal(np.asarray(getattr(back, method)(X)), np.asarray(getattr(fitted, method)(X)))
    for name in ("path_", "why_", "threshold_"):
        if hasattr(fitted, name):
            assert getattr(back, name) == getattr(fitted, name)
    if hasattr(fitted, "select"):
        np.testing.assert_array_equal(back.select(1).support_, fitted.select(1).support_)


def test_wrapper():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=80)
    X = rng.normal(size=(80, 3)) + y[:, None] * [1.0, 0.5, 0.0]
    fitted = WrapperSelector(LogisticRegression(), n_features=2, cv=2).fit(X, y)
    back = through_skops(fitted)
    np.testing.assert_array_equal(back.transform(X), fitted.transform(X))
    assert back.path_ == fitted.path_
