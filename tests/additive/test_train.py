"""Whole scorecards: copies of columns, given pairs, prices of pairs, and paths that are interrupted."""

import numpy as np
import pandas as pd
import pytest

from bayesieve import ScorecardClassifier
from bayesieve.additive.constants import CLASSES, ONE_SCORE
from bayesieve.additive.path import ColumnPath
from bayesieve.exceptions import InterruptedSearchWarning, ParameterError


def test_copies_of_two_values_are_named():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    first = np.where(rng.random(300) < 0.8, y, 1 - y)
    numbers = rng.normal(size=(2, 300))
    X = np.column_stack([first, numbers[0] + y, 2.0 * first + 3.0, numbers[1], np.ones(300), np.zeros(300)])
    model = ScorecardClassifier(n_pairs=0, keep=["x3", "x4", "x5"]).fit(X, y)
    assert "the same values, up to order, as 'x0'" in model.why_["x2"]["reason"]
    assert model.why_["x3"]["reason"] == "in keep"
    assert model.why_["x4"]["reason"] == model.why_["x5"]["reason"] == "constant"  # and not copies of each other
    scores = {name: model.why_[name]["score_alone"] for name in ("x0", "x1", "x3")}
    entropy = -np.log([y.mean(), 1.0 - y.mean()]) @ [y.mean(), 1.0 - y.mean()]
    assert scores["x3"] == pytest.approx(-entropy, abs=0.02)  # of no column, by log loss
    assert -entropy + 0.05 < min(scores["x0"], scores["x1"]) < 0.0


@pytest.mark.parametrize("n_features", ["auto", "best", 2])
@pytest.mark.parametrize("pair", [("n1", "n2"), ("n1", "copy")])
def test_given_pairs_are_selected_whatever_their_columns_gain(n_features, pair):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(400, 6))
    y = rng.logistic(size=400) < 3.0 * values[:, 0]
    X = pd.DataFrame(values, columns=["x", "n1", "n2", "n3", "n4", "n5"]).assign(copy=values[:, 2])
    model = ScorecardClassifier(n_features, n_pairs=[pair]).fit(X, y)
    assert model.pairs_ == [pair]
    assert [model.why_[name]["reason"] for name in pair] == ["in a pair of n_pairs"] * 2
    assert model.n_features_ == 2 or model.support_[0]
    with pytest.raises(ParameterError, match="Column 'n1' is both in n_pairs and in drop"):
        ScorecardClassifier(n_features, n_pairs=[pair], drop=["n1"]).fit(X, y)


@pytest.mark.parametrize(("n_rows", "two", "more"), [(600, 50, 50), (5000, 100, 50), (10**6, 200, 50)])
def test_more_pairs_are_searched_for_in_many_rows(n_rows, two, more):
    assert ONE_SCORE.most_pairs(n_rows) == two
    assert CLASSES.most_pairs(n_rows) == more


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_pair_has_a_price_at_every_size(n_classes):
    """Two columns that have an effect only together: the gain of the pair is what the second of them brings."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    y = (X[:, 0] * X[:, 1] > 0) ^ (rng.random(500) < 0.1)
    model = ScorecardClassifier(n_pairs=[(0, 1)], cv=3).fit(X, np.where((X[:, 2] > 1) & (n_classes == 3), 2, y))
    losses = dict(zip(model.cv_results_["n_features"].tolist(), -model.cv_results_["mean_test_score"], strict=True))
    for size in model.selection_.by_size:
        card = model.select(size).scorecard_
        assert len(card.pairs) == (size > 1)
        for pair in card.pairs:
            # The losses of sizes have weights of members by the other folds, and the gain has those of all rows.
            assert pair.gain == pytest.approx(losses[1] - losses[2], rel=0.15)
            assert f"by {pair.gain:.4f} per row" in model.select(size).why_["x0 × x1"]["reason"]


def test_an_interrupted_path_has_the_size_that_is_enough_so_far(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = (X[:, :5].sum(axis=1) + rng.logistic(size=300) > 0).astype(int)
    choose, calls = ColumnPath.choose, []

    def interrupted(self, n, room):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return choose(self, n, room)

    monkeypatch.setattr(ColumnPath, "choose", interrupted)
    with pytest.warns(InterruptedSearchWarning):
        stopped = ScorecardClassifier(n_pairs=0).fit(X, y)
    assert stopped.n_features_ == 3
    assert stopped.score(X, y) > 0.7


def test_a_path_that_stops_short_of_the_smallest_size_keeps_the_largest(monkeypatch):
    """The third column is noise: among allowed sizes, two columns would be enough."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 6))
    y = (2.0 * X[:, 0] + 2.0 * X[:, 1] + rng.logistic(size=300) > 0).astype(int)
    choose, calls = ColumnPath.choose, []

    def interrupted(self, n, room):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return choose(self, n, room)

    monkeypatch.setattr(ColumnPath, "choose", interrupted)
    with pytest.warns(InterruptedSearchWarning):
        stopped = ScorecardClassifier(n_features=(4, 6), n_pairs=0).fit(X, y)
    assert stopped.n_features_ == 3
    calls.clear()
    with pytest.warns(InterruptedSearchWarning):
        free = ScorecardClassifier(n_pairs=0).fit(X, y)
    assert free.n_features_ == 2
