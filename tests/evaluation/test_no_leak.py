"""Noise gives chance scores for every selector: selection, encoding and tuning do not use the test rows."""

import numpy as np
import pytest
from draws import draws
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB

from bayesieve import FilterSelector, Learner, NaiveBayesSelector, VoteSelector, evaluate
from bayesieve.fit.filter import FILTERS

N_ROWS, N_COLUMNS, SIZE = 240, draws(40, 100), 6
SELECTORS = {
    **{
        score: FilterSelector(
            score,
            n_features="auto" if score == "cfs" else SIZE,
            discretizer="modl" if score == "modl_level" else "equal_frequency",
        )
        for score in FILTERS
    },
    **{
        f"{rule}, {criterion}": VoteSelector(rule, criterion, n_features=SIZE, cv=0, discretizer="equal_frequency")
        for rule in ("any", "all", "majority")
        for criterion in ("expected", "log")
    },
    "wrapper": NaiveBayesSelector(n_features=SIZE, cv=0, discretizer="equal_width"),
}
LEARNERS = {
    "regression": Learner(LogisticRegression(solver="liblinear"), {"C": [0.1, 1.0]}),
    "bins": Learner(MultinomialNB(), encoding="deciles"),
}


def noise(n_columns=N_COLUMNS):
    rng = np.random.default_rng(7)
    return rng.normal(size=(N_ROWS, n_columns)), rng.permutation(N_ROWS) % 2


@pytest.fixture(scope="module")
def scores():
    return evaluate(SELECTORS, LEARNERS, noise(), sizes=[1, SIZE], cv=draws(2, 4)).to_frame()


@pytest.mark.slow
@pytest.mark.parametrize("selector", SELECTORS)
def test_noise_scores_as_chance(scores, selector):
    # A share of correct rows has a standard error of 0.5 / √rows; an area one of √((rows + 1) / (3 rows² / 4) / 4).
    rows = scores[scores["selector"] == selector].groupby(["classifier", "size"])
    assert (rows["accuracy"].mean() - 0.5).abs().max() < 3.5 * 0.5 / np.sqrt(N_ROWS)
    assert (rows["auc"].mean() - 0.5).abs().max() < 3.5 * np.sqrt(1 / (3 * N_ROWS))


def test_selection_on_all_rows_gives_optimistic_scores():
    X, y = noise(500)
    selected = SELECTORS["pearson"].fit(X, y).transform(X)
    leaked = evaluate(None, LEARNERS["regression"], (selected, y), cv=4).to_frame()
    assert leaked["accuracy"].mean() > 0.5 + 3.5 * 0.5 / np.sqrt(N_ROWS)
