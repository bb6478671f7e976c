"""What users read after a fit: the path, the reasons, other sizes."""

import json
import sys
from importlib.metadata import version

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import plain_bayes
from sklearn.exceptions import NotFittedError

from bayesieve import NaiveBayesSelector, ScorecardClassifier
from bayesieve.exceptions import ParameterError


def make_data(n_rows=240, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    strong = y + rng.normal(scale=0.6, size=n_rows)
    return pd.DataFrame(
        {
            "noise": rng.normal(size=n_rows),
            "weak": y + rng.normal(scale=2, size=n_rows),
            "strong": strong,
            "twin": strong + rng.normal(scale=0.3, size=n_rows),
            "flat": np.zeros(n_rows),
        }
    ), y


X, Y = make_data()
SEARCHES = ["forward", "backward", "forward-backward", "backward-forward", "floating"]


def make(kind=NaiveBayesSelector, **parameters):
    """Return an estimator that searches all columns that vary, noise too."""
    return kind(discretizer="equal_frequency", **parameters)


@pytest.fixture(scope="module", params=SEARCHES)
def selector(request):
    return make(search=request.param, tol=None, scoring="auc").fit(X, Y)


class TestPath:
    def test_steps(self, selector):
        path = selector.path_
        assert path.complete
        assert path.biased
        assert path.criterion == "brier"
        assert path.steps
        for step in path.steps:
            assert step.action in ("add", "drop")
            assert step.column in X.columns
            assert step.runner_up in {None, *X.columns}
            assert step.runner_up != step.column
            assert step.runner_up is None or step.runner_up_score <= step.score
            assert step.score == pytest.approx(np.mean(step.split_scores), abs=1e-12)
        assert path.scores == tuple(step.score for step in path.steps)
        assert path.values == tuple(-score for score in path.scores)

    def test_order_is_the_selection(self, selector):
        assert set(selector.path_.order) == set(selector.get_feature_names_out())
        assert len(selector.path_.order) == selector.n_features_

    def test_sizes_add_up(self, selector):
        for visit in selector.path_.visits():
            if visit.step is not None:
                assert len(visit.columns) == selector.path_.steps[visit.step].n_features

    def test_to_dict_is_json(self, selector):
        data = selector.path_.to_dict()
        assert json.loads(json.dumps(data, allow_nan=False)) == json.loads(json.dumps(data))
        assert data["order"] == list(selector.path_.order)
        assert len(data["steps"]) == len(selector.path_.steps)

    def test_frozen(self, selector):
        with pytest.raises(AttributeError):
            selector.path_.complete = False

    def test_best_of_each_size_is_what_results_show(self, selector):
        best = selector.path_.best_by_size()
        assert selector.cv_results_["n_features"].tolist() == list(best)
        shown = selector.cv_results_["mean_test_score"]
        np.testing.assert_allclose(shown, [visit.score for visit in best.values()], rtol=0, atol=1e-15)


class TestFrame:
    columns = ("action", "column", "brier", "n_features", "runner_up")  # a loss is not there a second time, negated

    @pytest.mark.parametrize(
        ("table", "kind"),
        [(pd.DataFrame, pd.DataFrame), (pl.from_pandas, pl.DataFrame), (pa.Table.from_pandas, pa.Table)],
    )
    def test_library_of_the_input(self, table, kind):
        path = make(n_features=3).fit(table(X), Y).path_
        frame = path.to_frame()
        assert type(frame) is kind
        assert len(frame) == 3
        assert tuple(frame.column_names if kind is pa.Table else frame.columns) == self.columns
        assert tuple(pd.DataFrame(frame.to_pydict() if kind is pa.Table else frame.to_dict())["brier"]) == path.values

    def test_pandas_for_arrays(self):
        assert type(make().fit(X.to_numpy(), Y).path_.to_frame()) is pd.DataFrame

    def test_polars_for_arrays_without_pandas(self, monkeypatch):
        path = make().fit(X.to_numpy(), Y).path_
        monkeypatch.setitem(sys.modules, "pandas", None)  # what an absent module looks like to import
        assert type(path.to_frame()) is pl.DataFrame

    def test_neither(self, monkeypatch):
        path = make().fit(X.to_numpy(), Y).path_

        def absent(*args, **kwargs):
            raise ImportError

        monkeypatch.setattr("narwhals.from_dict", absent)
        with pytest.raises(ImportError, match="needs pandas or polars"):
            path.to_frame()

    def test_no_steps(self):
        assert len(make(n_features=0).fit(X, Y).path_.to_frame()) == 0


class TestWhy:
    def test_every_column_has_an_entry(self, selector):
        assert list(selector.why_) == list(X.columns)
        keys = {"selected", "score_alone", "gain", "redundant_with", "step", "reason"}
        assert all(set(entry) >= keys for entry in selector.why_.values())
        selected = [name for name, entry in selector.why_.items() if entry["selected"]]
        assert selected == selector.get_feature_names_out().tolist()
        json.dumps(selector.why_)

    def test_score_alone_is_that_of_the_column_alone(self, selector):
        for name in X.columns[:-1]:
            alone = make(start_from=name, n_features=1).fit(X, Y)
            assert selector.why_[name]["score_alone"] == alone.path_.phases[0].score

    def test_gain_is_what_the_column_adds_to_the_others(self, selector):
        chosen = set(selector.path_.order)
        for name in X.columns[:-1]:
            others = sorted(chosen - {name})
            with_it, without = (
                make(start_from=start or None, n_features=len(start)).fit(X, Y).path_.phases[0].score
                for start in ([*others, name], others)
            )
            assert selector.why_[name]["gain"] == pytest.approx(with_it - without, abs=1e-12)

    def test_constant(self, selector):
        entry = selector.why_["flat"]
        assert not entry["selected"]
        assert entry["reason"] == "constant"
        assert all(value is None for key, value in entry.items() if key not in ("selected", "reason"))

    def test_a_twin_is_redundant_with_its_twin(self):
        why = make(n_features=2).fit(X, Y).why_
        chosen, left = ("strong", "twin") if why["strong"]["selected"] else ("twin", "strong")
        assert why[left]["redundant_with"] == chosen
        assert why[chosen]["step"] == 1

    def test_step_of_entry_and_of_departure(self):
        forward = make(n_features=3).fit(X, Y)
        for i, name in enumerate(forward.path_.order, 1):
            assert forward.why_[name]["step"] == i
            assert forward.why_[name]["reason"] == "selected"
        backward = make(search="backward", n_features=1).fit(X, Y)
        for i, step in enumerate(backward.path_.steps, 1):
            assert backward.why_[step.column]["step"] == i
            assert backward.why_[step.column]["reason"] == f"removed at step {i} of the search"
        assert backward.why_[backward.path_.order[0]]["reason"] == "never removed"

    def test_stopped_before(self):
        why = make(n_features=1, cv=0).fit(X, Y).why_
        assert why["weak"]["gain"] > 0
        assert why["weak"]["reason"] == "not reached before the search stopped"

    def test_nothing_to_add(self):
        why = make().fit(X, Y).why_
        left = [entry for name, entry in why.items() if not entry["selected"] and name != "flat"]
        assert left
        assert all(entry["gain"] <= 0 for entry in left)
        assert {entry["reason"] for entry in left} == {"no gain given the selected columns"}


class TestSelect:
    def test_every_visited_size(self, selector):
        for k, visit in selector.path_.best_by_size().items():
            chosen = selector.select(k)
            assert chosen.n_features_ == k
            assert chosen.path_.order == visit.columns
            assert chosen.path_.steps == selector.path_.steps
            assert set(chosen.get_feature_names_out()) == set(visit.columns)
            assert chosen.transform(X).shape == (len(X), k)

    def test_the_original_stays(self, selector):
        before = selector.support_.tolist()
        selector.select(1)
        assert selector.support_.tolist() == before

    def test_unvisited_sizes(self):
        selector = make(n_features=2).fit(X, Y)
        with pytest.raises(ParameterError, match="subsets of 0-2 columns; fit with n_features=4"):
            selector.select(4)
        groups = make(n_features=2, feature_groups={"g": ["strong", "weak"]}, start_from=["strong"])
        with pytest.raises(ParameterError, match="has subsets of 2 columns"):
            groups.fit(X, Y).select(0)

    def test_unfitted(self):
        with pytest.raises(NotFittedError):
            NaiveBayesSelector().select(1)
        for ask in (lambda model: model.scorecard(), lambda model: model.reason_codes(X)):
            with pytest.raises(NotFittedError):
                ask(ScorecardClassifier())

    @pytest.mark.parametrize("search", SEARCHES)
    def test_predicts_as_if_fitted_on_those_columns(self, search):
        model = make(plain_bayes, search=search, tol=None).fit(X, Y)
        for k, visit in model.path_.best_by_size().items():
            direct = make(plain_bayes, start_from=list(visit.columns) or None, n_features=k, cv=0).fit(X, Y)
            np.testing.assert_array_equal(model.select(k).predict_proba(X), direct.predict_proba(X))


class TestClassifier:
    model = make(plain_bayes, n_features=2).fit(X, np.where(Y == 1, "yes", "no"))

    def test_probabilities(self):
        probabilities = self.model.predict_proba(X)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-12)
        np.testing.assert_allclose(np.log(probabilities), self.model.predict_log_proba(X), atol=1e-9)
        predicted = self.model.classes_[probabilities.argmax(axis=1)]
        np.testing.assert_array_equal(self.model.predict(X), predicted)

    def test_by_definition(self):
        evidence = np.log(np.bincount(Y) / len(Y)) * np.ones((len(X), 1))
        pseudo = 1 / (len(Y) + 1)
        for name in self.model.path_.order:
            partition = self.model.partitions_[name]
            codes = np.searchsorted(partition.bounds, X[name])
            for c in (0, 1):
                counts = np.bincount(codes[c == Y], minlength=partition.n_bins)
                chances = (counts + pseudo) / (counts.sum() + pseudo * partition.n_bins)
                evidence[:, c] += np.log(chances[codes])
        odds = evidence[:, 1] - evidence[:, 0]
        np.testing.assert_allclose(self.model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-odds)), atol=1e-9)

    def test_rows_do_not_influence_each_other(self):
        one_by_one = np.vstack([self.model.predict_proba(X[i : i + 1]) for i in range(5)])
        np.testing.assert_array_equal(one_by_one, self.model.predict_proba(X[:5]))

    def test_same_selection_as_the_selector(self):
        selector = make(n_features=2).fit(X, Y)
        assert selector.path_.order == self.model.path_.order


def test_version():
    import bayesieve

    assert bayesieve.__version__ == version("bayesieve")
