"""A category with very many values: explanations and the report show a few of them, and how many others there are."""

import re

import numpy as np
import pandas as pd
import pytest

from bayesieve import ScorecardClassifier
from bayesieve.report import Report

N_VALUES = 4000


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    shop, x = rng.permutation(np.arange(12_000) % N_VALUES), rng.normal(size=12_000)
    log_odds = rng.normal(size=N_VALUES)[shop] * 2.0 + x
    y = (rng.random(len(x)) < 1.0 / (1.0 + np.exp(-log_odds))).astype(int)
    X = pd.DataFrame({"shop": [f"shop {i}" for i in shop], "x": x})
    return ScorecardClassifier("best", n_pairs=[("shop", "x")]).fit(X, y), X, y


def test_an_explanation_has_the_value_of_the_row_and_a_short_description_of_its_bin(fitted):
    model, X, _ = fitted
    assert len(model.scorecard_["shop"].partition.groups) < N_VALUES
    explanations = model.explain(X.head(20))
    for explanation, value in zip(explanations, X["shop"], strict=False):
        assert f"shop = {value} (" in str(explanation)
        assert max(map(len, str(explanation).splitlines())) < 250
    assert re.search(r"\(shop \d+, .* and \d+ more\)", str(explanations[0]))


def test_the_report_shows_some_values_of_each_bin(fitted):
    model, X, y = fitted
    page = Report.from_fitted(model, X.head(500), y[:500]).html
    assert re.search(r"shop \d+, .{0,60} and \d+ more", page)
    assert max(len(text) for text in re.findall(r"(?:shop \d+, )+", page)) < 100
