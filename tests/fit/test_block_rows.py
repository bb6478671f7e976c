"""Rows in blocks, in small cases: columns that are left out, what a classifier learns from all rows, samples."""

import numpy as np
import pandas as pd
import pytest
from cut_tables import cut, mixed_table

from bayesieve import BoostClassifier, NaiveBayesSelector, SelectiveNaiveBayes
from bayesieve.bins import value_counts
from bayesieve.data import open_parquet
from bayesieve.exceptions import DataError
from bayesieve.fit import block_learning, block_rows


@pytest.mark.parametrize("drop", [["x1"], ["x0", "x2", "few"], ["x1", "x2"]])
def test_columns_beside_those_that_are_left_out_keep_their_places(drop):
    table, y = mixed_table(200)
    here, there = (
        NaiveBayesSelector(drop=drop, cv=2, discretizer="equal_frequency", n_features=3).fit(X, target)
        for X, target in ((table, y), (cut(table, y, ends=(0, 90)), None))
    )
    assert there.path_ == here.path_
    for name in here.path_.order:
        np.testing.assert_array_equal(there.why_[name]["score_alone"], here.why_[name]["score_alone"])


def test_a_boosted_classifier_of_folds_learns_from_all_rows():
    table, y = mixed_table(200)
    here, there = (
        BoostClassifier("logit", n_features=2, cv=2).fit(X, target)
        for X, target in ((table, y), (cut(table, y, ends=(0, 90)), None))
    )
    np.testing.assert_array_equal(there.predict_proba(table), here.predict_proba(table))


def test_a_sample_weighs_as_much_as_all_rows(tmp_path, monkeypatch):
    polars = pytest.importorskip("polars")
    table, y = mixed_table(600)
    polars.from_pandas(table.assign(y=y)).write_parquet(tmp_path / "a.parquet")
    frame = open_parquet(tmp_path / "a.parquet")
    in_memory, found = block_rows.BlockFolds.in_memory, []

    def watched(self, unit):
        found.append(in_memory(self, unit))
        return found[-1]

    monkeypatch.setattr(block_rows.BlockFolds, "in_memory", watched)
    monkeypatch.setattr(block_rows, "_MOST_SAMPLED", 250)
    SelectiveNaiveBayes(cv=0).fit(frame.drop("y"), frame["y"])
    (folds, unit), *_ = found
    weights = [segment.weights.sum() for segment in folds]
    n_rows = [len(segment.target) for segment in folds]
    assert sum(n_rows) == pytest.approx(200, abs=1)
    assert sum(weights) * unit == pytest.approx(600, abs=3)


@pytest.fixture
def sampled(monkeypatch):
    """Let every sixth row of 600 be sampled, and 50 numbers be counted one by one."""
    monkeypatch.setattr(block_learning, "MOST_SAMPLED", 100)
    for module in (block_learning, value_counts):
        monkeypatch.setattr(module, "MOST_VALUES", 50)


def test_more_numbers_than_the_sample_has_are_counted_by_cells(sampled):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    numbers = np.where(np.arange(600) % 6 == 0, np.arange(600) % 4, rng.normal(size=600) + 3.0 * y)
    model = SelectiveNaiveBayes(cv=0).fit(cut(pd.DataFrame({"a": numbers}), y), None)
    (table,) = model.scorecard_.tables
    assert table.counts.sum(axis=0).tolist() == [(y == 0).sum(), (y == 1).sum()]


def test_dates_where_the_sample_has_numbers_are_refused_by_name(sampled):
    table, y = mixed_table(600)
    blocks = cut(table, y)
    rows = blocks.rows._blocks
    last = table[400:].reset_index(drop=True)
    dates = pd.Series(pd.date_range("2020-01-01", periods=200)).where(np.arange(400, 600) % 6 != 0)
    rows[-1] = type(rows[-1])(last.assign(x2=pd.Series(np.full(200, np.datetime64("NaT", "ns")))), y[400:])
    expected = table.assign(x2=table["x2"].where(np.arange(600) < 400))
    here, there = (NaiveBayesSelector(cv=2, n_features=3).fit(*given) for given in ((expected, y), (blocks, None)))
    assert there.path_.order == here.path_.order  # no date is there: missing numbers
    rows[-1] = type(rows[-1])(last.assign(x2=dates), y[400:])
    with pytest.raises(DataError, match="Column 'x2' holds different kinds of values"):
        NaiveBayesSelector(cv=2).fit(blocks, None)
