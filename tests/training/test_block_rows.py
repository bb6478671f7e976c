"""Rows in blocks, in small cases: columns that are left out, what a classifier learns from all rows, samples."""

import numpy as np
import pytest
from cut_tables import cut, mixed_table

from bayesieve import BoostClassifier, NaiveBayesSelector, SelectiveNaiveBayes
from bayesieve.data import open_parquet
from bayesieve.training import block_codes


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
    in_memory, found = block_codes.BlockFolds.in_memory, []

    def watched(self, unit):
        found.append(in_memory(self, unit))
        return found[-1]

    monkeypatch.setattr(block_codes.BlockFolds, "in_memory", watched)
    monkeypatch.setattr(block_codes, "_MOST_SAMPLED", 250)
    SelectiveNaiveBayes(cv=0).fit(frame.drop("y"), frame["y"])
    (folds, unit), *_ = found
    weights = [segment.weights.sum() for segment in folds]
    n_rows = [len(segment.target) for segment in folds]
    assert sum(n_rows) == pytest.approx(200, abs=1)
    assert sum(weights) * unit == pytest.approx(600, abs=3)
