"""Pairs of a ScorecardClassifier of three classes, and everything that reads them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import log_loss

import bayesieve
from bayesieve import ScorecardClassifier
from bayesieve.additive import pair_data, train
from bayesieve.additive.members import fit_judged_scores


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


def rows_of_eight_classes(seed, n_rows=1200, effect=0.5):
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(n_rows, 4)), columns=list("abcd"))
    scores = X.to_numpy() @ random.normal(size=(4, 8))
    product = effect * X["a"] * X["b"]
    scores[:, 0] += product
    scores[:, 1] -= product
    return X, (scores + random.gumbel(size=scores.shape)).argmax(axis=1)


def test_a_weak_pair_of_many_classes_is_found_beside_fits_without_the_judged_fold(monkeypatch):
    X, y = rows_of_eight_classes(43)
    assert ScorecardClassifier("best").fit(X, y).pairs_ == [("a", "b")]
    monkeypatch.setattr(train, "fit_judged_scores", lambda *_: None)
    assert ScorecardClassifier("best").fit(X, y).pairs_ == []


def test_threads_rows_and_journals_change_no_bit(model, tmp_path):
    X, y = rows_with_a_product(0)
    order = np.random.default_rng(0).permutation(len(X))
    probabilities = model.predict_proba(X)
    shuffled = ScorecardClassifier(n_jobs=2).fit(X.iloc[order].reset_index(drop=True), y[order])
    assert_array_equal(shuffled.predict_proba(X), probabilities)
    for _ in range(2):
        resumed = ScorecardClassifier(checkpoint=tmp_path / "c.json").fit(X, y)
        assert_array_equal(resumed.predict_proba(X), probabilities)


@pytest.mark.parametrize("stage", [0, 1, 30])
def test_an_interrupted_search_of_pairs_resumes(model, tmp_path, monkeypatch, stage):
    """Ctrl-C in fits without two folds, at several of them: the journal has no pairs yet."""
    X, y = rows_with_a_product(0)
    calls = []

    def interrupted(rows, backend, n_threads, check):
        def checked():
            calls.append(len(calls))
            if len(calls) > stage:
                raise KeyboardInterrupt
            check()

        return fit_judged_scores(rows, backend, n_threads, checked)

    monkeypatch.setattr(train, "fit_judged_scores", interrupted)
    with pytest.warns(bayesieve.exceptions.InterruptedSearchWarning):
        ScorecardClassifier(checkpoint=tmp_path / "c.json").fit(X, y)
    monkeypatch.undo()
    resumed = ScorecardClassifier(checkpoint=tmp_path / "c.json").fit(X, y)
    assert_array_equal(resumed.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("cv", [2, 3, 8])
def test_any_number_of_folds_finds_the_pair(cv):
    assert ("a", "b") in ScorecardClassifier("best", cv=cv).fit(*rows_with_a_product(0)).pairs_


def test_weights_are_copies_of_rows():
    X, y = rows_with_a_product(5, 900)
    weights = np.random.default_rng(0).integers(1, 3, len(X))
    copies, fold = np.repeat(np.arange(len(X)), weights), np.arange(len(X)) % 3
    folds, copied = (
        [(np.flatnonzero(each != q), np.flatnonzero(each == q)) for q in range(3)] for each in (fold, fold[copies])
    )
    weighted = ScorecardClassifier("best", cv=folds).fit(X, y, sample_weight=weights)
    repeated = ScorecardClassifier("best", cv=copied).fit(X.iloc[copies].reset_index(drop=True), y[copies])
    assert weighted.pairs_ == repeated.pairs_ == [("a", "b")]
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=0.02)


def test_weak_pairs_are_taken_together_with_the_same_bits_for_any_number_of_threads(monkeypatch):
    """Two columns have other slopes in each of 20 categories, which are columns of 0 and 1."""
    random = np.random.default_rng(0)
    values, kind = random.normal(size=(2000, 3)), random.integers(0, 20, 2000)
    slopes = 0.7 * random.normal(size=(2, 20, 3))
    scores = values + slopes[0, kind] * values[:, :1] + slopes[1, kind] * values[:, 1:2]
    X, y = np.hstack([values, np.eye(20)[kind]]), (scores + random.gumbel(size=scores.shape)).argmax(axis=1)
    one, other = (ScorecardClassifier("best", n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.pairs_ == other.pairs_
    assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    assert len(ScorecardClassifier("best", n_pairs=3).fit(X, y).pairs_) == 3
    monkeypatch.setattr(pair_data, "find_weak_pairs", lambda rows, *_: [[]] * (rows.n_folds + 1))
    assert len(ScorecardClassifier("best").fit(X, y).pairs_) < len(one.pairs_) == X.shape[1]  # no more than columns
