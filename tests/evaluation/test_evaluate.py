"""`evaluate` against nested cross-validation by its definition, over libraries, selectors and classifiers."""

import pickle

import numpy as np
import polars as pl
import pytest
from evaluation.naive_evaluation import naive_rows
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import RFE, SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.svm import LinearSVC
from tables import three_classes, two_classes

from bayesieve import FilterSelector, Learner, NaiveBayesSelector, SelectiveNaiveBayes, evaluate
from bayesieve.evaluation.evaluation_task import EvaluationTask
from bayesieve.evaluation.measures import MEASURES
from bayesieve.exceptions import DataError, ParameterError

GRID = {"C": [0.01, 1.0]}
NUMBERS, TRUTH = load_breast_cancer(return_X_y=True)
NUMBERS, TRUTH = NUMBERS[::4, :8], TRUTH[::4]


def ranker(**parameters):
    return FilterSelector("mutual_info", discretizer="equal_frequency", **parameters)


@pytest.mark.parametrize(
    ("make", "classifier", "grid"),
    [
        (two_classes, LogisticRegression(solver="liblinear"), GRID),
        (two_classes, LinearSVC(dual=False), GRID),
        (three_classes, LogisticRegression(solver="newton-cg"), None),
        (three_classes, GaussianNB(), None),
    ],
)
def test_agrees_with_nested_cross_validation_by_definition(make, classifier, grid):
    X, y = make(200)
    sizes = [1, 3, 5]
    evaluation = evaluate(ranker(), Learner(classifier, grid), (X, y), sizes=sizes, cv=3).to_frame()
    expected = list(naive_rows(lambda size: ranker(n_features=size), classifier, grid, (X, y), sizes, 3))
    by_key = evaluation.set_index(["fold", "size"])
    for fold, size, measures in expected:
        row = by_key.loc[(fold, size)]
        assert row["n_features"] == size
        for name, value in measures.items():
            assert row[name] == pytest.approx(value, rel=1e-4, abs=1e-6, nan_ok=True), (fold, size, name)
    assert len(expected) == len(evaluation) == 9


@pytest.mark.slow
def test_libraries_processes_and_containers_change_nothing():
    X, y = two_classes(120)
    polars = pl.DataFrame({name: X[name].to_list() for name in X}, strict=False)
    options = {"sizes": [1, 2], "cv": 2}
    pandas = evaluate(ranker(), SelectiveNaiveBayes(cv=0), {"a": (X, y)}, **options)
    parallel = evaluate(ranker(), SelectiveNaiveBayes(cv=0), {"a": (polars, y)}, n_jobs=2, **options)
    assert isinstance(parallel.to_frame(), pl.DataFrame)
    assert pandas.to_frame().to_dict("list") == parallel.to_frame().to_dict(as_series=False)
    dense, sparse_table = (
        evaluate(ranker(), LogisticRegression(solver="liblinear"), (each, TRUTH), sizes=[2], cv=2).to_frame()
        for each in (NUMBERS, sparse.csr_array(NUMBERS))
    )
    assert dense.equals(sparse_table)


def test_selectors_of_every_kind():
    selectors = {
        "all": None,
        "best": SelectKBest(k=3),
        "eliminated": RFE(LogisticRegression(solver="liblinear"), n_features_to_select=1),
        "path": NaiveBayesSelector(cv=0, n_features=3),
        "short": NaiveBayesSelector(cv=0, n_features=1),
        "backward": NaiveBayesSelector(search="backward", cv=0, n_features=6),
        "subset": FilterSelector("cfs"),
    }
    evaluation = evaluate(selectors, GaussianNB(), (NUMBERS, TRUTH), sizes=[1, 4, 8, 99], cv=2)
    sizes = {
        name: list(zip(rows["size"], rows["n_features"], strict=True))
        for name, rows in evaluation.to_frame().query("fold == 0").groupby("selector")
    }
    assert sizes["all"] == [(8, 8)]
    assert sizes["best"] == [(3, 3)]
    assert sizes["eliminated"] == sizes["subset"] == [(1, 1), (4, 4), (8, 8)]
    assert sizes["path"] == [(1, 1), (4, 3), (8, 3)]  # not more than were selected
    assert sizes["short"] == [(1, 1), (4, 1), (8, 1)]
    assert sizes["backward"] == [(1, 6), (4, 6), (8, 8)]  # not fewer than were reached
    own = evaluate(selectors, GaussianNB(), (NUMBERS, TRUTH), cv=2).to_frame().query("fold == 0")
    assert dict(zip(own["selector"], own["n_features"], strict=True))["path"] == 3


def test_an_empty_selection_predicts_the_class_frequencies():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(90, 4))
    y = np.arange(90) % 3 == 0
    noise[:, 0] = 7.0
    learners = [Learner(MultinomialNB(), encoding="bins"), SelectiveNaiveBayes(cv=0)]
    evaluation = evaluate(FilterSelector(), learners, (noise, y), cv=3).to_frame()
    assert (evaluation["n_features"] == 0).all()
    assert evaluation["accuracy"].to_numpy() == pytest.approx(2 / 3)
    assert evaluation["brier"].to_numpy() == pytest.approx(2 / 9, abs=1e-3)
    assert (evaluation["auc"] == 0.5).all()
    constant = evaluate(None, learners, (noise[:, :1], y), cv=3).to_frame()
    assert constant["brier"].to_numpy() == pytest.approx(2 / 9)


def test_positive_class_several_sets_and_splitters():
    X, y = two_classes(90)
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1)
    data = {"a": lambda: (X, y), "b": (X.iloc[:60], y[:60])}
    first, second = (
        evaluate(ranker(), GaussianNB(), data, cv=cv, positive=label).to_frame() for label in ("yes", "no")
    )
    assert len(first) == 12
    assert first["data"].unique().tolist() == ["a", "b"]
    assert first["accuracy"].equals(second["accuracy"])
    assert first["auc"].to_numpy() == pytest.approx(second["auc"].to_numpy())
    assert not first["recall"].equals(second["recall"])


def test_every_selector_has_the_same_folds_even_if_they_are_random():
    cv = StratifiedKFold(3, shuffle=True)  # without a seed
    task = EvaluationTask({"a": None}, {}, {"one": (NUMBERS, TRUTH), "two": (NUMBERS, TRUTH)}, cv=cv)
    task.jobs()
    other = pickle.loads(pickle.dumps(task))  # as another process gets it
    for name in ("two", "one"):
        for (a, b), (c, d) in zip(task.data_set(name).splits, other.data_set(name).splits, strict=True):
            assert a.tolist() == c.tolist()
            assert b.tolist() == d.tolist()
    splits = [(np.arange(0, 100), np.arange(100, 143))]
    one_fold = evaluate(None, GaussianNB(), (NUMBERS, TRUTH), cv=splits).to_frame()
    assert one_fold[["selector", "n_train", "n_test"]].to_numpy().tolist() == [["all", 100, 43]]


def test_selections_and_stability():
    evaluation = evaluate(ranker(), GaussianNB(), (NUMBERS, TRUTH), sizes=[1, 8], cv=3)
    stable = evaluation.stability()
    assert stable["size"].tolist() == [1, 8]
    assert stable["jaccard"].tolist()[1] == 1
    assert np.isnan(stable["kuncheva"].tolist()[1])
    assert evaluation.selections()["n_folds"].tolist() == [3] * 8
    summary = evaluation.summary("auc")
    rows = evaluation.to_frame().query("size == 8")
    assert summary["mean"].tolist()[1] == pytest.approx(rows["auc"].mean())
    assert summary["std"].tolist()[1] == pytest.approx(rows["auc"].std())


def test_tuned_parameters_are_recorded_and_progress_is_logged(caplog):
    learner = Learner(LogisticRegression(solver="liblinear"), {"C": np.array([1e-6, 1.0])})
    evaluation = evaluate(ranker(), learner, (NUMBERS, TRUTH), cv=2, verbose=1, tune_on="log_loss")
    assert evaluation.records[0]["scores"]["LogisticRegression"]["parameters"] == {"C": 1.0}
    assert "2 of 2: data, fold 1, FilterSelector" in caplog.text
    assert set(MEASURES) <= set(evaluation.to_frame().columns)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": [0]}, "sizes must be numbers of columns"),
        ({"tune_on": "loss"}, "tune_on must be one of accuracy"),
        ({"positive": 3}, "positive=3 is not a class of 'data'"),
        ({"cv": 100}, "cv=100: a class of 'data' has only"),
        ({"data": 3}, "data must be"),
        ({"data": {}}, "data is empty"),
        ({"selectors": [ranker(), ranker()]}, "selectors has two of FilterSelector"),
        ({"classifiers": []}, "classifiers is empty"),
    ],
)
def test_refusals(options, message):
    arguments = {"selectors": ranker(), "classifiers": GaussianNB(), "data": (NUMBERS, TRUTH), **options}
    with pytest.raises((DataError, ParameterError), match=message):
        evaluate(**arguments)


def test_learners_refuse_unknown_parameters_and_encodings():
    with pytest.raises(ParameterError, match="GaussianNB has no parameter 'C'"):
        Learner(GaussianNB(), {"C": [1]})
    with pytest.raises(ParameterError, match="encoding must be 'auto' or one of numbers"):
        Learner(GaussianNB(), encoding="hashes")
    assert Learner(GaussianNB()).encoding == "numbers"
    assert Learner(SelectiveNaiveBayes()).encoding == "raw"


@pytest.mark.parametrize("layout", ["coo", "bsr", "dia", "lil", "dok", "csc"])
def test_sparse_formats_give_one_table(layout):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    X = (rng.random((40, 4)) < 0.3 + 0.4 * y[:, None]).astype(float)
    selector = FilterSelector("chi2", n_features=2, discretizer="equal_width")
    expected, found = (
        evaluate(selector, BernoulliNB(), (sparse.csr_matrix(X).asformat(each), y), cv=2).to_frame()
        for each in ("csr", layout)
    )
    assert found.equals(expected)


@pytest.mark.parametrize("table", [np.zeros((9, 2)), pl.DataFrame({"a": [1, 2]}), load_breast_cancer(), None])
def test_a_table_in_the_place_of_classifiers_is_one_sentence(table):
    with pytest.raises(ParameterError, match=r"must be estimators, got .*; the arguments are selectors, classifiers"):
        evaluate(SelectiveNaiveBayes(), table, np.arange(9) % 2)
