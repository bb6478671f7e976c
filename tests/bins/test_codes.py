"""Code columns: one byte where it is enough, two where it is not, pooled where even two are not."""

import warnings

import numpy as np
import pytest
from cases import summarize

from bayesieve.bins import CodeBuilder, DistinctValues, Groups, Intervals, warn_of_pools
from bayesieve.data import Column, DenseBatch
from bayesieve.data.column import read_column
from bayesieve.exceptions import PooledValuesWarning


def columns_of(*columns):
    return [read_column(f"c{j}", np.asarray(c, dtype=float), nominal=False) for j, c in enumerate(columns)]


def learn(columns, weights=None):
    return [DistinctValues().learn(summarize(column, weights)) for column in columns]


def rows_of(column, partition):
    """Return the code of each row."""
    return partition.bins_of(column)[column.ids]


def encode(columns, partitions):
    builder = CodeBuilder(len(columns[0].ids))
    half = (len(columns) + 1) // 2  # two blocks, the second of which may be empty
    for begin, end in ((0, half), (half, len(columns))):
        pairs = list(zip(columns[begin:end], partitions[begin:end], strict=True))
        if pairs:
            bins, n_bins = [p.bins_of(c) for c, p in pairs], [p.n_bins for _, p in pairs]
            builder.add(DenseBatch.of(columns[begin:end]), np.arange(len(columns[0].ids)), bins, n_bins)
    return builder.build()


@pytest.mark.parametrize(("n_values", "wide"), [(3, False), (255, False), (256, True), (300, True)])
def test_two_bytes_only_where_needed(n_values, wide):
    # 255 bins and the code for unseen values are 256 codes.
    columns = columns_of(np.arange(n_values), np.arange(n_values) % 3)
    codes = encode(columns, learn(columns))
    assert codes.narrow.dtype == np.uint8
    assert codes.wide.dtype == np.uint16
    assert len(codes.wide) == wide
    assert len(codes.narrow) == 2 - wide
    assert codes.n_bins.tolist() == [n_values, 3]
    assert codes.offsets.tolist() == [0, n_values + 1, n_values + 5]
    np.testing.assert_array_equal(codes.column(0), np.arange(n_values))
    np.testing.assert_array_equal(codes.column(1), np.arange(n_values) % 3)


def test_unseen_fits_in_one_byte():
    partition = Intervals(np.arange(254.0), missing=False)
    codes = encode(columns_of([np.nan, 1000.0]), [partition])
    assert codes.column(0).tolist() == [255, 254]
    assert codes.column(0).dtype == np.uint8


def test_widths_may_alternate():
    rng = np.random.default_rng(0)
    columns = columns_of(*(rng.integers(0, size, 600) for size in (3, 600, 5, 700, 2)))
    partitions = learn(columns)
    codes = encode(columns, partitions)
    assert (codes.n_rows, codes.n_columns) == (600, 5)
    assert codes.place.tolist() == [0, 3, 1, 4, 2]  # narrow ones first
    for j, (column, partition) in enumerate(zip(columns, partitions, strict=True)):
        np.testing.assert_array_equal(codes.column(j), rows_of(column, partition))


def test_some_rows_of_some_narrow_columns():
    rng = np.random.default_rng(0)
    columns = columns_of(*(rng.integers(0, size, 600) for size in (3, 600, 5, 2)))
    codes = encode(columns, learn(columns))
    rows = np.array([5, 5, 17])
    some = codes.pick([3, 0], rows)
    assert (some.n_rows, some.n_columns, some.n_bins.tolist()) == (3, 2, [2, 3])
    for k, j in enumerate([3, 0]):
        np.testing.assert_array_equal(some.column(k), codes.column(j)[rows])


@pytest.mark.parametrize(("n_bins", "narrow"), [([], 0), ([300, 301], 0), ([2, 3], 2)])
def test_either_width_may_be_absent(n_bins, narrow):
    builder = CodeBuilder(4)
    for size in n_bins:
        column = Column("a", (0, 1, 2), np.arange(4, dtype=np.int32))
        builder.add(DenseBatch.of([column]), np.arange(4), [np.array([0, 1, size - 1, size])], [size])
    codes = builder.build()
    assert (codes.narrow.shape, codes.wide.shape) == ((narrow, 4), (len(n_bins) - narrow, 4))
    assert (codes.n_columns, codes.n_rows) == (len(n_bins), 4)
    for j, size in enumerate(n_bins):
        assert codes.column(j).tolist() == [0, 1, size - 1, size]


def test_counts_by_recounting():
    rng = np.random.default_rng(1)
    n_rows = 500
    columns = columns_of(*(rng.integers(0, size, n_rows) for size in (4, 400, 2)))
    codes = encode(columns, learn(columns))
    target = rng.integers(0, 3, n_rows).astype(np.int32)
    weights = rng.integers(0, 5, n_rows)
    counts = codes.count(target, weights, 3)
    expected = np.zeros_like(counts)
    for j in range(3):
        for code, label, weight in zip(codes.column(j), target, weights, strict=True):
            expected[codes.offsets[j] + code, label] += weight
    np.testing.assert_array_equal(counts, expected)


def test_distinct_values_occur_and_have_weight():
    nominal = Column("s", ("x", "y", "z"), np.array([0, 2, 2, 3], dtype=np.int32))
    ordered = read_column("n", np.array([3.0, 1.0, np.nan, 1.0]), nominal=False)
    partitions = learn([nominal, ordered], [1, 1, 1, 0])
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
        (column,) = columns_of(np.append(values, np.nan if missing else 0.0))
    else:
        ids = np.append(values, n_values if missing else 0)
        column = Column("id", tuple(range(n_values)), ids.astype(np.int32))
    (partition,) = learn([column], weights)
    assert partition.n_bins == 65_535
    assert partition.missing == missing
    pooled = partition.groups[-1]
    assert len(pooled) == n_values - (65_534 - missing)
    rare = {1, 2, 3, 4} if not missing else {0, 1, 2, 3, 4}  # without missing, row 0 repeats value 0
    assert rare <= set(pooled)
    codes = encode([column], [partition])
    assert codes.column(0).dtype == np.uint16
    assert int(codes.column(0).max()) == 65_534
    # Every value that is not pooled has a code of its own, and the pooled ones share theirs.
    weight_of = np.bincount(codes.column(0), minlength=65_535)
    assert int((weight_of > 1).sum()) == 1 + (not missing and 0 not in pooled)
    last = int(partition.bins_of(column)[list(column.labels).index(pooled[0])])
    assert last == len(partition.groups) - 1
    assert {int(code) for code in partition.bins_of(column)[[int(value) for value in pooled]]} == {last}


def test_one_warning_names_a_pooled_column():
    pool = Groups((*((float(i),) for i in range(65_534)), (-1.0, -2.0, -3.0)), missing=False)
    full = Groups(tuple((float(i),) for i in range(65_535)), missing=False)
    grouped = Groups(((1.0, 2.0), (3.0, 4.0)), missing=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_pools(["a", "b", "c"], [full, pool, grouped])
    assert [(w.category, str(w.message)) for w in caught] == [
        (
            PooledValuesWarning,
            "Column 'b' has 65537 distinct values and at most 65535 are expected; the 3 rarest share a bin.",
        )
    ]
