"""Boosted selection as an estimator: what it keeps and predicts, folds, threads, weights, sparse tables, faults."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.model_selection import StratifiedKFold

import bayesieve
from bayesieve import BoostSelector, NaiveBayesSelector
from bayesieve.exceptions import (
    CheckpointError,
    DataError,
    InterruptedSearchWarning,
    ModelFileError,
    NothingSelectedWarning,
    ParameterError,
)
from bayesieve.model_file.file import BUILDERS, read_model
from bayesieve.search.engine import BoostEngine

METHODS = ("confidence", "real", "logit", "brier")
ALL = pytest.mark.parametrize("method", METHODS)


def make_rows(seed, n_rows=300):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    color = np.where(rng.random(n_rows) < 0.4, y, rng.integers(0, 3, n_rows))
    good = y + rng.normal(scale=0.8, size=n_rows)
    return pd.DataFrame(
        {
            "noise": rng.normal(size=n_rows),
            "good": good,
            "copy": good + rng.normal(scale=0.4, size=n_rows),
            "color": pd.Categorical.from_codes(color, ["red", "blue", "green"]),
            "holes": np.where(rng.random(n_rows) < 0.3, np.nan, y + rng.normal(size=n_rows)),
            "constant": np.ones(n_rows),
        }
    ), np.where(y == 1, "yes", "no")


X, Y = make_rows(0)


def fit(method, X=X, y=Y, weights=None, **parameters):
    defaults = {"discretizer": "equal_frequency", "n_features": 3}
    return BoostSelector(method, **(defaults | parameters)).fit(X, y, sample_weight=weights)


def state_of(selector):
    kept = (selector.path_.steps, selector.rounds_, selector.alphas_.tolist(), selector.support_.tolist())
    return *kept, {key: values.tolist() for key, values in selector.cv_results_.items()}, selector.why_


@ALL
def test_what_is_selected(method):
    selector = fit(method)
    assert selector.path_.order[0] == "good"
    assert "noise" not in selector.path_.order
    assert selector.why_["copy"]["redundant_with"] == "good"
    assert selector.why_["constant"]["reason"] == "constant"
    names = [name for name in X if name in selector.path_.order]
    assert selector.get_feature_names_out().tolist() == list(selector.transform(X).columns) == names
    assert selector.rounds_ == selector.path_.order
    assert selector.n_features_ == len(selector.alphas_) == 3
    if method in ("logit", "brier"):
        assert "copy" not in selector.path_.order
    if method != "confidence":
        assert selector.alphas_.tolist() == [1.0] * 3


@ALL
@pytest.mark.parametrize("cv", [0, 3])
def test_probabilities_are_those_of_the_steps(method, cv):
    """They order new rows well, and of the training rows they have the loss that the path tells of."""
    selector = fit(method, cv=cv)
    new, labels = make_rows(1)
    p = selector.predict_proba(new)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_allclose(np.log(p[:, 1] / p[:, 0]), selector.decision_function(new), atol=1e-6)
    assert np.mean(selector.classes_[p.argmax(axis=1)] == labels) > 0.75
    if cv == 0:
        p = selector.predict_proba(X)[:, 1]
        brier = 2 * np.mean((p - (Y == "yes")) ** 2)
        assert selector.cv_results_["mean_test_brier"][-1] == pytest.approx(-brier, abs=1e-9)


def test_score_is_what_the_methods_promise():
    real = fit("real", cv=0)
    margin = np.where(Y == "yes", 1, -1) * real.decision_function(X) / 2
    assert real.path_.scores[-1] == pytest.approx(-np.log(np.exp(-margin).mean()), abs=1e-9)
    brier = fit("brier", shrinkage=0.1, cv=3)  # so small that no probability is cut
    losses = -brier.cv_results_["mean_test_brier"]
    np.testing.assert_allclose(brier.cv_results_["mean_test_score"], losses[0] - losses, atol=1e-9)
    logit = fit("logit", shrinkage=0.02, cv=3)  # so small that the second order is enough
    losses = -logit.cv_results_["mean_test_log_loss"]
    np.testing.assert_allclose(logit.cv_results_["mean_test_score"], losses[0] - losses, rtol=0.01)


@ALL
def test_threads_backends_copies_and_select(method):
    selector = fit(method, cv=3, replace=True, shrinkage=0.3)
    assert len(selector.rounds_) > 3
    for parameters in ({"n_jobs": 2}, {"backend": "reference"}):
        assert state_of(fit(method, cv=3, replace=True, shrinkage=0.3, **parameters)) == state_of(selector)
    copied = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(copied.predict_proba(X), selector.predict_proba(X))
    smaller, fresh = (
        selector.select(2),
        fit(method, cv=3, replace=True, shrinkage=0.3, n_features=2),
    )
    assert smaller.rounds_ == fresh.rounds_
    np.testing.assert_array_equal(smaller.predict_proba(X), fresh.predict_proba(X))
    assert smaller.select(0).predict_proba(X)[:, 1].std() < 1e-15


@ALL
def test_weights_are_copies(method):
    weights = np.random.default_rng(3).integers(0, 4, len(Y))
    rows = np.repeat(np.arange(len(Y)), weights)
    weighted = fit(method, weights=weights, cv=0)
    copied = fit(method, X.iloc[rows], Y[rows], cv=0)
    assert weighted.path_.scores == copied.path_.scores
    np.testing.assert_array_equal(weighted.predict_proba(X), copied.predict_proba(X))


@ALL
def test_sparse_tables_are_dense_tables(method):
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 200)
    dense = (rng.random((200, 12)) < 0.02) * 1.0
    dense[:, 0] = (rng.random(200) < 0.04) & (y == 1)
    dense[:, 1] = rng.random(200) < np.where(y == 1, 0.5, 0.2)
    parameters = {"discretizer": None, "cv": 3, "n_features": 5}
    one, other = (fit(method, table, y, **parameters) for table in (dense, csr_matrix(dense)))
    assert state_of(one)[:-1] == state_of(other)[:-1]
    np.testing.assert_array_equal(one.predict_proba(dense), other.predict_proba(csr_matrix(dense)))


def test_a_fold_and_a_given_set_are_judged_alike():
    """Folds of one's own, and the same held-out rows given as a set: the same scores on them."""
    rows = next(StratifiedKFold(3).split(X, Y))
    held_out = fit("logit", cv=[rows])
    fitting, scored = rows
    given = BoostSelector("logit", discretizer="equal_frequency", n_features=3)
    given.fit(X.iloc[fitting], Y[fitting], X_val=X.iloc[scored], y_val=Y[scored])
    assert held_out.path_.order == given.path_.order
    assert held_out.path_.scores == given.path_.scores


@ALL
def test_resuming_gives_the_same(method, tmp_path, monkeypatch):
    whole = fit(method, replace=True, shrinkage=0.5, cv=3)
    entering, entered = BoostEngine.apply, []

    def apply(engine, move):
        entered.append(move)
        if len(entered) == 2:
            raise KeyboardInterrupt
        return entering(engine, move)

    monkeypatch.setattr(BoostEngine, "apply", apply)
    with pytest.warns(InterruptedSearchWarning):
        stopped = fit(method, replace=True, shrinkage=0.5, cv=3, checkpoint=tmp_path / "steps.json")
    monkeypatch.undo()
    assert not stopped.path_.complete
    assert stopped.rounds_ == whole.select(1).rounds_
    resumed = fit(method, replace=True, shrinkage=0.5, cv=3, checkpoint=tmp_path / "steps.json")
    assert state_of(resumed) == state_of(whole)
    with pytest.raises(CheckpointError, match="other data or parameters"):
        fit(method, replace=True, shrinkage=0.4, cv=3, checkpoint=tmp_path / "steps.json")


@ALL
def test_a_loaded_model_has_the_same_bits(method, tmp_path):
    model = fit(method, replace=True, shrinkage=0.5)
    model.save(tmp_path / "model.json")
    loaded = bayesieve.load(tmp_path / "model.json")
    for name in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        np.testing.assert_array_equal(getattr(loaded, name)(X), getattr(model, name)(X))
    assert (loaded.rounds_, loaded.alphas_.tolist()) == (model.rounds_, model.alphas_.tolist())
    assert loaded.transform(X).equals(model.transform(X))
    assert (loaded.path_, loaded.why_, loaded.get_params()) == (model.path_, model.why_, model.get_params())
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parameters": {"method": "none"}}, "no boosted model"),
        ({"parameters": {"method": "logit", "shrinkage": "much"}}, "parameters that BoostSelector does not have"),
        ({"parameters": {"speed": 1}}, "parameters that BoostSelector does not have"),
        ({"rounds": None}, "rounds must be a list"),
        ({"rounds": [[0]]}, "rounds must be pairs"),
        ({"rounds": [[99, 1.0]]}, "must be an integer from 0 to 5"),
        ({"rounds": [[0, "far"]]}, "must be a finite number"),
    ],
)
def test_a_file_without_a_boosted_model_is_refused(tmp_path, changes, message):
    fit("logit").save(tmp_path / "model.json")
    saved = read_model(tmp_path / "model.json")
    summary = {**saved.summary, "rounds": changes.get("rounds", [])}
    forged = replace(saved, summary=summary, parameters=changes.get("parameters", saved.parameters))
    with pytest.raises(ModelFileError, match=message):
        BUILDERS["BoostSelector"](forged)


@pytest.mark.parametrize("method", ["confidence", "real", "logit"])
def test_contributions_add_up_to_the_log_odds(method):
    model = fit(method, replace=True, shrinkage=0.5)
    explanations = model.explain(X, ("yes", "no"))
    sums = [each.prior + sum(share.log_odds for share in each.contributions) for each in explanations]
    np.testing.assert_allclose(sums, model.decision_function(X), atol=1e-9)
    card = model.scorecard(None)
    assert card["points"][0] == pytest.approx(explanations[0].prior)
    assert len(card) == 1 + sum(table.partition.n_bins for table in model.scorecard_.tables)
    assert all(table.partition.n_bins <= 3 for table in model.simplify(3).scorecard_.tables)
    assert np.corrcoef(model.simplify(3).decision_function(X), model.decision_function(X))[0, 1] > 0.9


def test_probabilities_that_add_up_have_no_contributions():
    model = fit("brier")
    for ask in (lambda: model.explain(X), model.scorecard):
        with pytest.raises(ParameterError, match="not a sum over columns"):
            ask()


@ALL
def test_staged_probabilities_are_those_of_each_size(method):
    model = fit(method, replace=True)
    staged = dict(model.staged_predict_proba(X))
    assert list(staged) == list(model.selection_.by_size)
    for size, probabilities in staged.items():
        np.testing.assert_array_equal(probabilities, model.select(size).predict_proba(X))


def test_keep_and_drop():
    selector = fit("logit", keep=["noise"], drop=["good"])
    assert selector.path_.order[0] == "noise"
    assert "good" not in selector.path_.order
    assert selector.why_["noise"]["reason"] == "in keep"
    assert selector.why_["good"]["reason"] == "left out by drop"


@ALL
def test_faults_are_named(method):
    with pytest.raises(DataError, match="boosting separates one class from the other, and this target has 3"):
        fit(method, y=np.arange(len(Y)) % 3)
    with pytest.raises(ValueError, match="one class"):
        fit(method, y=np.zeros(len(Y)))
    with pytest.raises(ValueError, match="shrinkage"):
        fit(method, shrinkage=0.0)
    noise = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.warns(NothingSelectedWarning, match="no column improves the score"):
        BoostSelector("logit").fit(noise, np.arange(60) % 2)


def test_refinement_ignores_what_recalibration_repairs():
    """A copy distorts naive Bayes' probabilities and leaves their order: by refinement it costs next to nothing."""
    table = X[["good", "copy", "color"]]
    scores = {
        criterion: NaiveBayesSelector(
            criterion=criterion, n_features="all", cv=0, discretizer="equal_frequency", keep=["good"]
        ).fit(table, Y)
        for criterion in ("brier", "refinement")
    }
    worst = {name: selector.why_["copy"]["gain"] for name, selector in scores.items()}
    assert worst["brier"] < worst["refinement"]
    for selector in scores.values():
        again = NaiveBayesSelector(**(selector.get_params() | {"backend": "reference"})).fit(table, Y)
        assert again.path_ == selector.path_
