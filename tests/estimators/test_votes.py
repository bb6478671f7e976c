"""What the voting estimators select, promise, refuse and remember."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from draws import meetings
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

import bayesieve
from bayesieve import SelectiveNaiveBayes, VoteClassifier, VoteSelector
from bayesieve._native import available
from bayesieve.exceptions import DataError, ModelFileError, ParameterError, UnreachedFloorWarning

RULES = ["any", "all", "majority", 2, 0.7]


def make_cases(n_rows=300, seed=0):
    """Return two kinds of cases, each seen by a column of its own, a column that sees half of both, and noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    kind = rng.integers(0, 2, n_rows)
    first, second = ((y == 1) & (kind == k) for k in (0, 1))
    flip = rng.random((4, n_rows)) < 0.05
    columns = {
        "noise": rng.choice(["a", "b", "c"], n_rows),
        "half": np.where((y == 1) & (rng.random(n_rows) < 0.5) ^ flip[0], "yes", "no"),
        "first": np.where(first ^ flip[1], "yes", "no"),
        "second": np.where(second ^ flip[2], "yes", "no"),
        "twin": np.where(first ^ flip[1], "oui", "non"),
    }
    return pd.DataFrame(columns), y


X, Y = make_cases()


def expected_likelihood(model, X, y):
    return model.predict_proba(X)[np.arange(len(y)), y].mean()


def brute_force_path(X, y, votes, criterion, n_features):
    """Return the greedy order by models that vote on the columns given, and nothing else."""
    chosen = []
    while len(chosen) < n_features:
        scores = {}
        for name in X.columns.difference(chosen, sort=False):
            columns = [*chosen, name]
            model = VoteClassifier(votes, cv=0, n_features="all", discretizer=None).fit(X[columns], y)
            p = model.predict_proba(X[columns])[np.arange(len(y)), y]
            scores[name] = p.mean() if criterion == "expected" else np.log(p).mean()
        best = max(scores.values())
        chosen.append(next(name for name, score in scores.items() if score > best - 1e-11))
    return tuple(chosen)


@pytest.mark.parametrize("criterion", ["expected", "log"])
@pytest.mark.parametrize("votes", ["any", "all", 2])
def test_the_path_is_that_of_whole_models(votes, criterion):
    selector = VoteSelector(votes, criterion, n_features=3, cv=0, discretizer=None).fit(X, Y)
    assert selector.path_.order == brute_force_path(X, Y, votes, criterion, 3)


def test_any_vote_finds_a_column_for_each_kind_of_case():
    selector = VoteSelector("any", n_features=2).fit(X, Y)
    assert set(selector.get_feature_names_out()) == {"first", "second"}
    assert VoteSelector("all", n_features=2).fit(X, Y).path_.order != selector.path_.order


def test_expected_and_log_likelihood_choose_differently():
    """The logarithm is inside the sum over rows, so that it matters which one is maximized."""
    differ = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 40)
        table = pd.DataFrame(np.where(rng.random((40, 8)) < 0.3, rng.integers(0, 3, (40, 8)), y[:, None])).astype(str)
        paths = [
            VoteSelector("any", criterion, n_features=4, cv=0, discretizer=None).fit(table, y).path_.order
            for criterion in ("expected", "log")
        ]
        differ += paths[0] != paths[1]
    assert 1 <= differ <= 10


@pytest.mark.parametrize("votes", RULES)
def test_scores_of_the_path_are_those_of_the_classifier(votes):
    model = VoteClassifier(votes, n_features=3, cv=0).fit(X, Y)
    for k in (1, 2, 3):
        score = model.path_.scores[k - 1]
        assert expected_likelihood(model.select(k), X, Y) == pytest.approx(1.0 + score, abs=1e-9)


def test_stop_k_ranks_on_and_stop_gain_does_not():
    ranked = VoteSelector("all", n_features=4).fit(X, Y)
    assert ranked.n_features_ == 4
    assert min(np.diff(ranked.path_.scores)) <= 0
    stopped = VoteSelector("all", n_features=4, stop="gain").fit(X, Y)
    assert stopped.n_features_ < 4
    assert (np.diff(stopped.path_.scores) > 0).all()
    assert stopped.path_.order == ranked.path_.order[: stopped.n_features_]


def test_ties_go_to_the_better_column_alone_and_then_to_the_first():
    flat = VoteSelector("any", n_features=1).fit(X[["twin", "noise", "first"]], Y)
    assert flat.path_.order == ("twin",)
    assert flat.path_.steps[0].runner_up == "first"


def test_named_combinations():
    assert VoteSelector.named("CVL").get_params()["votes"] == "all"
    assert VoteSelector.named("DVE", n_features=3).get_params() == {
        **VoteSelector().get_params(),
        "votes": "any",
        "criterion": "expected",
        "cv": 0,
        "n_features": 3,
    }
    with pytest.raises(ParameterError, match="CVE, CVL, DVE, DVL"):
        VoteSelector.named("DVD")


@pytest.mark.parametrize("kind", [VoteSelector, VoteClassifier])
def test_more_than_two_classes_are_refused(kind):
    with pytest.raises(DataError, match="this target has 3"):
        kind().fit(X, np.arange(len(Y)) % 3)


@pytest.mark.skipif(not available(), reason="there is no compiled core that could differ")
@pytest.mark.parametrize(("votes", "criterion"), meetings(RULES, ["expected", "log", "brier"]))
def test_engines_and_threads_agree(votes, criterion):
    weights = np.random.default_rng(1).integers(0, 3, len(Y))
    fitted = [
        VoteClassifier(votes, criterion, n_features=4, **how).fit(X, Y, sample_weight=weights)
        for how in ({"backend": "reference"}, {"n_jobs": 1}, {"n_jobs": 2})
    ]
    for other in fitted[1:]:
        assert other.path_ == fitted[0].path_
        assert other.why_ == fitted[0].why_
        assert (other.predict_log_proba(X) == fitted[0].predict_log_proba(X)).all()


def test_tables_of_any_library_and_sparse_ones():
    numbers = (X == "yes").astype(float)[["half", "first", "second"]]
    expected = VoteClassifier("majority", n_features=3).fit(numbers, Y)
    proba = expected.predict_proba(numbers)
    for table in (pl.from_pandas(numbers), numbers.to_numpy(), csr_array(numbers.to_numpy())):
        assert (clone(expected).fit(table, Y).predict_proba(table) == proba).all()


class TestFloors:
    @pytest.mark.parametrize("kind", [VoteClassifier, SelectiveNaiveBayes])
    def test_the_cut_is_an_order_statistic_of_scores_out_of_fold(self, kind):
        """Predict each fold by a model of the others; of n positive rows the floor((n + 1) / 20)-th is accepted."""
        parameters = {"keep": ["first", "second"], "drop": ["noise", "half", "twin"], "discretizer": None}
        if kind is SelectiveNaiveBayes:
            parameters |= {"bins": "best", "weights": "none"}
        parameters |= {"n_features": 2}
        folds = list(StratifiedKFold(5).split(X, Y))
        model = kind(**parameters, threshold=("recall", 0.95), cv=folds).fit(X, Y)
        scores = np.empty(len(Y))
        for fitting, scored in folds:
            part = kind(**parameters, cv=0).fit(X.iloc[fitting], Y[fitting])
            log_proba = part.predict_log_proba(X.iloc[scored])
            scores[scored] = log_proba[:, 1] - log_proba[:, 0]
        positive = np.sort(scores[Y == 1])
        cut = positive[(len(positive) + 1) // 20 - 1]
        assert model.threshold_.cut / 2**40 == pytest.approx(cut, abs=1e-9)
        accepted = scores[Y == 1] >= cut - 1e-9
        assert model.threshold_.recall == pytest.approx(accepted.mean())
        low, high = model.threshold_.interval
        assert low < model.threshold_.recall <= high

    @pytest.mark.parametrize("kind", [VoteClassifier, SelectiveNaiveBayes])
    def test_too_few_cases_accept_all_and_say_so(self, kind):
        rows = np.r_[np.flatnonzero(Y == 1)[:18], np.flatnonzero(Y == 0)]
        few, y = X.iloc[rows], Y[rows]
        with pytest.warns(UnreachedFloorWarning, match="every row is predicted positive"):
            model = kind(threshold=("recall", 0.95)).fit(few, y)
        assert model.predict(few).all()

    def test_a_promise_is_kept_on_new_rows(self):
        """The probability that a new case is caught is 0.95 or more, over samples."""
        caught = []
        for seed in range(8):
            model = VoteClassifier("any", threshold=("recall", 0.95), n_features=2).fit(*make_cases(seed=seed))
            table, y = make_cases(1000, seed=100 + seed)
            caught.append(model.predict(table)[y == 1].mean())
        assert np.mean(caught) >= 0.95 - 2 * np.std(caught) / np.sqrt(len(caught))

    def test_precision(self):
        model = VoteClassifier("all", threshold=("precision", 0.8), n_features=1).fit(X, Y)
        assert model.threshold_.precision >= 0.8
        assert model.threshold_.interval[0] < model.threshold_.precision


def test_staged_probabilities_are_those_of_each_size():
    model = VoteClassifier("majority", n_features=3).fit(X, Y)
    staged = dict(model.staged_predict_proba(X))
    assert list(staged) == [0, 1, 2, 3]
    for size, probabilities in staged.items():
        assert (probabilities == model.select(size).predict_proba(X)).all()


class TestFiles:
    @pytest.mark.parametrize("votes", RULES)
    def test_a_loaded_model_has_the_same_bits(self, votes, tmp_path):
        model = VoteClassifier(votes, n_features=3, threshold=("recall", 0.9)).fit(X, Y)
        model.save(tmp_path / "model.json")
        loaded = bayesieve.load(tmp_path / "model.json")
        assert (loaded.predict_log_proba(X) == model.predict_log_proba(X)).all()
        assert (loaded.predict(X) == model.predict(X)).all()
        assert loaded.explain(X.head(2)) == model.explain(X.head(2))
        assert loaded.threshold_ == model.threshold_
        assert loaded.get_params() == model.get_params()

    def test_votes_that_are_no_probabilities_are_refused(self):
        from dataclasses import replace

        from bayesieve.model_file.file import BUILDERS
        from bayesieve.model_file.saved_model import saved_model

        saved = saved_model(VoteClassifier(n_features=2).fit(X, Y))
        broken = replace(saved, scorecard=replace(saved.scorecard, start=saved.scorecard.start * 2))
        with pytest.raises(ModelFileError, match="not probabilities"):
            BUILDERS["VoteClassifier"](broken)


def test_explanations_say_how_each_column_votes():
    model = VoteClassifier("any", n_features=2, discretizer=None).fit(X, Y)
    rows = X.head(20)
    for i, decision in enumerate(model.explain(rows)):
        assert decision.needed == 1
        assert {vote.column for vote in decision.votes} == {"first", "second"}
        no_vote = np.prod([1 - vote.probability for vote in decision.votes])
        assert decision.probability == pytest.approx(1 - no_vote) == pytest.approx(model.predict_proba(rows)[i, 1])
    assert "1 of 2 votes are needed" in str(model.explain(rows)[0])
    assert len(model.explain(rows).to_frame()) == 40


def test_values_never_seen_vote_as_the_classes_are_shared():
    model = VoteClassifier("any", n_features=1, discretizer=None).fit(X, Y)
    strange = pd.DataFrame([["?"] * 5], columns=X.columns)
    with pytest.warns(UserWarning, match="training did not have"):
        assert model.predict_proba(strange)[0, 1] == pytest.approx(Y.mean())
