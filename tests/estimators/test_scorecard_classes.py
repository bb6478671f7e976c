"""A ScorecardClassifier of three classes and more."""

import pickle

import numpy as np
import pandas as pd
import pytest
from draws import draws
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics import log_loss
from tables import three_classes

import bayesieve
from bayesieve import Column, ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.exceptions import NothingSelectedWarning, ParameterError

X, Y = three_classes(240)


def fit(table=X, target=Y, **parameters):
    return ScorecardClassifier(**parameters).fit(table, target)


@pytest.fixture(scope="module")
def model():
    return fit()


def test_probabilities_are_the_softmax_of_points():
    table, target = load_iris(return_X_y=True)
    model = fit(table, target, n_features="best")
    card, p = model.scorecard_, model.predict_proba(table)
    scores = np.repeat(card.start[None] / 2**40, len(table), axis=0)
    for j, each in enumerate(card.tables):
        scores = scores + each.table[each.partition.code_numbers(table[:, j])] / 2**40
        assert each.table.shape[1] == 3
        assert_allclose(each.table * 100 / 2**40, np.rint(each.table * 100 / 2**40), atol=1e-6)  # two decimals
    softmax = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert_allclose(p, (150 * softmax + 0.5 / 3) / 150.5, atol=1e-9)


def test_it_is_better_than_one_weight_per_column():
    table, target = load_digits(return_X_y=True)
    train, test = slice(0, 1797, 2), slice(1, 1797, 2)
    losses = [
        log_loss(target[test], each.fit(table[train], target[train]).predict_proba(table[test]))
        for each in (ScorecardClassifier(n_features="best"), SelectiveNaiveBayes())
    ]
    assert losses[0] < 0.6 * losses[1]


def test_one_decision_per_column_for_all_classes(model):
    sizes = [int(size) for size in model.cv_results_["n_features"]]
    assert sizes == [0, 1, 2, 3, 4, 5]
    losses = -np.asarray(model.cv_results_["mean_test_score"])
    assert losses[-1] < losses[0] - 0.2
    small = model.select(2)
    assert small.n_features_ == 2
    assert small.scorecard_.names == [
        table.name for table in model.scorecard_.tables if table.name in small.scorecard_.names
    ]
    for size, p in model.staged_predict_proba(X):
        assert_allclose(p.sum(axis=1), 1.0)
        assert size in sizes


def test_noise_has_no_columns():
    rng = np.random.default_rng(1)
    with pytest.warns(NothingSelectedWarning):
        model = fit(rng.normal(size=(300, 8)), rng.integers(0, 4, 300))
    assert model.n_features_ == 0
    assert_allclose(model.predict_proba(np.zeros((1, 8)))[0], 0.25, atol=0.06)


def test_the_order_of_rows_and_threads_do_not_matter(model):
    order = np.random.default_rng(0).permutation(len(X))
    shuffled = fit(X.iloc[order].reset_index(drop=True), Y[order], n_jobs=2)
    assert_array_equal(shuffled.predict_proba(X), model.predict_proba(X))
    some, labels = X.iloc[: draws(80, 240)], Y[: draws(80, 240)]
    slow, fast = (fit(some, labels, backend=backend, n_features=2) for backend in ("reference", "auto"))
    assert_array_equal(slow.predict_proba(X), fast.predict_proba(X))


def test_weights_are_copies_of_rows():
    weights = np.random.default_rng(0).integers(1, 3, len(X))
    copies = np.repeat(np.arange(len(X)), weights)
    fold = np.arange(len(X)) % 3
    folds = [(np.flatnonzero(fold != q), np.flatnonzero(fold == q)) for q in range(3)]
    copied = [(np.flatnonzero(fold[copies] != q), np.flatnonzero(fold[copies] == q)) for q in range(3)]
    weighted = ScorecardClassifier(cv=folds, n_features="best").fit(X, Y, sample_weight=weights)
    repeated = ScorecardClassifier(cv=copied, n_features="best").fit(X.iloc[copies].reset_index(drop=True), Y[copies])
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=0.02)


def test_files_pickles_and_journals(model, tmp_path):
    model.save(tmp_path / "model.json")
    for back in (bayesieve.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model))):
        assert_array_equal(back.predict_proba(X), model.predict_proba(X))
        assert_array_equal(back.predict(X), model.predict(X))
    first = fit(checkpoint=tmp_path / "c.json")
    again = fit(checkpoint=tmp_path / "c.json")
    for each in (first, again):
        assert_array_equal(each.predict_proba(X), model.predict_proba(X))


def test_rows_are_explained_against_any_other_class(model):
    p = np.log(model.predict_proba(X[:5]))
    for other, c in (("low", 1), ("mid", 2)):
        for row, own in zip(model.explain(X[:5], ("high", other)), p, strict=True):
            assert_allclose(row.prior + sum(each.log_odds for each in row.contributions), row.log_odds, atol=1e-9)
            assert_allclose(row.log_odds, own[0] - own[c], atol=0.2)  # half a row is added to the probabilities


@pytest.mark.parametrize(("label", "direction"), [("high", "increasing"), ("low", "decreasing"), ("mid", "increasing")])
def test_a_class_may_be_monotone(label, direction):
    sign, c = 1 if direction == "increasing" else -1, ["high", "low", "mid"].index(label)
    model = fit(columns={"size": Column(monotone={label: direction})}, n_features="best")
    table = model.scorecard_["size"]
    leads = (table.table[:, [c]] - table.table)[: len(table.partition.bounds) + 1]
    assert (sign * np.diff(leads, axis=0) > -2).all()  # multiples of 2^-40
    assert np.ptp(leads, axis=0).max() > 0
    grid = pd.concat([X[:1]] * 50, ignore_index=True).assign(size=np.linspace(-3, 3, 50))
    assert (sign * np.diff(model.predict_proba(grid)[:, c]) >= -1e-9).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"columns": {"size": {"monotone": "increasing"}}}, "must name one class and its direction"),
        (
            {"columns": {"size": {"monotone": {"none": "increasing"}}}},
            "names the class 'none', which this target does not have",
        ),
        ({"columns": {"size": {"monotone": {"low": "up"}}}}, "must be 'increasing' or 'decreasing'"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        fit(**parameters)


def test_sparse_counts_are_the_same_as_dense_ones():
    rng = np.random.default_rng(0)
    target = rng.integers(0, 3, 300)
    dense = rng.poisson(0.2 + 1.5 * np.eye(3)[target][:, [0, 1, 2, 0, 1, 2]] * [1, 1, 1, 0, 0, 0]).astype(float)
    assert_array_equal(
        fit(sparse.csr_array(dense), target).predict_proba(sparse.csr_array(dense)),
        fit(dense, target).predict_proba(dense),
    )


def test_many_classes_and_categories():
    rng = np.random.default_rng(0)
    target = rng.integers(0, 12, 1500)
    label = np.where(rng.random(1500) < 0.7, target * 20 + rng.integers(0, 20, 1500), rng.integers(0, 240, 1500))
    table = pd.DataFrame({"label": [f"v{each}" for each in label], "noise": rng.normal(size=1500)})
    model = fit(table, target)
    assert model.scorecard_.names[0] == "label"
    assert model.score(table, target) > 0.6


@pytest.mark.parametrize("n_rare", [1, 2])
def test_a_class_may_be_rare(n_rare):
    table, target = load_iris(return_X_y=True)
    rare = np.r_[0 : 100 + n_rare]
    model = fit(table[rare], target[rare])
    assert_array_equal(model.classes_, [0, 1, 2])
    assert np.isfinite(model.predict_proba(table)).all()


def test_many_columns_are_not_all_tried_in_every_step():
    rng = np.random.default_rng(0)
    target = rng.integers(0, 3, 150)
    table = rng.normal(size=(150, 105))
    table[:, [7, 50, 99]] += 1.5 * np.eye(3)[target]
    path = fit(table, target, n_features=(None, 4), cv=2).path_
    assert {step.column for step in path.steps[:3]} == {"x7", "x50", "x99"}


def test_the_number_of_folds_is_limited_by_the_rows_of_the_table():
    X, y = three_classes(60)[:2]
    with pytest.raises(ParameterError, match=rf"cv=100: the table has {len(y)} rows; use at most that many folds\."):
        ScorecardClassifier(cv=100).fit(X, y)
