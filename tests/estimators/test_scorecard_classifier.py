"""A ScorecardClassifier that is stopped, resumed, saved, copied and given other tables."""

import json
import pickle
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from real_data import needs_data
from scipy import sparse
from sklearn.base import clone
from tables import two_classes

import bayesieve
from bayesieve import Column, ScorecardClassifier
from bayesieve.data.document import seal
from bayesieve.datasets import load_ionosphere
from bayesieve.estimators import search_estimator
from bayesieve.exceptions import CheckpointError, InterruptedSearchWarning, NothingSelectedWarning, ParameterError
from bayesieve.search import Observer, StopSearch, run

X, Y = two_classes(200)
COLORS = ["red", "green", "blue", "gray", "pink"]
FITS = {
    "columns": {},
    "given pairs": {"n_pairs": [("size", "count")], "n_features": 4},
    "most accurate": {"n_features": "best", "n_pairs": [("size", "flag")]},
    "column settings": {
        "columns": {
            "size": Column(monotone="increasing"),
            "color": {"ordered": ["red", "green", "blue", "gray", "pink"]},
        },
        "missing": "neutral",
    },
    "groups": {"feature_groups": {"both": ["noise", "size"]}, "keep": "count"},
}
RISING = {"columns": Column(monotone="increasing")}
FITTED = pytest.mark.parametrize("name", FITS)


def fit(table=X, target=Y, **parameters):
    return ScorecardClassifier(**parameters).fit(table, target)


def interacting(n_rows=400, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(n_rows, 4))).add_prefix("c")
    return table, ((table["c0"] > 0) ^ (table["c1"] > 0) ^ (rng.random(n_rows) < 0.05)).to_numpy()


def outcome_of(model, table=X):
    """Return all that a fit decides."""
    sizes = [int(size) for size in model.cv_results_["n_features"]]
    stages = [model.select(size).predict_proba(table).tolist() for size in sizes]
    scores = {key: np.asarray(each).tolist() for key, each in model.cv_results_.items()}
    return model.path_, model.why_, model.scorecard_.names, model.predict_proba(table).tolist(), sizes, stages, scores


class Clock:
    """A clock that is one second later whenever it is read."""

    def __init__(self):
        self._now = 0.0

    def monotonic(self):
        self._now += 1.0
        return self._now


class Stop(Observer):
    """Ends a search after some steps."""

    def __init__(self, after, error):
        self._after, self._error = after, error

    def on_step(self, step, n_steps):
        if n_steps == self._after:
            raise self._error


@pytest.fixture
def stop_after(monkeypatch):
    """Return a function that makes the next fits stop after some steps; after none, they end by themselves."""
    original = search_estimator.progress

    def arrange(n_steps, error=StopSearch):
        @contextmanager
        def progress(*arguments):
            with original(*arguments) as watchers:
                yield [*watchers, *([Stop(n_steps, error)] if n_steps else [])]

        monkeypatch.setattr(search_estimator, "progress", progress)

    return arrange


class TestResuming:
    @FITTED
    @pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning")  # of searches without time
    def test_out_of_time_anywhere(self, name, tmp_path, monkeypatch):
        expected = outcome_of(fit(**FITS[name]))
        monkeypatch.setattr(run, "time", Clock())
        stopped_at = []
        for n in (1, 2, 40, 160, 400, 4000, 100_000):
            place = tmp_path / f"{n}.json"
            stopped = fit(**FITS[name], checkpoint=place, max_time=n, n_jobs=1)
            if stopped.path_.complete:
                assert outcome_of(stopped) == expected
                break
            stopped_at.append(len(stopped.path_.steps))
            stopped.predict_proba(X)
            assert outcome_of(fit(**FITS[name], checkpoint=place)) == expected
        assert stopped.path_.complete
        assert len(stopped_at) > 2

    def test_pairs_that_were_found(self, tmp_path, stop_after):
        table, target = interacting()
        whole = fit(table, target)
        assert [pair.names for pair in whole.scorecard_.pairs] == [("c0", "c1")]
        stop_after(2)
        fit(table, target, checkpoint=tmp_path / "c")
        stop_after(None)
        assert outcome_of(fit(table, target, checkpoint=tmp_path / "c"), table) == outcome_of(whole, table)

    def test_any_beginning_of_a_journal(self, tmp_path):
        place = tmp_path / "all.json"
        expected = outcome_of(fit(checkpoint=place))
        journal = json.loads(place.read_text())
        for n in range(0, len(journal["answers"]) + 1, 2):
            beginning = tmp_path / f"{n}.json"
            content = {key: value for key, value in journal.items() if key != "checksum"}
            beginning.write_text(json.dumps(seal({**content, "answers": journal["answers"][:n]})))
            assert outcome_of(fit(checkpoint=beginning)) == expected

    def test_the_checkpoint_of_another_problem_is_refused(self, tmp_path):
        fit(checkpoint=tmp_path / "c")
        for change in ({"cv": 3}, {"merge_cost": 0.1}, {"n_pairs": 0}, {"min_gain": 0.5}, {"drop": "noise"}, RISING):
            with pytest.raises(CheckpointError, match="belongs to other data or parameters"):
                fit(checkpoint=tmp_path / "c", **change)
        with pytest.raises(CheckpointError, match="belongs to other data"):
            fit(X[:150], Y[:150], checkpoint=tmp_path / "c")


class TestStopping:
    def test_without_time_there_are_class_frequencies(self):
        with pytest.warns(NothingSelectedWarning, match="before any column was selected; allow more time"):
            model = fit(max_time=0)
        assert not model.path_.complete
        assert model.n_features_ == 0
        share = (np.sum(Y == "yes") + 0.25) / (len(Y) + 0.5)
        assert_allclose(model.predict_proba(X)[:, 1], share)

    @pytest.mark.parametrize("n_steps", [1, 3])
    def test_an_interruption_keeps_the_best_so_far(self, n_steps, stop_after):
        whole = fit()
        stop_after(n_steps, KeyboardInterrupt)
        with pytest.warns(InterruptedSearchWarning, match="best result so far"):
            model = fit()
        assert not model.path_.complete
        assert model.path_.steps == whole.path_.steps[:n_steps]
        losses = -model.cv_results_["mean_test_score"]
        assert model.n_features_ in (int(losses.argmin()), n_steps)
        assert 0 < model.n_features_ <= n_steps
        assert_array_equal(dict(model.staged_predict_proba(X))[model.n_features_], model.predict_proba(X))

    def test_an_interrupted_model_has_merged_bins(self, stop_after):
        whole = fit()
        stop_after(4)
        model = fit()
        n_bins = [sum(each.partition.n_bins for each in some.scorecard_.tables) for some in (model, whole)]
        assert n_bins[0] <= 1.5 * n_bins[1]


class TestFiles:
    @FITTED
    def test_a_saved_model_predicts_the_same_bits(self, name, tmp_path):
        model = fit(**FITS[name])
        model.save(tmp_path / "model.json")
        back = bayesieve.load(tmp_path / "model.json")
        assert type(back) is ScorecardClassifier
        assert back.get_params() == model.get_params() | {"checkpoint": back.checkpoint}
        assert_array_equal(back.predict_proba(X), model.predict_proba(X))
        assert_array_equal(back.predict(X), model.predict(X))
        assert back.scorecard_.names == model.scorecard_.names

    def test_found_pairs_are_saved(self, tmp_path):
        table, target = interacting()
        model = fit(table, target)
        assert model.scorecard_.pairs
        model.save(tmp_path / "model.json")
        back = bayesieve.load(tmp_path / "model.json")
        assert [pair.names for pair in back.scorecard_.pairs] == [("c0", "c1")]
        assert_array_equal(back.predict_proba(table), model.predict_proba(table))

    @FITTED
    def test_pickles_and_clones(self, name):
        model = fit(**FITS[name])
        assert outcome_of(pickle.loads(pickle.dumps(model))) == outcome_of(model)
        assert_array_equal(clone(model).fit(X, Y).predict_proba(X), model.predict_proba(X))


class TestTables:
    def test_sparse_numbers_are_the_same_as_dense_ones(self):
        rng = np.random.default_rng(0)
        dense = rng.poisson(0.7, (300, 6)).astype(float)
        target = dense[:, 0] + dense[:, 1] + rng.normal(size=300) > 1.5
        expected = fit(dense, target).predict_proba(dense)
        for kind in (sparse.csr_matrix, sparse.csc_array):
            assert_array_equal(fit(kind(dense), target).predict_proba(kind(dense)), expected)

    def test_names(self):
        model = fit()
        assert model.feature_names_in_.tolist() == X.columns.tolist()
        assert model.get_feature_names_out().tolist() == X.columns[model.support_].tolist()
        assert model.transform(X).shape == (len(X), model.n_features_)

    def test_many_categories(self):
        rng = np.random.default_rng(0)
        label = rng.integers(0, 300, 2000)
        target = rng.random(2000) < np.where(label % 2, 0.8, 0.2)
        table = pd.DataFrame({"label": label.astype(str), "noise": rng.normal(size=2000)})
        model = fit(table, target)
        assert model.scorecard_.names[0] == "label"
        assert 2 <= model.scorecard_["label"].partition.n_bins < 60
        assert model.score(table, target) > 0.7

    def test_missing_and_unseen_values(self):
        model = fit(n_features=4)
        unseen = X.assign(color="violet")
        with pytest.warns(bayesieve.exceptions.UnseenValuesWarning):
            p = model.predict_proba(unseen)
        assert np.isfinite(p).all()
        assert np.isfinite(model.predict_proba(X.assign(size=np.nan))).all()


@needs_data
@pytest.mark.parametrize(("n_features", "most"), [("best", 12), ("auto", 14)])
def test_bins_of_a_nearly_separable_table_are_few(n_features, most):
    bunch = load_ionosphere()
    model = fit(bunch.data, bunch.target, n_features=n_features, n_pairs=0)
    for partitions in ([each.partition for each in model.scorecard_.tables], model.partitions_.values()):
        assert np.mean([each.n_bins for each in partitions]) < most  # of 56


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_pairs": [("size", "size")]}, "pairs of two different columns"),
        ({"n_pairs": [3]}, "pairs of two different columns, got 3"),
        ({"n_pairs": ["size"]}, "pairs of two different columns, got .size."),
        ({"n_pairs": [("size", "color", "count")]}, "pairs of two different columns"),
        ({"cv": 150}, "use at most that many folds"),
        ({"columns": {"color": Column(monotone="increasing")}}, r"columns\['color'\]: monotone is for numbers"),
        ({"columns": {"size": Column(monotone="up")}}, r"columns\['size'\]: monotone must be 'increasing' or"),
        ({"columns": {"size": {"monotone": [1]}}}, r"columns\['size'\]: monotone must be 'increasing' or"),
        ({"columns": {"size": {"missing": "never"}}}, r"columns\['size'\]: missing must be 'learn' or 'neutral'"),
        ({"columns": {"color": {"ordered": "red"}}}, r"columns\['color'\]: ordered must list the values"),
        ({"columns": {"color": {"ordered": {"red", "blue"}}}}, r"columns\['color'\]: ordered must list the values"),
        ({"columns": {"color": {"ordered": ["red"]}}}, r"columns\['color'\]: ordered must list two values"),
        ({"columns": {"color": {"ordered": ["a", "b", "a"]}}}, r"columns\['color'\]: ordered lists 'a' twice"),
        (
            {"columns": {"size": {"montone": "up"}}},
            r"columns\['size'\] has the unknown field 'montone'; its fields are",
        ),
        ({"columns": {"size": "increasing"}}, r"columns\['size'\] must be a Column or a mapping of its fields"),
        ({"columns": {"sizes": Column()}}, "columns names the column 'sizes', which the table does not have"),
        ({"columns": {"size": Column(), X.columns.get_loc("size"): Column()}}, "names the column 'size' twice"),
        ({"columns": "increasing"}, "columns"),
        ({"missing": "never"}, "missing"),
        ({"n_features": 1.5}, "n_features"),
        ({"min_gain": 2.0}, "min_gain"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(**parameters)
    assert issubclass(ParameterError, ValueError)


def test_reasons_count_columns_and_pairs():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(1000, 3)), columns=list("abc"))
    y = (X["a"] * X["b"] > 0).astype(int)
    model = ScorecardClassifier(n_pairs=1).fit(X, y)
    assert model.pairs_ == [("a", "b")]
    why = pickle.loads(pickle.dumps(model.why_))
    assert repr(why) == "Reasons(2 of 3 columns and 1 pair selected; to_frame() has one row per column and pair)"
    assert repr(ScorecardClassifier(n_pairs=0, n_features=1).fit(X, y).why_).startswith("Reasons(1 of 3 columns sel")
