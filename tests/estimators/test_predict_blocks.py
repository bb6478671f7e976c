"""Predictions of rows in blocks are those of the same rows in memory, to the last bit."""

import pickle

import numpy as np
import pandas as pd
import pytest

from bayesieve import (
    BenefitClassifier,
    FilterSelector,
    IndicatorGrid,
    MODLDiscretizer,
    NaiveBayesSelector,
    SelectiveNaiveBayes,
    VoteClassifier,
    open_parquet,
)
from bayesieve.exceptions import DataError

METHODS = ["predict", "predict_proba", "predict_log_proba"]


def people(n_rows=300):
    rng = np.random.default_rng(0)
    target = rng.integers(0, 2, n_rows)
    return pd.DataFrame(
        {
            "height": target + rng.normal(size=n_rows),
            "noise": rng.normal(size=n_rows),
            "town": np.where(rng.random(n_rows) < 0.7, target, 1 - target).astype(str),
            "target": np.where(target, "yes", "no"),
        }
    )


TABLE = people()
X, Y = TABLE.drop(columns="target"), TABLE["target"].to_numpy()


@pytest.fixture(scope="module")
def model():
    return SelectiveNaiveBayes(weights="none", bins="best").fit(X, Y)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("blocks") / "people.parquet"
    X.to_parquet(path)
    return path


def same(found, expected):
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("method", METHODS)
def test_dask_frames_with_empty_partitions(model, method):
    dd = pytest.importorskip("dask.dataframe")
    rows = X.sort_values("height", ignore_index=True)
    frame = dd.from_pandas(rows, npartitions=4)
    few = frame[frame["height"] > 1.0]  # none in some partitions
    assert 0 in few.map_partitions(len).compute(scheduler="synchronous").tolist()
    for collection, some in ((frame, rows), (few, rows[rows["height"] > 1.0])):
        lazy = getattr(model, method)(collection)
        assert type(lazy).__module__.startswith("dask.array")
        assert np.isnan(lazy.shape[0])
        same(lazy.compute(scheduler="synchronous"), getattr(model, method)(some))


@pytest.mark.parametrize("method", METHODS)
def test_dask_arrays(method):
    da = pytest.importorskip("dask.array")
    numbers = X[["height", "noise"]].to_numpy()
    fitted = VoteClassifier("majority", n_features=1).fit(numbers, Y)
    lazy = getattr(fitted, method)(da.from_array(numbers, chunks=(70, 1)))
    assert lazy.shape[0] == len(numbers)
    same(lazy.compute(scheduler="synchronous"), getattr(fitted, method)(numbers))


@pytest.mark.parametrize("method", METHODS)
def test_parquet_files(model, file, method, monkeypatch):
    monkeypatch.setattr("bayesieve.data.blocks.parquet_frame._MAX_ROWS", 64)
    monkeypatch.setattr("bayesieve.data.blocks.parquet_frame._MIN_ROWS", 64)
    frame = open_parquet(file)
    assert len(frame.readers(3)) == 5
    same(getattr(model, method)(frame), getattr(model, method)(X))


def test_a_partition_carries_the_model_by_name(model):
    """A fitted model is one node of the graph, however many partitions there are."""
    dd = pytest.importorskip("dask.dataframe")
    graph = model.predict(dd.from_pandas(X, npartitions=6)).__dask_graph__()
    size = len(pickle.dumps(model))
    assert sum(len(pickle.dumps(task)) > size for task in dict(graph).values()) == 1


def test_selectors_pick_columns_and_read_nothing(file):
    dd, da = pytest.importorskip("dask.dataframe"), pytest.importorskip("dask.array")
    selector = NaiveBayesSelector(n_features=1).fit(X, Y)
    kept = selector.transform(X)
    assert selector.transform(dd.from_pandas(X, npartitions=2)).compute(scheduler="synchronous").equals(kept)
    assert selector.transform(open_parquet(file)).columns == tuple(kept.columns)
    numbers = X[["height", "noise"]].to_numpy()
    picked = NaiveBayesSelector(n_features=1).fit(numbers, Y).transform(da.from_array(numbers, chunks=(50, 2)))
    same(picked.compute(scheduler="synchronous"), numbers[:, :1])


def test_other_columns_are_refused_before_any_row_is_read(model, file):
    dd = pytest.importorskip("dask.dataframe")
    other = X.rename(columns={"town": "village"})
    for wrong in (dd.from_pandas(other, npartitions=2), open_parquet(file).drop("town")):
        with pytest.raises(DataError, match="The table has no column 'town', which the model uses"):
            model.predict(wrong)


def test_columns_are_found_by_name(model, file):
    dd = pytest.importorskip("dask.dataframe")
    used = model.get_feature_names_out().tolist()
    assert len(used) < 3
    for other in (X[X.columns[::-1]], X[used]):
        same(model.predict_proba(dd.from_pandas(other, npartitions=2)).compute(), model.predict_proba(X))
    same(model.predict_proba(open_parquet(file).drop("noise")), model.predict_proba(X))
    assert list(model.transform(dd.from_pandas(X[X.columns[::-1]], npartitions=2)).columns) == used


def test_what_needs_rows_in_memory_says_so(model, file):
    with pytest.raises(DataError, match="a table in memory is expected"):
        model.explain(open_parquet(file))
    frame = open_parquet(file)
    for estimator in (
        BenefitClassifier(SelectiveNaiveBayes(), benefit_matrix=[[0, 0], [-1, 5]]),
        FilterSelector(),
        MODLDiscretizer(),
        IndicatorGrid(),
    ):
        with pytest.raises(DataError, match=r"read\(\)"):
            estimator.fit(frame.drop("town"), frame["town"])


def test_the_accuracy_of_dask_frames(model):
    dd = pytest.importorskip("dask.dataframe")
    frame = dd.from_pandas(TABLE, npartitions=3)
    assert model.score(frame[list(X.columns)], frame["target"]) == model.score(X, Y)
