"""The filters as a scikit-learn selector."""

import gc
import pickle
import weakref

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from bayesieve import FilterSelector, MODLDiscretizer, filters
from bayesieve.exceptions import ClippedSelectionWarning, NothingSelectedWarning, ParameterError
from bayesieve.filters import SUBSET_FORMULAS
from bayesieve.fit.filter import FILTERS

X, Y = load_breast_cancer(return_X_y=True, as_frame=True)
X, Y = X.iloc[::4, :12], Y.iloc[::4].to_numpy()
ALL = pytest.mark.parametrize("score", sorted(FILTERS))
SUBSETS = pytest.mark.parametrize("score", sorted(SUBSET_FORMULAS))


@ALL
def test_shape_of_the_result(score):
    selector = FilterSelector(score).fit(X, Y)
    assert sorted(selector.ranking_) == list(range(1, 13))
    assert selector.n_features_ == selector.support_.sum() > 0
    assert hasattr(selector, "path_") == (score in SUBSET_FORMULAS or score == "cfs")
    if hasattr(selector, "path_"):
        order = [X.columns.get_loc(name) for name in selector.path_.order]
        assert selector.ranking_[order].tolist() == list(range(1, len(order) + 1))
        assert set(order) == set(np.flatnonzero(selector.support_))
        assert len(selector.path_.to_frame()) == len(order)
    else:
        assert set(np.flatnonzero(selector.support_)) == set(np.argsort(selector.ranking_)[: selector.n_features_])
        assert (np.diff(selector.scores_[np.argsort(selector.ranking_)]) <= 0).all()
    assert list(selector.transform(X).columns) == selector.get_feature_names_out().tolist()


@ALL
def test_threads_copies_and_containers_change_nothing(score):
    first = FilterSelector(score).fit(X, Y)
    others = [clone(first).set_params(n_jobs=2).fit(X, Y), pickle.loads(pickle.dumps(first))]
    others += [clone(first).fit(pl.DataFrame(X.to_dict("list")), Y), clone(first).fit(X.to_numpy(), Y)]
    others += [clone(first).fit(sparse.csc_array(X.to_numpy()), Y)]
    for other in others:
        np.testing.assert_allclose(other.scores_, first.scores_, rtol=1e-12, atol=1e-13)
        assert other.ranking_.tolist() == first.ranking_.tolist()


@ALL
def test_order_of_rows_and_columns_changes_nothing(score):
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(Y)), rng.permutation(X.shape[1])
    first = FilterSelector(score).fit(X, Y)
    moved = FilterSelector(score).fit(X.iloc[rows, columns], Y[rows])
    np.testing.assert_allclose(moved.scores_, first.scores_[columns], rtol=1e-9, atol=1e-9)
    if score != "relieff":  # it adds distances in the order of the columns
        assert set(moved.get_feature_names_out()) == set(first.get_feature_names_out())


@pytest.mark.parametrize("score", sorted(set(FILTERS) - {"relieff"}))
def test_weights_are_copies(score):
    times = np.random.default_rng(1).integers(0, 3, len(Y))
    copies = np.repeat(np.arange(len(Y)), times)
    weighted, copied = FilterSelector(score).fit(X, Y, times), FilterSelector(score).fit(X.iloc[copies], Y[copies])
    np.testing.assert_allclose(weighted.scores_, copied.scores_, rtol=1e-12)
    assert weighted.support_.tolist() == copied.support_.tolist()


@SUBSETS
def test_forward_search_takes_the_best_addition(score):
    selector = FilterSelector(score, n_features=4, discretizer="equal_frequency").fit(X, Y)
    order = [X.columns.get_loc(name) for name in selector.path_.order]
    for k in range(4):
        fixed = FilterSelector(score, n_features=max(k, 1), discretizer="equal_frequency").fit(X, Y)
        if k:
            left = np.flatnonzero(~fixed.support_)
            assert left[np.argmax(fixed.scores_[left])] == order[k]
        else:
            assert np.argmax(filters.mutual_info(X, Y, discretizer="equal_frequency")) == order[0]
    steps = np.diff([0.0, *selector.path_.scores])
    np.testing.assert_allclose(steps, selector.scores_[order], atol=1e-9)


@ALL
def test_keep_and_drop(score):
    size = "auto" if score == "cfs" else 3
    selector = FilterSelector(score, n_features=size, keep=[11], drop=["mean radius"]).fit(X, Y)
    assert selector.support_[11]
    assert not selector.support_[0]
    assert score == "cfs" or selector.n_features_ == 3
    with pytest.raises(ParameterError, match="both in keep and in drop"):
        FilterSelector(score, keep=[0], drop=[0]).fit(X, Y)


def test_numbers_of_features():
    assert FilterSelector(n_features=0).fit(X, Y).n_features_ == 0
    assert FilterSelector(n_features=0.5).fit(X, Y).n_features_ == 6
    assert FilterSelector(n_features="all").fit(X, Y).n_features_ == 12
    assert FilterSelector(n_features=(2, 3)).fit(X, Y).n_features_ == 3
    with pytest.warns(ClippedSelectionWarning, match="more than the 12 columns"):
        assert FilterSelector(n_features=50).fit(X, Y).n_features_ == 12
    with pytest.raises(ParameterError, match="method='cfs' determines"):
        FilterSelector("cfs", n_features=3).fit(X, Y)


def test_auto_leaves_out_what_tells_nothing():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    table = np.column_stack([rng.normal(size=200), y + rng.normal(size=200), np.ones(200)])
    for score in ("mutual_info", "conditional_entropy", "modl_level", "chi2", "mrmr", "cfs"):
        assert FilterSelector(score).fit(table, y).support_.tolist() == [False, True, False]
    with pytest.warns(NothingSelectedWarning, match="No column is informative"):
        FilterSelector().fit(table[:, [0]], y)
    mrmr = FilterSelector("mrmr").fit(table, y)
    assert np.isnan(mrmr.scores_[[0, 2]]).all()
    assert mrmr.ranking_.tolist() == [2, 1, 3]


def test_conditional_entropy_ranks_as_information():
    one, other = FilterSelector("conditional_entropy").fit(X, Y), FilterSelector("mutual_info").fit(X, Y)
    assert one.ranking_.tolist() == other.ranking_.tolist()
    np.testing.assert_allclose(-one.scores_, filters.conditional_entropy(X, Y), rtol=1e-12)


def test_parameters_reach_their_scores():
    assert (FilterSelector("mifs", beta=0.0, n_features=3).fit(X, Y).support_).tolist() == FilterSelector(
        n_features=3
    ).fit(X, Y).support_.tolist()
    found = FilterSelector("relieff", n_neighbors=3, sigma=1.0).fit(X, Y).scores_
    np.testing.assert_array_equal(found, filters.relieff(X, Y, n_neighbors=3, sigma=1.0))


def test_discretizers():
    assert FilterSelector("jmi", discretizer=MODLDiscretizer(max_bins=2), n_features=2).fit(X, Y).n_features_ == 2
    iris, species = load_iris(return_X_y=True)
    codes = iris.round().astype(int)
    named = pd.DataFrame(codes).astype("category")
    one, other = (FilterSelector("jmi", discretizer=None, n_features=2).fit(table, species) for table in (codes, named))
    assert one.ranking_.tolist() == other.ranking_.tolist()


def test_inside_a_pipeline_and_set_output():
    pipeline = make_pipeline(FilterSelector("mrmr", n_features=3), GaussianNB()).fit(X, Y)
    assert pipeline.score(X, Y) > 0.85
    selector = FilterSelector(n_features=2).set_output(transform="pandas").fit(X.to_numpy(), Y)
    assert isinstance(selector.transform(X.to_numpy()), pd.DataFrame)
    again = FilterSelector("mrmr").fit(X, Y).set_params(method="chi2").fit(X, Y)
    assert not hasattr(again, "path_")


@ALL
def test_reasons(score):
    table = X.assign(copy=X["mean radius"] * 2, noise=np.random.default_rng(0).normal(size=len(Y)))
    size = "auto" if score == "cfs" else 3
    selector = FilterSelector(score, n_features=size, keep=["mean radius"], drop=["mean area"]).fit(table, Y)
    why = selector.why_
    assert list(why) == list(table.columns)
    assert [name for name in why if why[name]["selected"]] == selector.get_feature_names_out().tolist()
    assert (why["copy"]["redundant_with"], why["copy"]["redundancy"]) == ("mean radius", 1.0)
    assert why["mean radius"]["reason"] == "in keep"
    assert why["mean area"]["reason"] == "left out by drop"
    assert why["noise"]["reason"] == "uninformative: a single bin is optimal" or why["noise"]["selected"]
    if hasattr(selector, "path_"):
        steps = [step.column for step in selector.path_.steps]
        assert [why[name]["step"] for name in steps] == list(range(1, len(steps) + 1))


class TestReasonsAreFoundWhenRead:
    """Scores of raw values need no bins: those of the reasons are learned when these are read."""

    RAW = pytest.mark.parametrize("score", ["pearson", "relieff"])

    @RAW
    def test_they_are_those_of_the_rows_of_the_fit(self, score):
        expected = FilterSelector(score, n_features=3).fit(X, Y).why_
        for table in (X.copy(), X.to_numpy().copy(), sparse.csc_array(X.to_numpy())):
            late = FilterSelector(score, n_features=3).fit(table, Y)
            if isinstance(table, sparse.csc_array):
                table.data[:] = 0.0
            else:
                table[:] = 0.0
            reasons = [[*list(entry.values())[:3], entry["redundancy"]] for entry in late.why_.values()]
            assert reasons == [[*list(entry.values())[:3], entry["redundancy"]] for entry in expected.values()]

    @ALL
    def test_no_rows_are_saved(self, score):
        selector = FilterSelector(score, n_features="auto" if score == "cfs" else 3).fit(X, Y)
        saved = pickle.dumps(selector)
        longer = pd.concat([X] * 20, ignore_index=True)
        more = FilterSelector(score, n_features=selector.n_features).fit(longer, np.tile(Y, 20))
        assert len(pickle.dumps(more)) < len(saved) + 1000
        assert pickle.loads(saved).why_ == selector.why_

    @RAW
    def test_the_table_is_let_go(self, score):
        table = X.to_numpy().copy()
        there = weakref.ref(table)
        selector = FilterSelector(score, n_features=3).fit(table, Y)
        del table
        gc.collect()
        assert there() is None
        assert len(selector.why_) == X.shape[1]

    @RAW
    def test_they_follow_from_a_thousand_rows(self, score):
        many, labels = np.tile(X.to_numpy(), (30, 1)), np.tile(Y, 30)
        rows = np.unique(np.linspace(0, len(many) - 1, 1000).astype(int))
        bins = FilterSelector("mutual_info").fit(many[rows], labels[rows])
        late = FilterSelector(score).fit(many, labels)
        coded = [name for name, entry in bins.why_.items() if entry["reason"].startswith("uninformative")]
        for name, entry in late.why_.items():
            assert entry["selected"] or entry["reason"].startswith("uninformative") == (name in coded)

    def test_categories_and_missing_values(self):
        table = X.assign(group=pd.Categorical(np.where(Y == 1, "a", "b")), half=X["mean radius"].where(Y == 1))
        for frame in (table, pl.from_pandas(table)):
            why = FilterSelector("relieff", n_features=2).fit(frame, Y).why_
            assert why["half"]["redundant_with"] == "group"
            assert set(list(why.to_frame()["column"])[:2]) == {name for name in why if why[name]["selected"]}

    def test_a_new_fit_has_new_reasons(self):
        selector = FilterSelector("relieff", n_features=2).fit(X, Y)
        first = selector.why_
        assert selector.why_ is first
        assert list(selector.fit(X.iloc[:, :3], Y).why_) == list(X.columns[:3])

    def test_there_are_none_before_a_fit(self):
        assert not hasattr(FilterSelector(), "why_")
        assert pickle.loads(pickle.dumps(FilterSelector("chi2"))).method == "chi2"
