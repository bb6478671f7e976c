"""Further divisions of rows into folds: rows stay what they are, classes are even, and sizes are steadier."""

from dataclasses import replace

import numpy as np
import pytest
from additive_rows import every_loss, random_rows
from numpy.testing import assert_array_equal

from bayesieve import ScorecardClassifier
from bayesieve.additive.divisions import Division, divide_again, n_divisions
from bayesieve.additive.pair_data import BinnedRows, PairData
from bayesieve.additive.rows import PairRows


def divisions_of(loss, n):
    """Return random rows, and divisions of them with rows in the bins of pairs."""
    rows = random_rows(3, n_rows=90, loss=loss)
    codes = np.array([np.minimum(own, 3) for own in rows.codes], dtype=np.uint8)
    fold = np.repeat(np.arange(rows.n_folds), np.diff(rows.fold_ends, prepend=0))
    pair_rows = PairRows(codes, np.full(rows.n_columns, 4), rows.target, rows.weights, fold, loss=rows.loss)
    first = Division.of_all(rows, PairData(pair_rows, lambda: BinnedRows(replace(pair_rows), [])))
    return first, list(divide_again(first, n))


@every_loss
def test_rows_stay_what_they_are(loss):
    first, again = divisions_of(loss, 4)
    assert len(again) == 3
    for each in again:
        assert sorted(each.order.tolist()) == list(range(first.rows.n_rows))
        for name in ("target", "weights"):
            assert_array_equal(getattr(each.rows, name), getattr(first.rows, name)[each.order])
            for own in (each.pair_data.rows, each.pair_data.fine):
                assert_array_equal(getattr(own, name), getattr(each.rows, name))
        for own, before in zip(each.rows.codes, first.rows.codes, strict=True):
            assert_array_equal(own, before[each.order])
        assert_array_equal(each.pair_data.rows.codes, first.pair_data.rows.codes[:, each.order])
        fold = np.repeat(np.arange(each.rows.n_folds), np.diff(each.rows.fold_ends, prepend=0))
        assert_array_equal(each.pair_data.rows.fold, fold)


@every_loss
def test_each_fold_has_its_share_of_each_class_and_of_each_fold_before(loss):
    first, again = divisions_of(loss, 4)
    before = first.pair_data.rows.fold
    for each in again:
        fold = each.pair_data.rows.fold
        for c in np.unique(each.rows.target):
            counts = np.bincount(fold[each.rows.target == c], minlength=each.rows.n_folds)
            assert np.ptp(counts) <= 1
        assert not (fold == before[each.order]).all()
    orders = {tuple(np.sort(each.order[: each.rows.fold_ends[0]]).tolist()) for each in again}
    assert len(orders) == 3


@every_loss
def test_equal_rows_stay_together(loss):
    first, _ = divisions_of(loss, 1)
    equal, target = np.arange(90) // 4, first.rows.target
    folds = []
    for each in divide_again(first, 3, equal):
        fold = np.empty(90, dtype=int)
        fold[each.order] = each.pair_data.rows.fold
        folds.append(tuple(fold.tolist()))
        for number in range(23):
            for c in np.unique(target):
                assert len(set(fold[(equal == number) & (target == c)].tolist())) <= 1
    assert len(set(folds)) == 2


@pytest.mark.parametrize(("n_rows", "n"), [(30, 4), (1250, 4), (1700, 3), (2500, 3), (2501, 2), (5000, 2), (5001, 1)])
def test_the_fewer_rows_the_more_divisions(n_rows, n):
    rows = random_rows(0, n_rows=n_rows)
    assert n_divisions(rows) == n
    assert n_divisions(replace(rows, taking_part=tuple([frozenset([0])] * 6))) == 1


def table_of_fading_effects(n_rows):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 20))
    return X, (X @ (1.5 * 0.8 ** np.arange(20)) + rng.logistic(size=n_rows) > 0).astype(int)


def test_sizes_depend_less_on_the_seed_of_folds(monkeypatch):
    X, y = table_of_fading_effects(200)

    def spread():
        models = [ScorecardClassifier(n_pairs=0, cv=5, random_state=seed) for seed in range(8)]
        return np.std([model.fit(X, y).n_features_ for model in models])

    steady = spread()
    monkeypatch.setattr("bayesieve.additive.train.n_divisions", lambda rows: 1)
    assert steady < 0.8 * spread()


def test_folds_that_are_given_are_not_divided_again(monkeypatch):
    X, y = table_of_fading_effects(60)
    asked = []

    def counted(rows):
        asked.append(rows.n_rows)
        return 1

    monkeypatch.setattr("bayesieve.additive.train.n_divisions", counted)
    folds = [(np.flatnonzero(np.arange(60) % 3 != q), np.flatnonzero(np.arange(60) % 3 == q)) for q in range(3)]
    ScorecardClassifier(n_pairs=0, cv=folds).fit(X, y)
    ScorecardClassifier(n_pairs=0, cv=3).fit(X, y, groups=np.arange(60) // 2)
    ScorecardClassifier(4, n_pairs=0).fit(X, y)
    assert not asked
    ScorecardClassifier(n_pairs=0, cv=3).fit(X, y)
    ScorecardClassifier((2, 5), n_pairs=0, cv=3, random_state=0).fit(X, y)
    assert asked == [60, 60]
