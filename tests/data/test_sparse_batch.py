"""Blocks of a sparse table against blocks of the same table in full."""

import numpy as np
import pytest
import scipy.sparse as sp
from draws import draws

from bayesieve.data import Strata, read_table
from bayesieve.data.column_batch import SparseBatch
from bayesieve.exceptions import DataError

FORMATS = [sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array, sp.csc_array, sp.lil_matrix]


def draw(rng, n_rows, n_columns):
    """Return a table with columns without zeros, without entries, with negative numbers and with missing values."""
    X = np.where(rng.random((n_rows, n_columns)) < rng.random(n_columns), rng.integers(-3, 4, (n_rows, n_columns)), 0)
    X = X.astype(float)
    X[:, rng.random(n_columns) < 0.2] += 5  # no zeros
    X[(rng.random(X.shape) < 0.1) & (rng.random(n_columns) < 0.3)] = np.nan
    return X


def same_block(sparse, dense):
    assert isinstance(sparse, SparseBatch)
    assert [c.name for c in sparse.columns] == [c.name for c in dense.columns]
    for a, b in zip(sparse.columns, dense.columns, strict=True):
        np.testing.assert_array_equal(a.labels, b.labels)
    np.testing.assert_array_equal(sparse.offsets, dense.offsets)


@pytest.mark.parametrize("seed", range(draws(12, 30)))
def test_labels_counts_and_codes_are_those_of_the_full_table(seed):
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.integers(1, 40)), int(rng.integers(1, 12))
    X = draw(rng, n_rows, n_columns)
    form = FORMATS[seed % len(FORMATS)]
    first, end = sorted(rng.integers(0, n_columns + 1, 2).tolist())
    end = max(end, first + 1)
    first = min(first, end - 1, n_columns - 1)
    end = min(end, n_columns)
    sparse, dense = read_table(form(X)).batch(first, end), read_table(X).batch(first, end)
    for which in (np.arange(end - first), np.flatnonzero(rng.random(end - first) < 0.6)):
        some, full = sparse.take(which), dense.take(which)
        same_block(some, full)
        if not len(which):
            continue
        for weights in (None, rng.integers(0, 5, n_rows), rng.integers(0, 2**56, n_rows) | 1):
            strata = Strata(rng.integers(0, 3, n_rows).astype(np.int32), 3, weights)
            np.testing.assert_array_equal(some.count(strata), full.count(strata))
        rows = rng.integers(0, n_rows, 20)
        parts = [rng.integers(0, 200, len(c.labels) + 1) for c in full.columns]
        codes = [np.empty((len(which), 20), dtype=np.uint8) for _ in range(2)]
        some.code(rows, parts, codes[0])
        full.code(rows, parts, codes[1])
        np.testing.assert_array_equal(*codes)
        is_thin, entries = some.sparse_codes(rows, parts)
        assert is_thin.tolist() == [40 * np.count_nonzero(c) <= n_rows for c in X[:, first:end][:, which].T]
        for k, j in enumerate(np.flatnonzero(is_thin)):
            np.testing.assert_array_equal(entries.column(k, 20, np.uint8), codes[1][j])


@pytest.mark.parametrize("seed", range(draws(4, 8)))
def test_few_entries_are_coded_as_entries(seed):
    """Rows may come in any order, several times or not at all; a code that zero has too needs no entry."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((300, 9)) < 0.015, rng.integers(1, 5, (300, 9)), 0.0)
    X[rng.integers(0, 300, 3), 1] = np.nan
    X[:, 4] = rng.normal(size=300)
    sparse, dense = read_table(sp.csc_array(X)).batch(0, 9), read_table(X).batch(0, 9)
    parts = [rng.integers(0, 3 if seed % 2 else 60_000, len(c.labels) + 1) for c in dense.columns]
    for rows in (np.arange(300), rng.permutation(300)[:120], rng.integers(0, 300, 500), np.arange(0)):
        codes = np.empty((9, len(rows)), dtype=np.uint16)
        dense.code(rows, parts, codes)
        is_thin, entries = sparse.sparse_codes(rows, parts)
        assert not is_thin[4]
        assert is_thin.sum() >= 4
        assert dense.sparse_codes(rows, parts)[0].tolist() == [False] * 9
        for k, j in enumerate(np.flatnonzero(is_thin)):
            inside = slice(entries.begins[k], entries.begins[k + 1])
            assert (np.diff(entries.rows[inside]) > 0).all()
            assert (entries.codes[inside] != entries.common[k]).all()
            np.testing.assert_array_equal(entries.column(k, len(rows), np.uint16), codes[j])


def test_columns_one_by_one():
    X = draw(np.random.default_rng(1), 20, 6)
    table = read_table(sp.csr_matrix(X))
    for j in range(6):
        np.testing.assert_array_equal(table.column(j).values, X[:, j])


def test_entries_named_twice_are_added_and_stored_zeros_are_zeros():
    X = sp.coo_matrix(([1.0, 2.0, 0.0, -0.0], ([0, 0, 1, 2], [0, 0, 0, 0])), shape=(4, 1))
    (column,) = read_table(X).batch(0, 1).columns
    assert column.labels.tolist() == [0.0, 3.0]
    assert read_table(X).batch(0, 1).count(Strata(np.zeros(4, dtype=np.int32), 1)).tolist() == [[3], [1], [0]]


def test_the_users_table_is_left_as_it_is():
    X = sp.csc_matrix((np.array([1, 2]), np.array([1, 0]), np.array([0, 2])), shape=(3, 1))
    read_table(X).batch(0, 1)
    assert X.dtype == np.int64
    assert X.indices.tolist() == [1, 0]


@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_infinite_entries_are_refused_by_name(bad):
    X = sp.csr_matrix(np.array([[0.0, bad], [1.0, 0.0]]))
    with pytest.raises(DataError, match="Column 'x1' has infinite values"):
        list(read_table(X).batches())


def test_complex_numbers_are_refused():
    with pytest.raises(DataError, match="Complex data not supported"):
        read_table(sp.csr_matrix(np.array([[1j]])))


@pytest.mark.slow
def test_a_wide_sparse_table_is_read_in_blocks_of_many_columns():
    X = sp.random(1000, 20_000, density=1e-4, format="csc", random_state=0)
    batches = list(read_table(X).batches())
    assert len(batches) < 8
    assert sum(len(batch.columns) for _, batch in batches) == 20_000
