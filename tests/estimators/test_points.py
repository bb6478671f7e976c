"""Points as banks use them: scaled, with weights of evidence, information values and reason codes."""

from math import log

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from bayesieve import MODLDiscretizer, SelectiveNaiveBayes
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


def test_scaled_points_are_the_log_odds_on_the_scale():
    card = MODEL.scorecard(None, base_score=600, base_odds=50, points_to_double=20)
    factor = 20 / log(2)
    assert card["scaled points"].tolist()[0] == round(600 - factor * log(50) + factor * card["points"][0])
    assert card["scaled points"].tolist()[1:] == np.rint(factor * card["points"][1:]).astype(int).tolist()


def test_rows_add_up_to_scores_of_the_scale():
    card = MODEL.scorecard(None, base_score=600, base_odds=50, points_to_double=20)
    scaled = dict(zip(zip(card["column"], card["bin"], strict=True), card["scaled points"], strict=True))
    for row in MODEL.explain(X.head(20), (1, 0)):
        score = scaled["", "intercept"] + sum(scaled[term.column, term.bin] for term in row.contributions)
        assert score == pytest.approx(600 + 20 * (row.log_odds - log(50)) / log(2), abs=1.5)


def test_weight_of_evidence_and_information_value_by_hand():
    card = MODEL.scorecard(None)
    town = card[card["column"] == "town"].set_index("bin")
    share = {c: np.mean(X["town"][c == Y] == "b") for c in (0, 1)}
    woe = log(share[1] / share[0])
    assert town.loc["b", "weight of evidence"] == pytest.approx(woe, abs=1e-3)
    assert town.loc["b", "information value"] == pytest.approx((share[1] - share[0]) * woe, abs=1e-3)
    table = MODLDiscretizer().fit(X, Y).binning_table("town")
    assert table["information value"].sum() == pytest.approx(town["information value"].sum())


def test_reason_codes_are_the_largest_losses_of_points():
    reasons = MODEL.reason_codes(X, 2)
    assert list(reasons.columns) == ["reason 1", "reason 2"]
    card = MODEL.scorecard(None)
    best = card[card["column"] != ""].groupby("column")["points"].max()
    for found, row in zip(reasons["reason 1"], MODEL.explain(X, (1, 0)), strict=True):
        lost = {term.column: best[term.column] - term.log_odds for term in row.contributions}
        worst = max(lost, key=lost.get)
        assert pd.isna(found) if lost[worst] < 1e-9 else found == worst
    other = MODEL.reason_codes(X, 1, adverse=1)["reason 1"]
    assert (other.fillna("") != reasons["reason 1"].fillna("")).any()
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
    with pytest.raises(ParameterError, match="points_to_double must be a number other than 0"):
        MODEL.scorecard(base_score=600, points_to_double=0)
