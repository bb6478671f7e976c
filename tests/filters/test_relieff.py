"""ReliefF against its definition: ties, labels, missing values, several classes, weighting by rank."""

import numpy as np
import pandas as pd
import pytest
from filters.brute_filters import relieff as brute

from bayesieve import FilterSelector, filters
from bayesieve._native import core
from bayesieve.data import LabeledRows, read_table, read_target, read_weights
from bayesieve.exceptions import DataError, ParameterError
from bayesieve.filters.relieff import make_relief_problem, relief_sums, relief_sums_numpy


def random_table(rng):
    n_rows = int(rng.integers(4, 50))
    gaps = rng.random(n_rows) < 0.3
    gaps[:2] = False
    # Eighths are exact, so that equal distances are equal in any order of addition.
    frame = pd.DataFrame(
        {
            "few": rng.integers(0, 9, n_rows) / 8,
            "gappy": np.where(gaps, np.nan, rng.integers(0, 9, n_rows) / 8),
            "label": pd.Series(rng.choice(["a", "b", "c", "d"], n_rows), dtype=object).where(rng.random(n_rows) < 0.8),
            "plain": rng.choice(["x", "y"], n_rows),
            "constant": 1.5,
        }
    )
    frame.loc[:1, ["few", "gappy"]] = [[0.0, 0.0], [1.0, 1.0]]
    y = np.append([0, 1], rng.integers(0, int(rng.integers(2, 5)), n_rows - 2))
    return frame, y


def test_equals_the_definition():
    rng = np.random.default_rng(0)
    for turn in range(80):
        X, y = random_table(rng)
        columns = [[None if pd.isna(value) else value for value in X[name]] for name in X]
        columns[4] = [0.0] * len(y)
        n_labels = [None, None, X["label"].nunique(), X["plain"].nunique(), None]
        # Four labels, as many as eighths can tell apart.
        if n_labels[2] == 3:
            continue
        k, sigma = int(rng.integers(1, 8)), None if turn % 2 else 2.0
        expected = brute(columns, n_labels, y.tolist(), k, sigma)
        found = filters.relieff(X, y, n_neighbors=k, sigma=sigma)
        np.testing.assert_allclose(found, expected, atol=1e-10)


@pytest.mark.skipif(core is None, reason="there is no compiled core")
def test_core_equals_twin():
    rng = np.random.default_rng(1)
    for turn in range(30):
        X, y = random_table(rng)
        X["number"] = rng.normal(size=len(y))
        weights = read_weights(None, len(y))
        data = LabeledRows(read_table(X), read_target(y, len(y), weights), weights)
        problem = make_relief_problem(data, 1 + turn % 5, None if turn % 2 else 1.5)
        expected = relief_sums_numpy(problem)
        np.testing.assert_array_equal(relief_sums(problem), expected)
        np.testing.assert_array_equal(relief_sums(problem, 2), expected)


def test_rows_of_weight_zero_are_left_out():
    X, y = random_table(np.random.default_rng(2))
    weights = np.ones(len(y))
    weights[3:5] = 0
    kept = np.flatnonzero(weights)
    found = FilterSelector("relieff", n_features="all").fit(X, y, 2 * weights).scores_
    np.testing.assert_array_equal(found, filters.relieff(X.iloc[kept], y[kept]))
    with pytest.raises(ParameterError, match="unequal values of sample_weight are not supported"):
        FilterSelector("relieff").fit(X, y, 1 + np.arange(len(y)))


def test_a_table_of_numbers_is_read_as_its_columns_are():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 8))
    X[:, 1], X[3, 2], X[:, 3] = 3.0, np.nan, np.nan
    X[:, 4] = 1e308 * rng.choice([-1.0, 1.0], 40)
    X[:, 5] = rng.integers(0, 3, 40)
    X[:, 6], X[::2, 6] = 0.0, 5e-324
    y = rng.integers(0, 2, 40)
    for given in (np.ones(40), (np.arange(40) % 3 > 0).astype(float)):
        weights = read_weights(given, 40)
        target = read_target(y, 40, weights)
        with np.errstate(invalid="ignore"):
            whole, single = (
                make_relief_problem(LabeledRows(read_table(each), target, weights), 4, None)
                for each in (X, pd.DataFrame(X).assign(label="a"))
            )
        numbers = np.flatnonzero(single.places < 8)
        order = np.argsort(single.places[numbers])
        assert whole.values[np.argsort(whole.places)].tobytes() == single.values[numbers][order].tobytes()
        assert whole.begins[1] == single.begins[1]


def test_infinite_values_of_rows_without_weight_are_named():
    X = np.random.default_rng(6).normal(size=(20, 2))
    X[4, 1] = np.inf
    weights = np.ones(20)
    weights[4] = 0.0
    with pytest.raises(DataError, match="infinite"):
        FilterSelector("relieff").fit(X, np.arange(20) % 2, weights)


def test_bad_parameters_and_infinite_values_are_named():
    with pytest.raises(ParameterError, match="n_neighbors=0"):
        filters.relieff([[0.0], [1.0]], [0, 1], n_neighbors=0)
    with pytest.raises(DataError, match="'x0' has infinite values"):
        filters.relieff([[0.0], [np.inf]], [0, 1])


def test_huge_numbers_do_not_overflow():
    found = filters.relieff(np.array([[-1e308], [1e308], [-9e307], [9e307]]), [0, 1, 0, 1], n_neighbors=1)
    assert found[0] == pytest.approx(0.9, abs=0.1)
