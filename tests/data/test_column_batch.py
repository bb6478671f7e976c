"""Columns counted and coded together, against row-by-row recounts in Python's integers."""

from itertools import pairwise

import numpy as np
import pytest
from draws import draws

from bayesieve._native import core
from bayesieve.data import Column, DenseBatch, Strata, read_table

KINDS = ["none", "small", "large", "beyond floats"]


def recount(ids, strata, weights, n_labels, n_strata):
    counts = [[0] * n_strata for _ in range(n_labels + 1)]
    for label, s, weight in zip(ids.tolist(), strata.tolist(), weights, strict=True):
        counts[label][s] += weight
    return counts


def draw_weights(rng, kind, n_rows):
    """Return weights and what they are as Python's integers."""
    if kind == "none":
        return None, [1] * n_rows
    high = {"small": 5, "large": 2**31, "beyond floats": 2**57}[kind]
    weights = rng.integers(0, high, n_rows)
    if kind == "beyond floats":
        weights |= 1  # the last bit is what floats would lose
    return weights, weights.tolist()


def draw_block(rng, n_columns, n_rows, n_threads=1):
    """Return columns of few and of many labels, some of which no row has."""
    sizes = rng.choice([0, 1, 2, 6, 7, 8, 9, 3000], n_columns)
    columns = [
        Column(f"c{j}", tuple(range(size)), rng.integers(0, size + 1, n_rows).astype(np.int32))
        for j, size in enumerate(sizes.tolist())
    ]
    return DenseBatch.of(columns, n_threads)


@pytest.mark.parametrize("kind", KINDS)
def test_counts_by_recounting(kind):
    rng = np.random.default_rng(0)
    for _ in range(draws(8, 100)):
        n_columns, n_strata = (int(rng.integers(1, 30)) for _ in range(2))
        n_rows = int(rng.choice([0, 1, 29, 63, 64, 65, 200]))
        batch = draw_block(rng, n_columns, n_rows, n_threads=int(rng.integers(1, 4)))
        strata = rng.integers(0, n_strata, n_rows).astype(np.int32)
        weights, as_integers = draw_weights(rng, kind, n_rows)
        for count in (batch.count, batch.count_numpy):
            counts = count(Strata(strata, n_strata, weights))
            assert counts.dtype == np.int64
            assert counts.shape == (batch.offsets[-1], n_strata)
            for j, column in enumerate(batch.columns):
                expected = recount(batch.ids[j], strata, as_integers, len(column.labels), n_strata)
                assert counts[batch.offsets[j] : batch.offsets[j + 1]].tolist() == expected


@pytest.mark.parametrize("weight", [2**53 - 1, 2**53, 2**53 + 1, 2**60 + 1])
def test_one_cell_at_the_end_of_exact_floats(weight):
    batch = DenseBatch.of([Column("a", (1.0,), np.zeros(3, dtype=np.int32))])
    counts = batch.count(Strata(np.ones(3, dtype=np.int32), 2, np.array([weight, 1, 1])))
    assert counts.tolist() == [[0, weight + 2], [0, 0]]


@pytest.mark.parametrize("n_rows", [700, 2000, 2**16 - 1, 2**16])
def test_many_labels_of_which_one_may_have_all_rows(n_rows):
    rng = np.random.default_rng(n_rows)
    labels = tuple(range(5000))
    several = [np.full(n_rows, 7), rng.integers(0, 5001, n_rows), np.minimum(rng.geometric(0.01, n_rows), 5000)]
    batch = DenseBatch.of([Column(f"c{j}", labels, ids.astype(np.int32)) for j, ids in enumerate(several)])
    strata = Strata(np.zeros(n_rows, dtype=np.int32), 1)
    np.testing.assert_array_equal(batch.count(strata), batch.count_numpy(strata))
    assert batch.count(strata)[7, 0] == n_rows


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_codes_are_looked_up_row_by_row_in_any_order_and_as_often_as_named(dtype):
    rng = np.random.default_rng(2)
    for _ in range(100):
        batch = draw_block(rng, int(rng.integers(1, 9)), int(rng.integers(1, 40)), n_threads=2)
        which = np.flatnonzero(rng.random(len(batch.columns)) < 0.7)
        rows = rng.integers(0, batch.ids.shape[1], 30)
        parts = [rng.integers(0, 256, len(batch.columns[j].labels) + 1) for j in which]
        codes = np.empty((len(which), 30), dtype=dtype)
        batch.take(which).code(rows, parts, codes)
        for k, j in enumerate(which):
            assert codes[k].tolist() == [int(parts[k][batch.ids[j, row]]) for row in rows]


@pytest.mark.skipif(core is None, reason="the compiled core checks its input")
def test_what_is_out_of_range_is_refused():
    ids, offsets = np.array([[0, 1, 2]], dtype=np.int32), np.array([0, 3])
    strata, nothing = np.zeros(3, dtype=np.int32), np.empty(0, dtype=np.int64)
    for bad in (3, -1):
        with pytest.raises(ValueError, match="ids must be positions among the labels"):
            core.count_columns(ids * 0 + np.int32(bad), offsets, strata, nothing, 1, 1)
        with pytest.raises(ValueError, match="strata must hold values from 0 to n_strata - 1"):
            core.count_columns(ids, offsets, strata + np.int32(bad), nothing, 1, 1)
        codes = np.empty((1, 1), dtype=np.uint8)
        with pytest.raises(ValueError, match="rows must be positions"):
            core.code_columns(ids, offsets, np.array([bad]), [np.zeros(3, dtype=np.int64)], codes, 1)
    with pytest.raises(ValueError, match="bins must fit the codes"):
        core.code_columns(ids, offsets, np.array([0]), [np.array([0, 0, 256])], codes, 1)
    with pytest.raises(ValueError, match="offsets must not decrease"):
        core.count_columns(np.repeat(ids, 2, axis=0), np.array([0, 3, 2]), strata, nothing, 1, 1)
    with pytest.raises(ValueError, match="one entry per label"):
        core.code_columns(ids, offsets, np.array([0]), [np.zeros(2, dtype=np.int64)], codes, 1)
    with pytest.raises(ValueError, match="a vector per column"):
        core.code_columns(ids, offsets, np.array([0]), [], codes, 1)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, np.uint8])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_block_of_an_array_has_the_columns_that_are_read_one_by_one(dtype, order):
    rng = np.random.default_rng(3)
    X = np.asarray(rng.integers(0, 9, (50, 7)), dtype=dtype, order=order)
    if X.dtype.kind == "f":
        X[rng.random(X.shape) < 0.2] = np.nan
    table = read_table(X)
    batch = table.batch(2, 6, n_threads=2)
    assert len(batch.columns) == 4
    for j, column in enumerate(batch.columns, 2):
        alone = table.column(j)
        assert column.name == alone.name
        np.testing.assert_array_equal(column.labels, alone.labels)
        np.testing.assert_array_equal(column.ids, alone.ids)
    assert [first for first, _ in table.batches()] == [0]


def test_blocks_are_small_and_leave_no_column_out():
    table = read_table(np.zeros((400_000, 7)))
    batches = [(first, len(batch.columns)) for first, batch in table.batches()]
    assert batches == [(0, 2), (2, 2), (4, 2), (6, 1)]


def test_a_block_is_split_by_labels():
    rng = np.random.default_rng(4)
    batch = draw_block(rng, 12, 30)
    sizes = np.diff(batch.offsets)
    for most in (1, 5, 20, 3005, 10**6):
        parts = list(batch.split(most))
        assert [first for first, _ in parts] == np.cumsum([0, *(len(p.columns) for _, p in parts[:-1])]).tolist()
        assert [c.name for _, p in parts for c in p.columns] == [c.name for c in batch.columns]
        assert all(p.offsets[-1] <= most or len(p.columns) == 1 for _, p in parts)
        for (first, left), (_, right) in pairwise(parts):  # none could have taken one more
            assert sizes[first : first + len(left.columns) + 1].sum() > most or not len(right.columns)
        np.testing.assert_array_equal(np.concatenate([p.ids for _, p in parts]), batch.ids)
