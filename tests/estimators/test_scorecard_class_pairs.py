"""Pairs of a ScorecardClassifier of three classes, and everything that reads them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import log_loss

import bayesieve
from bayesieve import ScorecardClassifier


def rows_with_a_product(seed, n_rows=1500):
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(n_rows, 4)), columns=list("abcd"))
    scores = np.stack([X["a"] + 1.5 * X["a"] * X["b"], X["c"], np.zeros(n_rows)], axis=1)
    return X, np.array(["low", "mid", "top"])[(scores + random.gumbel(size=scores.shape)).argmax(axis=1)]


@pytest.fixture(scope="module")
def model():
    return ScorecardClassifier().fit(*rows_with_a_product(0))


def test_the_pair_is_found_and_helps_on_new_rows(model):
    X, y = rows_with_a_product(1)
    without = ScorecardClassifier(n_pairs=0).fit(*rows_with_a_product(0))
    assert model.pairs_ == [("a", "b")]
    assert without.pairs_ == []
    assert log_loss(y, model.predict_proba(X)) < log_loss(y, without.predict_proba(X)) - 0.03


def test_the_score_is_the_sum_of_points_and_cells(model):
    X, card = rows_with_a_product(2)[0], model.scorecard_
    scores = np.repeat(card.start[None], len(X), axis=0)
    for table in card.tables:
        scores = scores + table.table[table.partition.code_numbers(X[table.name].to_numpy())]
    for pair in card.pairs:
        codes = [each.code_numbers(X[name].to_numpy()) for name, each in zip(pair.names, pair.partitions, strict=True)]
        scores = scores + pair.table[codes[0], codes[1]]
        assert pair.table.shape[2] == 3
        assert pair.counts.sum() == 1500
    scores = scores / 2**40
    softmax = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert_allclose(model.predict_proba(X), (1500 * softmax + 0.5 / 3) / 1500.5, atol=1e-9)


def test_model_file_explanation_and_sizes_have_it(model, tmp_path):
    X = rows_with_a_product(3)[0][:20]
    model.save(tmp_path / "model.json")
    assert_array_equal(bayesieve.load(tmp_path / "model.json").predict_proba(X), model.predict_proba(X))
    assert "a × b" in str(model.explain(X[:1]))
    assert "a × b" in model.why_


def test_given_pairs_are_taken():
    X, y = rows_with_a_product(4, 400)
    assert ScorecardClassifier("best", n_pairs=[("b", "a")]).fit(X, y).pairs_ == [("a", "b")]
