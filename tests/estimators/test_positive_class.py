"""The positive class, and probabilities along the path."""

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from bayesieve import BoostSelector, ScorecardClassifier, SelectiveNaiveBayes, VoteClassifier, VoteSelector, load
from bayesieve._native import available
from bayesieve.exceptions import ParameterError
from bayesieve.explain.row_explanation import show_probability


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


DECIDING = {
    "scorecard, recall": lambda: ScorecardClassifier(threshold=("recall", 0.8), pos_label="bad"),
    "precision": lambda: SelectiveNaiveBayes(threshold=("precision", 0.6), pos_label="bad"),
    "calibrated": lambda: SelectiveNaiveBayes(threshold="f1", calibration="beta", cv=3),
    "another prior": lambda: SelectiveNaiveBayes(threshold="ber", class_prior={"bad": 0.6, "good": 0.4}),
    "given": lambda: SelectiveNaiveBayes(threshold=0.2, pos_label="bad"),
    "most probable": SelectiveNaiveBayes,
}


@pytest.mark.parametrize("name", DECIDING)
def test_threshold_and_explanations_are_those_of_the_predictions(name):
    X, y = lenders()
    model = DECIDING[name]().fit(X, y)
    positive = model.predict_proba(X)[:, model.positive_index_]
    predicted = model.predict(X)
    threshold = model.threshold_.probability
    clear = np.abs(positive - threshold) > 1e-9
    assert clear.mean() > 0.9
    assert ((positive > threshold)[clear] == (predicted == model.pos_label_)[clear]).all()
    explained = model.explain(X)
    assert [each.predicted for each in explained] == predicted.tolist()
    assert {each.favored for each in explained} == {model.pos_label_}
    np.testing.assert_allclose([each.probability for each in explained], positive, rtol=1e-12)
    assert f"(threshold {threshold:.3g})" in str(explained[0])
    assert "  intercept" in str(explained[0])


def test_a_threshold_is_shown_as_a_probability():
    X, y = lenders()
    model = SelectiveNaiveBayes(threshold=("recall", 0.8)).fit(X, y)
    assert f"probability {model.threshold_.probability:.4g}" in repr(model.threshold_)
    assert "cut" not in repr(model.threshold_)


def test_a_probability_close_to_one_is_not_rounded_to_it():
    assert [show_probability(p) for p in (0.9996, 0.5, 0.0001)] == ["1 - 0.0004", "0.5000", "0.0001"]
