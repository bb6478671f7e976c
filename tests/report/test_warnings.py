"""Warnings about columns of a fitted model."""

import numpy as np
import polars as pl
import pytest

from bayesieve import Column, ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.data import profile_columns
from bayesieve.report.data_check import find_warnings


def table_with_gaps(n_classes, n_rows=1200):
    """Return a column that is missing in many rows of the first class, one that is missing at random, and classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=n_rows)
    signal, chance = (y + rng.normal(scale=1.5, size=n_rows) for _ in "ab")
    gone = rng.random((2, n_rows)) < np.stack([np.where(y == 0, 0.7, 0.02), np.full(n_rows, 0.2)])
    table = pl.DataFrame({"it's known": np.where(gone[0], np.nan, signal), "chance": np.where(gone[1], np.nan, chance)})
    return table.fill_nan(None), np.array(["a", "b", "c"])[y], int(gone[0].sum())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_missing_values_with_the_most_extreme_points(n_classes):
    X, y, n_missing = table_with_gaps(n_classes)
    model = ScorecardClassifier(n_features=2, n_pairs=0).fit(X, y)
    warnings = find_warnings(model, profile_columns(X))
    assert list(warnings) == ["it's known"]
    (text,) = warnings.values()
    of_class = " for a" if n_classes > 2 else ""
    assert text.startswith(f"Missing values have the most extreme points{of_class}: ")
    assert f", in {n_missing} rows; other bins have " in text
    option = "--column 'it'\"'\"'s known:missing=neutral'"
    assert f"If not, {option}, in Python Column(missing='neutral'), gives them the points of the average" in text
    frame = model.scorecard()
    name = "points a" if n_classes > 2 else "points"
    points = frame.filter(pl.col("column") == "it's known")[name].to_list()
    others = f"{min(points[:-1]):+.2f} to {max(points[:-1]):+.2f}"
    assert f"{points[-1]:+.2f}, in {n_missing} rows; other bins have {others}." in text
    neutral = ScorecardClassifier(n_features=2, n_pairs=0, missing="neutral").fit(X, y)
    assert find_warnings(neutral, profile_columns(X)) == {}


def test_models_without_the_option_are_warned_about_without_it():
    X, y, _ = table_with_gaps(2)
    warnings = find_warnings(SelectiveNaiveBayes(cv=0, keep="it's known").fit(X, y), profile_columns(X))
    assert warnings["it's known"].endswith("Are values missing for the same reasons in new rows?")


def test_a_column_whose_requirement_contradicts_the_data_adds_nothing():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=400)
    X = pl.DataFrame({"falling": -y + rng.normal(size=400), "rising": y + rng.normal(size=400)})
    required = {"falling": Column(monotone="increasing")}
    model = ScorecardClassifier(columns=required, keep="falling", n_pairs=0).fit(X, y)
    assert find_warnings(model, profile_columns(X)) == {
        "falling": "All its points are 0, so that it adds nothing to the model. Does a requirement, such as monotone, "
        "contradict the data?"
    }
    free = ScorecardClassifier(keep="falling", n_pairs=0).fit(X, y)
    assert find_warnings(free, profile_columns(X)) == {}
