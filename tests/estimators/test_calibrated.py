"""Probabilities that are calibrated on held-out rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import StratifiedKFold

import bayesieve
from bayesieve import SelectiveNaiveBayes
from bayesieve.decisions import CALIBRATIONS, brier_split
from bayesieve.exceptions import ParameterError


def redundant(seed, n=1500, copies=8):
    """Columns that repeat each other: naive Bayes of all of them is far too sure."""
    generator = np.random.default_rng(seed)
    y = generator.integers(0, 2, size=n)
    common = generator.normal(size=n) + 0.6 * y
    X = pd.DataFrame({f"x{j}": common + 0.3 * generator.normal(size=n) for j in range(copies)})
    return X, y


def model(kind, **changes):
    options = {"weights": "none", "n_features": "all", "cv": 5, "bins": "best", "discretizer": "equal_frequency"}
    return SelectiveNaiveBayes(calibration=kind, **(options | changes))


@pytest.mark.parametrize("kind", CALIBRATIONS)
def test_overconfidence_is_cured(kind):
    (X, y), (new, truth) = redundant(1), redundant(2)
    before, after = (model(each).fit(X, y).predict_proba(new)[:, 1] for each in (None, kind))
    raw, cured = (brier_split(p, truth == 1, n_groups=10) for p in (before, after))
    assert cured.calibration < raw.calibration / 5
    assert cured.brier < raw.brier - 0.03
    # An increasing map changes no order.
    order = np.argsort(before)
    assert (np.diff(after[order]) >= -1e-12).all()


def test_isotonic_is_learnt_from_out_of_fold_rows():
    X, y = redundant(3, n=400)
    fitted = model("isotonic").fit(X, y)
    splits = [rows for _, rows in StratifiedKFold(5).split(X, y)]
    scores, truth = [], []
    for rows in splits:
        rest = np.setdiff1d(np.arange(len(y)), rows)
        log_p = model(None, cv=0).fit(X.iloc[rest], y[rest]).predict_log_proba(X.iloc[rows])
        scores.append(log_p[:, 1] - log_p[:, 0])
        truth.append(y[rows])
    theirs = IsotonicRegression(out_of_bounds="clip").fit(np.concatenate(scores), np.concatenate(truth))
    log_p = model(None).fit(X, y).predict_log_proba(X)
    wanted = theirs.predict(log_p[:, 1] - log_p[:, 0])
    smoothed = (len(y) * wanted + 0.25) / (len(y) + 0.5)
    np.testing.assert_allclose(fitted.predict_proba(X)[:, 1], smoothed, atol=1e-9)


@pytest.mark.parametrize("kind", CALIBRATIONS)
@pytest.mark.parametrize("changes", [{}, {"weights": "penalized", "bins": "averaged", "discretizer": "modl"}])
@pytest.mark.parametrize("classes", [2, 3])
def test_files_hold_it_to_the_last_bit(kind, changes, classes, tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    X, y = X[y < classes], y[y < classes]
    fitted = model(kind, n_features="auto", **changes).fit(X, y)
    fitted.save(tmp_path / "model.json")
    again = bayesieve.load(tmp_path / "model.json")
    for method in ("predict_proba", "predict_log_proba", "predict"):
        np.testing.assert_array_equal(getattr(again, method)(X), getattr(fitted, method)(X))
    assert again.explain(X) == fitted.explain(X)
    probabilities = fitted.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-12)
    assert (probabilities > 0).all()
    np.testing.assert_array_equal(fitted.predict(X), probabilities.argmax(axis=1))


def test_explanations_tell_of_it():
    X, y = redundant(4, n=400)
    fitted = model("beta").fit(X, y)
    (decision,) = fitted.explain(X.head(1), classes=(1, 0))
    p = fitted.predict_proba(X.head(1))[0]
    assert decision.calibrated == pytest.approx(np.log(p[1] / p[0]))
    assert f"calibrated {decision.calibrated:+.3f}" in str(decision)
    assert decision.log_odds == pytest.approx(decision.prior + sum(each.log_odds for each in decision.contributions))
    assert model(None).fit(X, y).explain(X.head(1))[0].calibrated is None


@pytest.mark.parametrize("kind", CALIBRATIONS)
def test_another_class_prior_comes_after_calibration(kind):
    X, y = redundant(5, n=600)
    before = model(kind).fit(X, y).predict_proba(X)
    after = model(kind, class_prior={0: 0.9, 1: 0.1}).fit(X, y).predict_proba(X)
    share = np.mean(y)
    odds = before[:, 1] / before[:, 0] * (0.1 / share) / (0.9 / (1 - share))
    np.testing.assert_allclose(after[:, 1], odds / (1 + odds), atol=2 / len(y))


def test_every_size_has_its_own():
    X, y = redundant(6, n=600)
    fitted = model("beta").fit(X, y)
    small = fitted.select(1)
    assert small.scorecard_.calibration != fitted.scorecard_.calibration
    alone = model("beta", keep=list(small.feature_weights_), n_features=1).fit(X, y)
    np.testing.assert_allclose(small.predict_proba(X), alone.predict_proba(X), atol=1e-12)


def test_all_rows_each_without_itself():
    X, y = redundant(7, n=800)
    options = {"bins": "averaged", "discretizer": "modl", "cv": 0}
    fitted = model("beta", **options).fit(X, y)
    new, truth = redundant(8, n=800)
    split = brier_split(fitted.predict_proba(new)[:, 1], truth == 1, n_groups=10)
    assert split.calibration < 0.01


def test_calibration_without_held_out_rows_is_refused():
    X, y = redundant(9, n=100)
    with pytest.raises(ParameterError, match="needs held-out rows"):
        model("isotonic", cv=0).fit(X, y)
