"""The scorecard as users meet it: reasons, bins, sizes, and the file."""

import numpy as np
import polars as pl
import pytest

from bayesieve import BinsDisplay, RowExplanationDisplay, ScorecardClassifier, SelectionPathDisplay, load
from bayesieve.explain.row_explanation import Contribution, RowExplanation

CONTRIBUTIONS = (("a", 1, 0.2), ("b", 2, -12.0))


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(0)
    a, b, c, weak, noise = rng.normal(size=(5, 600))
    y = np.where(rng.logistic(size=600) < 3 * np.sign(a * b) + 1.5 * c + 0.6 * weak, "yes", "no")
    X = pl.DataFrame({"a": a, "b": b, "c": c, "c again": np.exp(c), "weak": weak, "noise": noise, "one": np.ones(600)})
    return X, y, ScorecardClassifier().fit(X, y)


def test_reasons(case):
    X, y, model = case
    why = model.why_
    assert list(why) == [*X.columns, "a × b"]
    assert why["c again"]["reason"] == "the same values, up to order, as 'c'"
    assert (why["c again"]["redundant_with"], why["c again"]["redundancy"]) == ("c", 1.0)
    assert why["one"]["reason"] == "constant"
    some = why["noise"]["gain"] > 0
    assert not why["noise"]["selected"]
    assert why["noise"]["reason"] == (
        f"beyond the {model.n_features_} columns that are enough"
        if some
        else "no evidence of an effect, given the selected columns"
    )
    (pair,) = model.scorecard_.pairs
    assert why["a × b"]["selected"]
    assert why["a × b"]["gain"] == pair.gain
    assert f"its log Bayes factor is {pair.log_bayes_factor:.1f}" in why["a × b"]["reason"]
    few = ScorecardClassifier(n_features=2).fit(X, y)
    assert few.why_["c"]["reason"] == "beyond the number of columns in n_features (--max-features)"
    little = ScorecardClassifier(min_gain=0.5).fit(X, y)
    assert little.why_["c"]["reason"] == f"beyond the {little.n_features_} columns that are enough"


def test_the_bins_shown_are_those_of_the_model(case):
    X, _, model = case
    shown = model.scorecard()
    for table in model.scorecard_.tables:
        assert model.partitions_[table.name] is table.partition
        points = shown.filter(pl.col("column") == table.name)["points"].to_numpy()
        assert points == pytest.approx((table.table[:-1, 1] - table.table[:-1, 0]) / 2**40)
        assert points == pytest.approx(points.round(2), abs=1e-9)
    smaller = model.select(2)
    assert list(smaller.partitions_) == smaller.scorecard_.names
    assert len(BinsDisplay.from_estimator(model, "c").bin_labels) == model.partitions_["c"].n_bins
    assert SelectionPathDisplay.from_estimator(model).n_features.tolist() == list(model.selection_.by_size)
    assert RowExplanationDisplay.from_estimator(model, X[:1]) is not None


def test_each_size_predicts_by_its_own_bins(case):
    X, _, model = case
    for size, probabilities in model.staged_predict_proba(X):
        assert np.array_equal(probabilities, model.select(size).predict_proba(X))


def test_the_file_keeps_bins_and_reasons(case, tmp_path):
    X, _, model = case
    model.save(tmp_path / "model.json")
    back = load(tmp_path / "model.json")
    assert np.array_equal(back.predict_proba(X), model.predict_proba(X))
    assert back.why_ == model.why_
    assert back.scorecard().equals(model.scorecard())


def test_counts_of_rows_are_whole_and_weights_are_not():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    target = (X[:, 0] + rng.normal(size=90) > 0).astype(int)
    count = ScorecardClassifier(n_features=1).fit(X, target).scorecard()["count"]
    assert count.dtype.kind == "i"
    assert count[0] == 90
    weighted = ScorecardClassifier(n_features=1).fit(X, target, sample_weight=np.full(90, 0.75)).scorecard()["count"]
    assert weighted[0] == 67.5


def test_numbers_of_an_explanation_are_below_each_other():
    small, large = (Contribution(name, value, f"<= {value}", points) for name, value, points in CONTRIBUTIONS)
    shown = str(RowExplanation("yes", "no", -11.3, 0.5, (large, small)))
    assert shown.splitlines()[1:] == ["   +0.500  intercept", "  -12.000  b = 2 (<= 2)", "   +0.200  a = 1 (<= 1)"]
