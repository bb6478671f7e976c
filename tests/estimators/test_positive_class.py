"""The positive class, and probabilities along the path."""

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from bayesieve import BoostSelector, SelectiveNaiveBayes, VoteClassifier, VoteSelector, load
from bayesieve._native import available
from bayesieve.exceptions import ParameterError


def lenders(n_rows=400):
    rng = np.random.default_rng(0)
    bad = rng.random(n_rows) < 0.3
    X = pl.DataFrame({"debt": bad + rng.normal(size=n_rows), "job": np.where(bad, 1, 0) + rng.integers(3, size=n_rows)})
    return X, np.where(bad, "bad", "good")


@pytest.mark.parametrize("threshold", ["f1", ("recall", 0.8), ("precision", 0.6), 0.3])
def test_the_first_class_is_accepted_as_the_second_would_be(threshold, tmp_path):
    X, y = lenders()
    model = SelectiveNaiveBayes(threshold=threshold, pos_label="bad").fit(X, y)
    renamed = SelectiveNaiveBayes(threshold=threshold).fit(X, np.where(y == "bad", "z", "good"))
    assert ((model.predict(X) == "bad") == (renamed.predict(X) == "z")).all()
    assert (model.threshold_.recall, model.threshold_.precision) == (
        renamed.threshold_.recall,
        renamed.threshold_.precision,
    )
    model.save(tmp_path / "model.json")
    assert (load(tmp_path / "model.json").predict(X) == model.predict(X)).all()


def test_another_prior_moves_the_cut_with_the_positive_class():
    X, y = lenders()
    plain, shifted = (
        SelectiveNaiveBayes(threshold=("recall", 0.8), pos_label="bad", class_prior=prior).fit(X, y)
        for prior in (None, {"bad": 0.6, "good": 0.4})
    )
    assert (plain.predict(X) == shifted.predict(X)).all()


def test_a_class_that_is_not_there_is_refused():
    X, y = lenders()
    with pytest.raises(ParameterError, match="pos_label is 'ugly'"):
        SelectiveNaiveBayes(pos_label="ugly").fit(X, y)


@pytest.mark.parametrize("settings", [{}, {"search": "forward", "weights": "none", "bins": "best"}])
def test_stages_are_what_the_selected_copies_predict(settings):
    X, y = lenders()
    model = SelectiveNaiveBayes(**settings).fit(X, y)
    stages = list(model.staged_predict_proba(X))
    assert [size for size, _ in stages] == model.cv_results_["n_features"].tolist()
    for size, chances in stages:
        assert np.array_equal(chances, model.select(size).predict_proba(X))


VOTERS = [(kind, votes) for kind in (VoteClassifier, VoteSelector) for votes in ("any", "all", "majority", 2, 0.7)]


@pytest.mark.parametrize(("kind", "votes"), VOTERS)
def test_votes_for_the_first_class_are_those_for_the_second_of_renamed_classes(kind, votes):
    X, y = lenders()
    model = kind(votes, n_features=2, pos_label="bad").fit(X, y)
    renamed = kind(votes, n_features=2).fit(X, np.where(y == "bad", "z", "good"))
    assert model.path_.order == renamed.path_.order
    np.testing.assert_allclose(model.path_.scores, renamed.path_.scores, rtol=1e-12)
    assert (model.pos_label_, renamed.pos_label_) == ("bad", "z")
    if kind is VoteClassifier:
        np.testing.assert_allclose(model.predict_proba(X)[:, ::-1], renamed.predict_proba(X), rtol=1e-9)
        ours, others = model.explain(X)[0], renamed.explain(X)[0]
        assert (ours.positive, ours.needed) == ("bad", others.needed)
        assert [vote.probability for vote in ours.votes] == pytest.approx([vote.probability for vote in others.votes])


@pytest.mark.parametrize("backend", ["native", "reference"])
def test_engines_agree_on_votes_for_the_first_class(backend):
    if backend == "native" and not available():
        pytest.skip("no compiled core")
    X, y = lenders()
    first = VoteClassifier(2, "log", n_features=2, pos_label="bad", threshold=("recall", 0.8)).fit(X, y)
    model = clone(first).set_params(backend=backend).fit(X, y)
    assert model.path_ == first.path_
    assert model.threshold_.recall >= 0.8


def test_a_saved_vote_is_for_the_same_class(tmp_path):
    X, y = lenders()
    model = VoteClassifier("all", n_features=2, pos_label="bad").fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert loaded.pos_label_ == "bad"
    assert (loaded.predict_proba(X) == model.predict_proba(X)).all()


def test_boosting_names_the_positive_class():
    X, y = lenders()
    model = BoostSelector("logit", pos_label="bad").fit(X, y)
    assert model.pos_label_ == "bad"
    assert (model.decision_function(X) == BoostSelector("logit").fit(X, y).decision_function(X)).all()


def test_more_than_two_classes_have_no_positive_one():
    X, y = lenders()
    y = np.where(np.arange(len(y)) % 3 == 0, "ugly", y)
    assert SelectiveNaiveBayes().fit(X, y).pos_label_ is None
    with pytest.raises(ParameterError, match="pos_label='ugly' is for two classes; this target has 3"):
        SelectiveNaiveBayes(pos_label="ugly").fit(X, y)
