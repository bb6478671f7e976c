"""A transformer sees a column's values, each as often as its weight, and its outputs are the bins."""

import numpy as np
import pytest
from cases import summarize
from sklearn.base import BaseEstimator
from sklearn.preprocessing import KBinsDiscretizer

from bayesieve.bins import Groups
from bayesieve.data import Column
from bayesieve.data.column import read_column
from bayesieve.estimators.discretizer import TransformerRule

NAN = float("nan")


class Recorder(BaseEstimator):
    """Remembers what it was fitted on, and divides by two."""

    def fit(self, X, y):
        self.seen_ = sorted(zip(X[:, 0].tolist(), y.tolist(), strict=True))
        return self

    def transform(self, X):
        return X // 2


class OnlySmall(Recorder):
    """Has no output for large values."""

    def transform(self, X):
        return np.where(X < 4, X // 2, NAN)


def ordered(values):
    return read_column("a", np.asarray(values, dtype=float), nominal=False)


def encode(partition, values):
    column = ordered(values)
    return partition.bins_of(column)[column.ids].tolist()


def test_each_value_of_each_class_as_often_as_its_weight():
    values, target, weights = [5, 1, 5, NAN, 1, 7, 5], [0, 1, 1, 0, 0, 1, 0], [2, 3, 1, 4, 1, 0, 2]
    partition = TransformerRule(Recorder()).learn(summarize(ordered(values), weights, target))
    rows = zip(values, target, weights, strict=True)
    expected = sorted((v, c) for v, c, weight in rows for _ in range(weight) if v == v)  # noqa: PLR0124
    assert partition.transformer.seen_ == expected
    assert partition.groups == Groups(((0.0,), (2.0,)), missing=True)
    assert encode(partition, [0, 1, 4, 5, NAN, 9]) == [0, 0, 1, 1, 2, 3]


def test_a_positive_weight_is_seen_at_least_once():
    partition = TransformerRule(Recorder()).learn(summarize(ordered([1, 2, 3, 4]), [0.01, 0.6, 2.4, 0], [0, 0, 1, 1]))
    assert partition.transformer.seen_ == [(1, 0), (2, 0), (3, 1), (3, 1)]


@pytest.mark.parametrize("scale", [1.0, 2.0**20, 1e300])
def test_large_weights_are_about_a_million_rows(scale):
    weights = np.array([1, 2**22, 2**20]) * scale
    partition = TransformerRule(Recorder()).learn(summarize(ordered([1, 2, 3]), weights, [0, 0, 1]))
    seen = [value for value, _ in partition.transformer.seen_]
    assert set(seen) == {1, 2, 3}
    assert len(seen) == pytest.approx(1e6, abs=3)
    assert seen.count(2) == pytest.approx(8e5, abs=3)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_weights_are_copies(strategy):
    rng = np.random.default_rng(0)
    rule = TransformerRule(KBinsDiscretizer(3, encode="ordinal", strategy=strategy))
    for _ in range(20):
        values, weights = rng.normal(size=40).round(1), rng.integers(0, 4, 40)
        target = rng.integers(0, 2, 40)
        weighted = rule.learn(summarize(ordered(values), weights, target))
        copied = rule.learn(summarize(ordered(np.repeat(values, weights)), None, np.repeat(target, weights)))
        assert weighted.groups == copied.groups
        assert encode(weighted, values) == encode(copied, values)


def test_nothing_to_divide():
    rule = TransformerRule(Recorder())
    assert rule.learn(summarize(ordered([3, 3, NAN]))) == Groups(((3.0,),), missing=True)
    assert rule.learn(summarize(ordered([3, 4, 4]), [1, 0, 0])) == Groups(((3.0,),), missing=False)
    labels = Column("a", ("x", "y"), np.array([0, 1], dtype=np.int32))
    assert rule.learn(summarize(labels)) == Groups((("x",), ("y",)), missing=False)


@pytest.mark.parametrize("values", [[1, 2, 5, 6], [1, 2, 5, NAN]])
def test_an_output_that_is_missing_is_a_missing_value(values):
    partition = TransformerRule(OnlySmall()).learn(summarize(ordered(values)))
    assert partition.groups == Groups(((0.0,), (1.0,)), missing=True)
    assert encode(partition, [1, 2, 5, 99, NAN]) == [0, 1, 2, 2, 2]
