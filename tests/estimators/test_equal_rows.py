"""Rows that repeat beyond chance share a fold and count as about as many as there are different ones."""

import numpy as np
import pandas as pd
import pytest
from cut_tables import cut
from draws import draws
from invariant_fits import ESTIMATORS
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix

from bayesieve import (
    NaiveBayesSelector,
    ScorecardClassifier,
    SelectiveNaiveBayes,
    WrapperSelector,
    check_data,
)
from bayesieve.data import read_table
from bayesieve.data.row_keys import row_keys
from bayesieve.evaluation import outer_fits
from bayesieve.exceptions import RepeatedRowsWarning
from bayesieve.fit.equal_rows import equal_rows_of, repeat_beyond_chance

of_copies = pytest.mark.filterwarnings("ignore::bayesieve.exceptions.RepeatedRowsWarning")
of_noise = pytest.mark.filterwarnings("ignore::bayesieve.exceptions.NothingSelectedWarning")


def copies(X, y, times, seed=0):
    """Return a table whose rows are all repeated, in some order, and its target."""
    order = np.random.default_rng(seed).permutation(len(y) * times) % len(y)
    return X.iloc[order].reset_index(drop=True), np.asarray(y)[order]


def noise(seed, n_rows=300):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 6)).round(3)).add_prefix("c")
    return X.assign(label=rng.choice(list("abc"), n_rows)), rng.integers(0, 2, n_rows)


def signal(seed, n_rows=300):
    X, y = noise(seed, n_rows)
    return X.assign(size=y + np.random.default_rng(seed + 1).normal(size=n_rows)), y


@of_copies
@of_noise
@pytest.mark.parametrize("times", [2, 3, 5])
@pytest.mark.parametrize(
    "make",
    [
        lambda: ScorecardClassifier(n_jobs=1),
        lambda: ScorecardClassifier(cv=5, random_state=0, n_jobs=1),
        lambda: SelectiveNaiveBayes(n_jobs=1),
        lambda: NaiveBayesSelector(n_jobs=1),
        lambda: NaiveBayesSelector(cv=0.3, n_jobs=1),
        ESTIMATORS["BoostClassifier, real"][0],
    ],
)
def test_repeated_noise_selects_nothing(make, times):
    sizes = []
    for seed in range(2, 2 + draws(2, 30)):
        X, y = noise(seed)
        estimator = make() if make.__code__.co_argcount == 0 else make(1)
        sizes.append(estimator.fit(*copies(X, y, times)).n_features_)
    assert np.mean(sizes) <= 0.2


@of_copies
def test_doubled_rows_are_the_rows():
    X, y = signal(0)
    options = {"n_features": "best", "n_jobs": 1}  # a size is chosen by further folds, which follow from places of rows
    once, twice = (ScorecardClassifier(**options).fit(*rows) for rows in ((X, y), copies(X, y, 2)))
    assert once.n_features_ > 0
    assert once.scorecard_.names == twice.scorecard_.names
    assert_allclose(once.predict_proba(X), twice.predict_proba(X), rtol=0, atol=1e-9)
    assert_allclose(once.cv_results_["mean_test_score"], twice.cv_results_["mean_test_score"])
    assert once.scorecard_.class_mass == twice.scorecard_.class_mass


@of_copies
@pytest.mark.parametrize("make", [lambda: ScorecardClassifier(n_jobs=1), lambda: SelectiveNaiveBayes(n_jobs=1)])
def test_blocks_are_memory(make):
    X, y = copies(*signal(3), 3)
    X = X.drop(columns="label")
    expected = make().fit(X, y)
    with pytest.warns(RepeatedRowsWarning, match="600 of 900 rows are copies"):
        model = make().fit(cut(X, y, ends=(0, 200, 200, 201, 650)), None)
    assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


@of_noise
def test_few_values_repeat_by_chance():
    """The law: three 0/1 columns of 10,000 rows have the folds that they had."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (10_000, 3))
    y = (X.sum(axis=1) + rng.normal(size=10_000) > 1.5).astype(int)
    assert equal_rows_of(read_table(X), y) is None
    doubled = np.concatenate([X, X])
    assert equal_rows_of(read_table(doubled), np.concatenate([y, y])) is None


def few_valued(rng, n_rows):
    """Return columns that depend on each other and have few values, or numbers with few digits."""
    base = rng.integers(0, rng.choice([2, 5, 40]), n_rows)
    columns = [base, base**2 % 7, base > 1, rng.choice(3, n_rows, p=[0.7, 0.2, 0.1])]
    columns += [np.where(rng.random(n_rows) < 0.9, base, 0), rng.poisson(2.0, n_rows), rng.normal(size=n_rows).round(1)]
    columns += [np.exp(rng.normal(size=n_rows).round(2))]
    return np.column_stack([columns[k] for k in rng.permutation(8)[: rng.integers(1, 5)]]).astype(float)


def test_rows_that_are_drawn_repeat_by_chance_whatever_the_columns():
    found = 0
    n_tables = draws(400, 5000)
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        X = few_valued(rng, int(rng.choice([50, 300, 3000])))
        y = (rng.random(len(X)) < 1 / (1 + np.exp(X[:, 0] - X[:, 0].mean()))).astype(int)
        found += equal_rows_of(read_table(X), y) is not None
    assert found <= n_tables // 400


def test_rows_that_a_join_repeats_are_found():
    for seed in range(draws(60, 1000)):
        rng = np.random.default_rng(seed)
        n_rows = int(rng.choice([60, 300, 2000]))
        X, y = noise(seed, n_rows)
        times = np.where(rng.random(n_rows) < rng.choice([0.5, 1.0]), rng.integers(2, 6), 1)
        rows = rng.permutation(np.repeat(np.arange(n_rows), times))
        equal = equal_rows_of(read_table(X.iloc[rows]), y[rows])
        assert equal is not None
        assert len(np.unique(np.column_stack([equal, rows]), axis=0)) == n_rows


@pytest.mark.parametrize("mean", [0.05, 0.7, 2.0, 9.0, 40.0])
def test_mixtures_of_poisson_counts_are_chance(mean):
    rng = np.random.default_rng(int(mean * 100))
    for shape in (0.3, 2.0, 1e6):
        times = rng.poisson(rng.gamma(shape, mean / shape, 4000))
        assert not repeat_beyond_chance(times[times > 0])
    assert repeat_beyond_chance(np.repeat(2, 9))
    assert not repeat_beyond_chance(np.repeat(2, 4))
    assert not repeat_beyond_chance(np.repeat(1, 400))


def test_keys_are_those_of_the_values():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (200, 5)) * np.array([1.0, -1.0, 0.5, 1e300, 0.0])
    X[X == 0] = 0.0
    keys = row_keys(read_table(X), range(5))
    kinds = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    assert_array_equal(
        np.unique(keys, return_inverse=True)[1][np.unique(kinds, return_index=True)[1]].size, kinds.max() + 1
    )
    assert len(np.unique(np.column_stack([keys.astype(object), kinds]).astype(str), axis=0)) == kinds.max() + 1
    assert_array_equal(row_keys(read_table(csr_matrix(X)), range(5)), keys)
    assert_array_equal(row_keys(read_table(pd.DataFrame(X)), range(5)), keys)
    assert_array_equal(row_keys(read_table(X), [0, 1]) + row_keys(read_table(X), [2, 3, 4]), keys)


@of_copies
def test_equal_rows_share_the_folds_of_evaluations_and_wrappers():
    X, y = copies(*noise(5), 2)
    X = X.drop(columns="label")
    kind = equal_rows_of(read_table(X), y)
    for fit in outer_fits(SelectiveNaiveBayes(cv=0, n_jobs=1), X, y, 3):
        assert not set(kind[fit.rows]) & set(np.delete(kind, fit.rows))
    from sklearn.linear_model import LogisticRegression

    from bayesieve.estimators.refits import read_folds

    for cv in (4, 0.25):
        for training, validation in read_folds(LogisticRegression(), cv, None, X, y, {}):
            assert not set(kind[training]) & set(kind[validation])
    assert WrapperSelector(LogisticRegression(), cv=3, n_features=2).fit(X, y).n_features_ == 2


def test_weights_of_zero_are_no_copies_and_dropped_columns_tell_nothing_apart():
    X, y = copies(*signal(7), 2)
    X = X.assign(id=np.arange(len(X)))
    with pytest.warns(RepeatedRowsWarning):
        ScorecardClassifier(drop="id", n_jobs=1).fit(X, y)
    single = ~pd.DataFrame(X.drop(columns="id")).duplicated().to_numpy()
    ScorecardClassifier(drop="id", n_jobs=1).fit(X, y, sample_weight=single.astype(float))  # without a warning
    ScorecardClassifier(n_jobs=1).fit(X, y)


@pytest.mark.parametrize("times", [2, 3])
def test_check_finds_repeated_rows(times):
    X, y = copies(*noise(1), times)
    (found,) = [each for each in check_data(X, y).findings if each.kind == "copied rows"]
    assert found.message.startswith(f"{300 * (times - 1)} of {300 * times} rows are copies of another row")
    assert not [each for each in check_data(*noise(1)).findings if each.kind == "copied rows"]
