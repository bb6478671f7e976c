"""Points as banks use them: scaled, with weights of evidence, information values and reason codes."""

from math import log

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from bayesieve import MODLDiscretizer, ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.exceptions import ParameterError

RNG = np.random.default_rng(0)
Y = RNG.integers(2, size=400)
X = pd.DataFrame(
    {
        "income": Y + RNG.normal(scale=0.7, size=400).round(2),
        "town": np.where(RNG.random(400) < 0.3 + 0.4 * Y, "b", "a"),
        "noise": RNG.normal(size=400).round(2),
    }
)
MODEL = SelectiveNaiveBayes(bins="best", weights="none", cv=0).fit(X, Y)


SCALE = {"base_score": 600, "base_odds": 50, "points_to_double": 20}


def test_scaled_points_are_the_log_odds_of_the_other_class_on_the_scale():
    card = MODEL.scorecard(None, **SCALE)
    factor = 20 / log(2)
    assert card["scaled points"].tolist()[0] == round(600 - factor * log(50) - factor * card["points"][0])
    assert card["scaled points"].tolist()[1:] == np.rint(-factor * card["points"][1:]).astype(int).tolist()
    assert card["high scores mean"].unique().tolist() == [0]
    good = MODEL.scorecard(None, **SCALE, adverse=0)
    assert good["high scores mean"].unique().tolist() == [1]
    assert good["scaled points"].tolist()[1:] == (-card["scaled points"])[1:].tolist()
    assert good["points"].tolist() == card["points"].tolist()


def scores_of(card, model, rows):
    """Return the scores of rows, added up from the table; a value without a row of its own has that of *unseen*."""
    scaled = dict(zip(zip(card["column"], card["bin"], strict=True), card["scaled points"], strict=True))
    found = []
    for row in model.explain(rows):
        own = [
            scaled.get((term.column, term.bin), scaled.get((term.column, "unseen"), 0)) for term in row.contributions
        ]
        found.append(scaled["", "intercept"] + sum(own))
    return found


@pytest.mark.parametrize("spread", [False, True])
@pytest.mark.parametrize("adverse", [None, 0, 1])
def test_rows_add_up_to_scores_of_the_scale(adverse, spread):
    rows = pd.concat([X.head(20), X.head(3).assign(town="never seen")])
    for model in (MODEL, ScorecardClassifier(n_pairs=[("income", "town")], keep="town").fit(X, Y)):
        card = model.scorecard(None, **SCALE, adverse=adverse, spread_intercept=spread)
        n_terms = card["column"].nunique() - 1
        scores = scores_of(card, model, rows)
        sign = 1 if adverse == 0 else -1
        for score, row in zip(scores, model.explain(rows, (1, 0)), strict=True):
            assert score == pytest.approx(600 + 20 * (sign * row.log_odds - log(50)) / log(2), abs=0.5 * n_terms + 0.6)


def test_those_who_pay_have_more_points():
    """The positive class is what a lender fears: at odds of 50 good ones to a bad one, the score is 600."""
    rng = np.random.default_rng(3)
    late = rng.integers(0, 2, 4000)
    default = rng.random(4000) < np.where(late == 1, 0.2, 1 / 51)
    model = ScorecardClassifier(n_pairs=0).fit(pd.DataFrame({"late": late}), default.astype(int))
    card = model.scorecard(**SCALE)
    points = dict(zip(card["bin"], card["scaled points"], strict=True))
    low, high = points["intercept"] + min(points["<= 0.5"], points["> 0.5"]), points["intercept"] + points["<= 0.5"]
    assert low < 550
    assert high == pytest.approx(600, abs=10)


def test_the_intercept_is_spread_in_equal_shares():
    card = MODEL.scorecard(None, **SCALE)
    spread = MODEL.scorecard(None, **SCALE, spread_intercept=True)
    assert spread["scaled points"][0] == 0
    unseen = spread[spread["bin"] == "unseen"]
    assert unseen["column"].tolist() == [name for name in dict.fromkeys(card["column"]) if name]
    assert unseen["scaled points"].sum() == card["scaled points"][0]
    assert np.ptp(unseen["scaled points"]) <= 1
    assert unseen["count"].tolist() == [0] * len(unseen)
    assert (spread["scaled points"][1:] > 0).all()
    assert (card["scaled points"][1:] < 0).any()
    same = spread[spread["bin"] != "unseen"].reset_index(drop=True)
    for name in ("column", "bin", "points", "weight of evidence", "information value", "share"):
        assert same[name].tolist() == card[name].tolist()


def test_weight_of_evidence_and_information_value_by_hand():
    card = MODEL.scorecard(None)
    town = card[card["column"] == "town"].set_index("bin")
    share = {c: np.mean(X["town"][c == Y] == "b") for c in (0, 1)}
    woe = log(share[1] / share[0])
    assert town.loc["b", "weight of evidence"] == pytest.approx(woe, abs=1e-3)
    assert town.loc["b", "information value"] == pytest.approx((share[1] - share[0]) * woe, abs=1e-3)
    table = MODLDiscretizer().fit(X, Y).binning_table("town")
    assert table["information value"].sum() == pytest.approx(town["information value"].sum())


def test_reason_codes_are_for_two_classes():
    assert list(MODEL.reason_codes(X, 2).columns) == ["adverse", "reason 1", "reason 2"]
    with pytest.raises(ParameterError, match="two classes; this model has 3"):
        SelectiveNaiveBayes().fit(X, np.arange(400) % 3).reason_codes(X)


def test_woe_transform_is_the_weight_of_evidence_of_the_binning_table():
    woe = MODLDiscretizer(encode="woe").fit(X, Y)
    table = woe.binning_table("income")
    bins = MODLDiscretizer().fit(X, Y).transform(X)[:, 0]
    np.testing.assert_allclose(woe.transform(X)[:, 0], table["weight of evidence"].to_numpy()[bins])
    new = X.head(1).assign(town="never seen")
    assert woe.transform(new)[0, 1] == 0.0
    assert make_pipeline(woe, LogisticRegression()).fit(X, Y).score(X, Y) > 0.7
    with pytest.raises(ParameterError, match="encode='woe' is for two classes"):
        MODLDiscretizer(encode="woe").fit(X, np.arange(400) % 3)


def test_scales_that_cannot_be():
    with pytest.raises(ParameterError, match="base_odds must be a positive number"):
        MODEL.scorecard(base_score=600, base_odds=0)
    for points in (0, -20, np.inf):
        with pytest.raises(ParameterError, match="points_to_double must be a positive number"):
            MODEL.scorecard(base_score=600, points_to_double=points)
    with pytest.raises(ParameterError, match=r"adverse is 2; the classes are \[0, 1\]"):
        MODEL.scorecard(base_score=600, adverse=2)
