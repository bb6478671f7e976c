"""Code columns: one byte where it is enough, two where it is not, pooled where even two are not."""

import warnings

import numpy as np
import pytest

from bayesieve.coding import DistinctValues, Groups, Intervals, encode_table, warn_of_pools
from bayesieve.data import NominalColumn, OrderedColumn, Table, Target, read_weights
from bayesieve.exceptions import PooledValuesWarning


def table_of(*columns):
    return Table(
        tuple(OrderedColumn(f"c{j}", np.asarray(c, dtype=float)) for j, c in enumerate(columns)), len(columns[0])
    )


def learn(table, weights=None):
    target = Target(np.array([0, 1]), np.zeros(table.n_rows, dtype=np.int32))
    return DistinctValues().learn(table, target, read_weights(weights, table.n_rows))


@pytest.mark.parametrize(("n_values", "wide"), [(3, False), (255, False), (256, True), (300, True)])
def test_two_bytes_only_where_needed(n_values, wide):
    # 255 parts and the code for unseen values are 256 codes.
    table = table_of(np.arange(n_values), np.arange(n_values) % 3)
    codes = encode_table(table, learn(table))
    assert codes.narrow.dtype == np.uint8
    assert codes.wide.dtype == np.uint16
    assert len(codes.wide) == wide
    assert len(codes.narrow) == 2 - wide
    assert codes.n_parts.tolist() == [n_values, 3]
    assert codes.offsets.tolist() == [0, n_values + 1, n_values + 5]
    np.testing.assert_array_equal(codes.column(0), np.arange(n_values))
    np.testing.assert_array_equal(codes.column(1), np.arange(n_values) % 3)


def test_unseen_fits_in_one_byte():
    partition = Intervals(np.arange(254.0), missing=False)
    codes = encode_table(table_of([np.nan, 1000.0]), [partition])
    assert codes.column(0).tolist() == [255, 254]
    assert codes.column(0).dtype == np.uint8


def test_widths_may_alternate():
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, size, 600) for size in (3, 600, 5, 700, 2)]
    table = table_of(*columns)
    partitions = learn(table)
    codes = encode_table(table, partitions)
    rows = np.array([5, 5, 17])
    for j, (column, partition) in enumerate(zip(table.columns, partitions, strict=True)):
        expected = partition.encode(column)
        np.testing.assert_array_equal(codes.column(j), expected)
        np.testing.assert_array_equal(codes.take(rows).column(j), expected[rows])


def test_counts_by_recounting():
    rng = np.random.default_rng(1)
    n_rows = 500
    table = table_of(rng.integers(0, 4, n_rows), rng.integers(0, 400, n_rows), rng.integers(0, 2, n_rows))
    codes = encode_table(table, learn(table))
    target = rng.integers(0, 3, n_rows).astype(np.int32)
    weights = rng.integers(0, 5, n_rows)
    counts = codes.count(target, weights, 3)
    expected = np.zeros_like(counts)
    for j in range(3):
        for code, label, weight in zip(codes.column(j), target, weights, strict=True):
            expected[codes.offsets[j] + code, label] += weight
    np.testing.assert_array_equal(counts, expected)


def test_distinct_values_occur_and_have_weight():
    column = NominalColumn("s", np.array([0, 2, 2, -1]), ("x", "y", "z"))
    partitions = learn(Table((column, OrderedColumn("n", np.array([3.0, 1.0, np.nan, 1.0]))), 4), [1, 1, 1, 0])
    assert partitions[0] == Groups((("x",), ("z",)), missing=False)
    assert partitions[1] == Groups(((1.0,), (3.0,)), missing=True)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("kind", ["ordered", "nominal"])
def test_the_rarest_of_too_many_values_are_pooled(kind, missing):
    n_values = 65_540
    values = np.arange(n_values)
    weights = np.ones(n_values + 1)
    weights[:5] = 0.25  # the five rarest, and at least so many must share a code
    if kind == "ordered":
        column = OrderedColumn("id", np.append(values, np.nan if missing else 0.0))
    else:
        column = NominalColumn("id", np.append(values, -1 if missing else 0), tuple(range(n_values)))
    (partition,) = learn(Table((column,), n_values + 1), weights)
    assert partition.n_parts == 65_535
    assert partition.missing == missing
    pooled = partition.groups[-1]
    assert len(pooled) == n_values - (65_534 - missing)
    rare = {1, 2, 3, 4} if not missing else {0, 1, 2, 3, 4}  # without missing, row 0 repeats value 0
    assert rare <= set(pooled)
    codes = encode_table(Table((column,), n_values + 1), [partition])
    assert codes.column(0).dtype == np.uint16
    assert int(codes.column(0).max()) == 65_534


def test_one_warning_names_a_pooled_column():
    pool = Groups((*((float(i),) for i in range(65_534)), (-1.0, -2.0, -3.0)), missing=False)
    full = Groups(tuple((float(i),) for i in range(65_535)), missing=False)
    grouped = Groups(((1.0, 2.0), (3.0, 4.0)), missing=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_pools(["a", "b", "c"], [full, pool, grouped])
    assert [(w.category, str(w.message)) for w in caught] == [
        (PooledValuesWarning, "Column 'b' has 65537 distinct values; the 3 rarest share a code.")
    ]
