"""A data frame that is indexed once: its rows are those of the frame, wherever a frame is read."""

from datetime import date, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest
from draws import draws

from bayesieve import ScorecardClassifier, SelectiveNaiveBayes, check_data
from bayesieve._native import core
from bayesieve.data import (
    IndexedFrame,
    build_frame,
    frame_backend,
    index_frame,
    is_frame,
    pick_columns,
    pick_rows,
    profile_columns,
    read_table,
    survey_columns,
)
from bayesieve.data.indexed_table import pick_ids_numpy


def random_frame(rng, n_rows=60):
    def with_nulls(values):
        return [None if rng.random() < 0.2 else value for value in values]

    days = [date(2020, 1, 1) + timedelta(days=int(d)) for d in rng.integers(0, 30, n_rows)]
    return pl.DataFrame(
        {
            "count": rng.integers(0, 9, n_rows),
            "large": rng.integers(2**53, 2**53 + 5, n_rows),
            "small": pl.Series(with_nulls(rng.integers(-3, 4, n_rows).tolist()), dtype=pl.Int16),
            "size": with_nulls(rng.normal(size=n_rows).round(1).tolist()),
            "code": with_nulls(rng.choice(["a", "b ", "c", "B", " b"], n_rows).tolist()),
            "rate": with_nulls(rng.choice(["1%", "12 %", "none"], n_rows).tolist()),
            "empty": pl.Series([None] * n_rows, dtype=pl.String),
            "yes": with_nulls((rng.random(n_rows) < 0.5).tolist()),
            "day": with_nulls(days),
            "group": pl.Series(with_nulls(rng.choice(["x", "y"], n_rows).tolist()), dtype=pl.Categorical),
            "key": [f"k{i}" for i in rng.permutation(n_rows)],
            "twin": rng.integers(0, 9, n_rows),
        }
    )


def same_columns(first, second):
    assert (first.name, first.scale) == (second.name, second.scale)
    assert type(first.labels) is type(second.labels)
    assert list(first.labels) == list(second.labels)
    assert np.array_equal(first.ids, second.ids)


@pytest.mark.skipif(core is None, reason="no compiled core")
@pytest.mark.parametrize("seed", range(draws(50, 500)))
def test_kernel_picks_as_its_twin(seed):
    rng = np.random.default_rng(seed)
    n_labels = rng.integers(0, [3, 200][seed % 2], rng.integers(0, 5))
    ids = np.array([rng.integers(0, n + 1, 40) for n in n_labels], dtype=np.int32).reshape(len(n_labels), 40)
    rows = rng.integers(0, 40, rng.integers(0, 60))
    picked, occurring = core.pick_rows(ids, n_labels, rows)
    expected, expected_occurring = pick_ids_numpy(ids, n_labels, rows)
    assert np.array_equal(picked, expected)
    assert all(np.array_equal(a, b) for a, b in zip(occurring, expected_occurring, strict=True))


@pytest.mark.skipif(core is None, reason="no compiled core")
@pytest.mark.parametrize(("cell", "row"), [(3, 0), (-1, 0), (0, 4), (0, -1)])
def test_kernel_refuses_what_is_out_of_range(cell, row):
    ids = np.full((1, 4), cell, dtype=np.int32)
    with pytest.raises(ValueError, match="out of range"):
        core.pick_rows(ids, np.array([2]), np.array([row]))


@pytest.mark.parametrize("seed", range(draws(20, 200)))
def test_rows_of_an_index_are_those_of_the_frame(seed):
    rng = np.random.default_rng(seed)
    frame = random_frame(rng)
    frame = frame.to_pandas() if seed % 4 == 0 else frame
    rows = np.sort(rng.choice(60, 25, replace=False)) if seed % 2 else rng.permutation(60)[:25]
    indexed = index_frame(frame)
    picked = pick_rows(pick_rows(indexed, rows), np.arange(20))
    expected = read_table(pick_rows(frame, rows[:20]))
    table = read_table(picked)
    assert isinstance(picked, IndexedFrame)
    assert (len(picked), picked.shape, picked.columns) == (20, (20, 12), expected.names)
    for whole, part in ((read_table(frame), read_table(indexed)), (expected, table)):
        for j in range(whole.n_columns):
            same_columns(part.column(j), whole.column(j))
            assert part.is_ordered(j) == whole.is_ordered(j)
        for (first, own), (place, batch) in zip(part.batches(n_labels=9), whole.batches(n_labels=9), strict=True):
            assert first == place
            assert np.array_equal(own.ids, batch.ids)
            for a, b in zip(own.columns, batch.columns, strict=True):
                same_columns(a, b)
    assert table.renamed([f"z{j}" for j in range(12)]).column(3).name == "z3"
    assert [table.as_nominal([0]).column(j).ordered for j in (0, 3)] == [False, True]
    assert list(table.values(4)) == list(expected.values(4))
    assert pick_columns(picked, [2, 1]).shape == (20, 2)


@pytest.mark.parametrize("seed", range(draws(8, 150)))
def test_profile_survey_and_check_are_those_of_the_frame(seed):
    rng = np.random.default_rng(seed)
    frame = random_frame(rng, 300).with_columns(same=pl.col("count"), recoded=pl.col("count") * 2.5)
    frame = frame.with_columns(marked=pl.when(pl.col("count") < 2).then(-9.0).otherwise(rng.random(300)))
    target = rng.choice(["no", "yes"], 300)
    frame = frame.with_columns(leak=pl.Series(target)) if seed % 2 else frame
    indexed = index_frame(frame)
    assert profile_columns(indexed) == profile_columns(frame)
    assert survey_columns(indexed) == survey_columns(frame)
    longer = random_frame(rng, 2500).with_columns(nan=pl.Series(np.where(rng.random(2500) < 0.01, np.nan, -0.0)))
    assert survey_columns(index_frame(longer)) == survey_columns(longer)
    rows = np.arange(0, 300, 2)
    assert profile_columns(pick_rows(indexed, rows)) == profile_columns(pick_rows(frame, rows))
    assert check_data(indexed, target).to_dict() == check_data(frame, target).to_dict()


@pytest.mark.parametrize("estimator", [SelectiveNaiveBayes(), ScorecardClassifier()])
@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_models_are_those_of_the_frame(estimator, library):
    rng = np.random.default_rng(3)
    frame = random_frame(rng, 400).drop("large", "key")
    frame = frame.to_pandas() if library == "pandas" else frame
    target = (rng.random(400) < 0.2 + 0.06 * np.asarray(frame["count"])).astype(int)
    train, test = np.arange(300), np.arange(300, 400)
    indexed = index_frame(frame)
    assert is_frame(indexed)
    assert frame_backend(indexed) == library
    expected = type(estimator)(**estimator.get_params()).fit(pick_rows(frame, train), target[:300])
    model = estimator.fit(pick_rows(indexed, train), target[:300])
    assert model.path_.order == expected.path_.order
    assert list(model.feature_names_in_) == list(expected.feature_names_in_)
    of_frame = expected.predict_proba(pick_rows(frame, test))
    assert np.array_equal(model.predict_proba(pick_rows(indexed, test)), of_frame)
    assert np.array_equal(model.predict_proba(pick_rows(frame, test)), of_frame)


def test_what_a_fit_refuses_stays_as_it_is():
    infinite = pl.DataFrame({"a": [1.0, np.inf]})
    assert index_frame(infinite) is infinite
    mixed = pd.DataFrame({"a": [[1], {}]})
    assert index_frame(mixed) is mixed
    array = np.zeros((2, 2))
    assert index_frame(array) is array
    indexed = index_frame(build_frame({"a": [1, 2]}))
    assert index_frame(indexed) is indexed


def test_rows_that_do_not_exist_are_refused():
    with pytest.raises(IndexError):
        index_frame(pl.DataFrame({"a": [1, 2]})).pick([2])
