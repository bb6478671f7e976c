"""Many weak pairs of a ScorecardClassifier of two classes: taken together, with the same bits everywhere."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics import log_loss

from bayesieve import ScorecardClassifier
from bayesieve.additive import pair_data


def rows_with_weak_pairs(seed, n_rows=2000, size=0.8):
    """Return rows of which two numbers have another slope in each of 20 categories, which are columns of 0 and 1."""
    slopes, random = size * np.random.default_rng(0).normal(size=(2, 20)), np.random.default_rng([seed, 1])
    values, kind = random.normal(size=(n_rows, 3)), random.integers(0, 20, n_rows)
    log_odds = values[:, 0] + slopes[0, kind] * values[:, 0] + slopes[1, kind] * values[:, 1]
    X = np.hstack([values, np.eye(20)[kind]])
    return X, (random.random(n_rows) < 1.0 / (1.0 + np.exp(-log_odds))).astype(int)


@pytest.fixture(scope="module")
def model():
    return ScorecardClassifier("best").fit(*rows_with_weak_pairs(21))


def test_weak_pairs_are_taken_together_and_help_on_new_rows(model, monkeypatch):
    X, y = rows_with_weak_pairs(21)
    monkeypatch.setattr(pair_data, "find_weak_pairs", lambda rows, *_: [[]] * (rows.n_folds + 1))
    single = ScorecardClassifier("best").fit(X, y)
    assert 0 < len(single.pairs_) < len(model.pairs_) <= 50
    new, classes = rows_with_weak_pairs(22)
    assert log_loss(classes, model.predict_proba(new)) < log_loss(classes, single.predict_proba(new)) - 0.003


def test_threads_and_the_order_of_rows_change_no_bit(model):
    X, y = rows_with_weak_pairs(21)
    order = np.random.default_rng(0).permutation(len(X))
    other = ScorecardClassifier("best", n_jobs=2).fit(X[order], y[order])
    assert other.pairs_ == model.pairs_
    assert_array_equal(other.predict_proba(X), model.predict_proba(X))


def test_their_number_is_limited():
    assert len(ScorecardClassifier("best", n_pairs=5).fit(*rows_with_weak_pairs(21)).pairs_) == 5


def test_a_smaller_size_has_the_pairs_of_its_columns():
    path = ScorecardClassifier(12).fit(*rows_with_weak_pairs(21))
    small = path.select(6)
    columns = {table.name for table in small.scorecard_.tables}
    assert small.pairs_
    assert columns.issuperset(name for pair in small.pairs_ for name in pair)


def test_tables_without_interactions_have_no_pair():
    assert ScorecardClassifier("best").fit(*rows_with_weak_pairs(2, size=0.0)).pairs_ == []
