"""Probes look like real columns and know nothing."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from bayesieve.data import read_table
from bayesieve.datasets import ProbeReport, add_probes, probe_report
from bayesieve.exceptions import DataError, ParameterError

KINDS = ["permute", "gaussian", "zipf"]


def make_sparse(form=sp.csr_array, dtype=float):
    rng = np.random.default_rng(0)
    dense = np.where(rng.random((60, 20)) < np.linspace(0, 0.5, 20), rng.integers(1, 9, (60, 20)), 0)
    return form(dense.astype(dtype))


def make_frame(library):
    columns = {
        "n": [3, 1, 2, 5],
        "x": [0.5, None, 1.5, 2.5],
        "s": ["a", "b", None, "a"],
        "flag": [True, False, True, True],
    }
    return {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}[library](columns)


@pytest.mark.parametrize("dtype", [float, np.float32, int, np.int8, object, bool, "U3"])
@pytest.mark.parametrize("ratio", [0.25, 1.0, 2.5])
def test_permuted_columns_have_the_same_values(dtype, ratio):
    X = np.arange(40).reshape(10, 4).astype(dtype)
    longer, is_probe = add_probes(X, ratio=ratio, random_state=0)
    assert longer.dtype == X.dtype
    assert is_probe.tolist() == [False] * 4 + [True] * round(4 * ratio)
    assert (longer[:, ~is_probe] == X).all()
    real = [sorted(column.tolist()) for column in X.T]
    assert all(sorted(column.tolist()) in real for column in longer[:, is_probe].T)


def test_each_column_is_permuted_by_itself():
    X = np.tile(np.arange(50), (3, 1)).T
    probes = add_probes(X, random_state=0)[0][:, 3:]
    assert not (probes[:, 0] == probes[:, 1]).all()
    assert not (probes == X).all(axis=0).any()


def test_probes_are_repeatable():
    X = np.random.default_rng(0).normal(size=(30, 4))
    for kind in KINDS:
        assert (add_probes(X, kind, random_state=3)[0] == add_probes(X, kind, random_state=3)[0]).all()
        assert not (add_probes(X, kind, random_state=3)[0] == add_probes(X, kind, random_state=4)[0]).all()


def test_gaussian_probes_have_mean_and_deviation_of_their_columns():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(100, 120, 4000), rng.exponential(3, 4000), np.full(4000, 7.0)])
    X[::7, 1] = np.nan
    probes = add_probes(X, "gaussian", random_state=0)[0][:, 3:]
    assert probes.mean(axis=0) == pytest.approx([110, 3, 7], abs=0.4)
    assert probes.std(axis=0) == pytest.approx([20 / np.sqrt(12), 3, 1], rel=0.1)


@pytest.mark.parametrize("kind", KINDS)
def test_probes_of_integers_are_integers(kind):
    X = np.random.default_rng(0).integers(0, 120, (50, 3)).astype(np.int8)
    longer, _ = add_probes(X, kind, random_state=0)
    assert longer.dtype == np.int8
    assert (longer[:, :3] == X).all()


def test_zipf_probes_are_as_sparse_as_their_columns():
    X = make_sparse().toarray()
    probes = add_probes(X, "zipf", random_state=0)[0][:, 20:]
    assert (np.count_nonzero(probes, axis=0) == np.count_nonzero(X, axis=0)).all()
    counts = probes[probes > 0]
    assert (counts == np.rint(counts)).all()
    assert 0.5 < (counts == 1).mean() < 0.7  # 6 / pi^2 = 0.61


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_array, sp.csr_matrix, sp.csc_matrix, sp.coo_array])
@pytest.mark.parametrize("kind", KINDS)
def test_sparse_tables_stay_sparse(form, kind):
    X = make_sparse(form)
    longer, is_probe = add_probes(X, kind, ratio=2.0, random_state=0)
    assert sp.issparse(longer)
    assert longer.format == X.format
    assert isinstance(longer, sp.sparray) == isinstance(X, sp.sparray)
    assert longer.shape == (60, 60)
    assert longer.nnz == 3 * X.nnz
    assert (longer.toarray()[:, ~is_probe] == X.toarray()).all()
    if kind == "permute":
        sums = X.toarray().sum(axis=0)
        assert longer.toarray()[:, is_probe].sum(axis=0).tolist() == [*sums, *sums]


def test_sparse_permutation_moves_rows():
    X = make_sparse(dtype=bool)
    dense = add_probes(X, random_state=0)[0].toarray()
    assert dense.dtype == bool
    changed = (dense[:, :20] != dense[:, 20:]).any(axis=0)
    assert changed[X.toarray().any(axis=0)].all()


def test_entries_given_twice_are_added_first():
    X = sp.coo_array((np.ones(4), ([0, 0, 1, 2], [0, 0, 0, 0])), shape=(5, 1))
    probe = add_probes(X, random_state=0)[0].toarray()[:, 1]
    assert sorted(probe) == [0, 0, 1, 1, 2]


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_data_frames_keep_their_types(library):
    X = make_frame(library)
    longer, is_probe = add_probes(X, random_state=0)
    assert type(longer) is type(X)
    table, old = read_table(longer), read_table(X)
    assert table.names == [*old.names, "probe_1", "probe_2", "probe_3", "probe_4"]
    assert is_probe.tolist() == [False] * 4 + [True] * 4
    for j in range(4):
        real, probe = table.column(j), table.column(j + 4)
        assert real.ids.tolist() == old.column(j).ids.tolist()
        assert list(real.labels) == list(probe.labels)
        assert sorted(real.ids) == sorted(probe.ids)


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("kind", ["gaussian", "zipf"])
def test_drawn_probes_of_data_frames_follow_their_numbers(library, kind):
    longer, is_probe = add_probes(make_frame(library), kind, random_state=0)
    assert is_probe.sum() == 4
    assert all(read_table(longer).is_ordered(j) for j in range(4, 8))


def test_an_index_and_numbered_names_do_no_harm():
    X = pd.DataFrame(np.arange(6).reshape(3, 2), index=[7, 7, 9])
    longer, _ = add_probes(X, random_state=0)
    assert longer.columns.tolist() == ["0", "1", "probe_1", "probe_2"]
    assert longer.index.tolist() == [7, 7, 9]
    assert longer["0"].tolist() == [0, 2, 4]
    assert X.columns.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("X", "options", "error", "message"),
    [
        (
            np.zeros((3, 2)),
            {"kind": "noise"},
            ParameterError,
            "kind must be 'permute', 'gaussian', 'zipf', got 'noise'",
        ),
        (np.zeros((3, 2)), {"ratio": 0}, ParameterError, "ratio must be a positive number"),
        (np.zeros((3, 2)), {"ratio": 0.1}, ParameterError, "ratio=0.1 gives no probe for 2 columns"),
        (np.zeros((3, 2)), {"ratio": float("inf")}, ParameterError, "ratio must be a positive number"),
        (np.array([["a"], ["b"]]), {"kind": "zipf"}, DataError, "needs numbers"),
        (np.array([1, 2]), {}, DataError, "Expected 2D array"),
        (pd.DataFrame({"s": ["a", "b"]}), {"kind": "gaussian"}, DataError, "the table has none"),
        (pd.DataFrame({"probe_1": [1, 2]}), {}, DataError, "'probe_1' occurs more than once"),
    ],
)
def test_what_makes_no_probes(X, options, error, message):
    with pytest.raises(error, match=message):
        add_probes(X, **options)


@pytest.mark.parametrize(
    ("support", "ratio", "expected"),
    [
        ([1, 1, 1, 0, 0, 0], 1.0, ProbeReport(3, 0, 0.0, 0.0)),
        ([1, 1, 0, 1, 0, 0], 1.0, ProbeReport(2, 1, 1 / 3, 0.5)),
        ([1, 1, 0, 1, 0, 0], 2.0, ProbeReport(2, 1, 1 / 3, 0.25)),
        ([1, 0, 0, 1, 1, 0], 1.0, ProbeReport(1, 2, 2 / 3, 1.0)),
        ([0, 0, 0, 1, 0, 0], 1.0, ProbeReport(0, 1, 1.0, 1.0)),
        ([0, 0, 0, 0, 0, 0], 1.0, ProbeReport(0, 0, 0.0, 0.0)),
    ],
)
def test_report_by_hand(support, ratio, expected):
    is_probe = [False] * 3 + [True] * 3
    assert probe_report(np.array(support, dtype=bool), is_probe, ratio) == expected
    assert probe_report(np.flatnonzero(support), is_probe, ratio) == expected


def test_a_support_of_another_table_is_refused():
    with pytest.raises(ParameterError, match="support has 2 columns and is_probe has 3"):
        probe_report([True, False], [False, False, True])
