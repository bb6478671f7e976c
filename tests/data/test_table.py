"""Columns are typed by the rules of the module, whatever library they come from."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from draws import draws

from bayesieve.data import Column, pick_rows, read_table
from bayesieve.exceptions import DataError

NAN = float("nan")
HOUR = 3600 * 1e6  # moments and durations are in microseconds
MOMENTS = [dt.datetime(1970, 1, 1, 1), None, dt.datetime(1970, 1, 2)]
DATES = [dt.date(1970, 1, 2), None, dt.date(1970, 1, 1)]
SPANS = [dt.timedelta(hours=1), None, dt.timedelta(microseconds=5)]
TIMES = [dt.time(1), None, dt.time(0, 0, 0, 7)]


def objects(*values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def only(X):
    table = read_table(X)
    assert table.n_columns == 1
    (column,) = table
    assert len(column.ids) == table.n_rows
    assert column.ids.dtype == np.int32
    return column


def assert_ordered(X, expected):
    column = only(X)
    assert column.ordered
    assert column.labels.dtype == column.values.dtype == np.float64
    np.testing.assert_array_equal(column.values, expected)
    distinct = sorted({value for value in expected if not np.isnan(value)})
    assert column.labels.tolist() == distinct
    assert column.ids.tolist() == [len(distinct) if np.isnan(value) else distinct.index(value) for value in expected]


def assert_nominal(X, labels, ids):
    column = only(X)
    assert not column.ordered
    assert column.labels == labels
    assert column.ids.tolist() == [len(labels) if i is None else i for i in ids]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pd.Series([1, 2, 3], dtype="int8"), [1, 2, 3]),
        (pd.Series([1.5, NAN, 3], dtype="float32"), [1.5, NAN, 3]),
        (pd.Series([1, None, 3], dtype="Int64"), [1, NAN, 3]),
        (pd.Series([1, None, 2.5], dtype="Float64"), [1, NAN, 2.5]),
        (pd.Series([1, None, 3], dtype="int64[pyarrow]"), [1, NAN, 3]),
        (pd.Series(objects(1, None, np.int64(3))), [1, NAN, 3]),
        (pd.Series(objects(1, NAN, 2.5)), [1, NAN, 2.5]),
        (pd.Series(objects(1, pd.NA, 2.5)), [1, NAN, 2.5]),
        (pd.Series(objects(Decimal("1.5"), None, Decimal(2))), [1.5, NAN, 2]),
        (pd.Series(MOMENTS), [HOUR, NAN, 24 * HOUR]),
        (pd.Series(MOMENTS).astype("datetime64[ns]"), [HOUR, NAN, 24 * HOUR]),
        (pd.Series(MOMENTS).astype("datetime64[s]"), [HOUR, NAN, 24 * HOUR]),
        (pd.Series(MOMENTS).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"), [HOUR, NAN, 24 * HOUR]),
        (pd.Series(objects(*DATES)), [24 * HOUR, NAN, 0]),
        (pd.Series(SPANS), [HOUR, NAN, 5]),
        (pd.Series(objects(*TIMES)), [HOUR, NAN, 7]),
        (pd.arrays.SparseArray([0, 0, 4]), [0, 0, 4]),
    ],
    ids=str,
)
def test_ordered_pandas(values, expected):
    assert_ordered(pd.DataFrame({"a": values}), expected)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pl.Series([1, 2, None], dtype=pl.UInt8), [1, 2, NAN]),
        (pl.Series([1.0, NAN, None]), [1, NAN, NAN]),
        (pl.Series([1, 2, 3], dtype=pl.Int128), [1, 2, 3]),
        (pl.Series([Decimal("1.5"), None, Decimal(2)]), [1.5, NAN, 2]),
        (pl.Series([Decimal("1.5"), Decimal(2)]), [1.5, 2]),
        (pl.Series(MOMENTS), [HOUR, NAN, 24 * HOUR]),
        (pl.Series(MOMENTS, dtype=pl.Datetime("ns")), [HOUR, NAN, 24 * HOUR]),
        (pl.Series(MOMENTS).dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo"), [HOUR, NAN, 24 * HOUR]),
        (pl.Series(DATES), [24 * HOUR, NAN, 0]),
        (pl.Series(SPANS), [HOUR, NAN, 5]),
        (pl.Series(TIMES), [HOUR, NAN, 7]),
        (pl.Series([None, None, None]), [NAN, NAN, NAN]),
    ],
    ids=str,
)
def test_ordered_polars(values, expected):
    assert_ordered(pl.DataFrame({"a": values}), expected)
    if values.dtype not in (pl.Int128, pl.Null):
        assert_ordered(pl.DataFrame({"a": values}).to_arrow(), expected)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array([0.1, NAN, 3], dtype=np.float32), [np.float32(0.1), NAN, 3]),
        (np.array([1, 2, 3], dtype=np.uint64), [1, 2, 3]),
        (objects(1, None, 3), [1, NAN, 3]),
        (np.array(["1970-01-02", "NaT"], dtype="datetime64[D]"), [24 * HOUR, NAN]),
        (np.array(["1970-01-02", "NaT"], dtype="datetime64[ns]"), [24 * HOUR, NAN]),
        (np.array([1500, "NaT"], dtype="timedelta64[ns]"), [1.5, NAN]),
        (np.array(["9999-12-31"], dtype="datetime64[D]"), [253402214400e6]),  # beyond what 64-bit nanoseconds hold
    ],
    ids=str,
)
def test_ordered_numpy(values, expected):
    assert_ordered(values[:, None], expected)


@pytest.mark.parametrize(
    ("values", "labels", "ids"),
    [
        (pd.Series([True, False, True]), (False, True), [1, 0, 1]),
        (pd.Series([True, None, False], dtype="boolean"), (False, True), [1, None, 0]),
        (pd.Series(objects(True, None, False)), (False, True), [1, None, 0]),
        (pd.Series(["b", None, "a"]), ("a", "b"), [1, None, 0]),
        (pd.Series(["b", None, "a"], dtype="string"), ("a", "b"), [1, None, 0]),
        (pd.Series(objects("b", None, NAN)), ("b",), [0, None, None]),
        (pd.Series(objects("b", None, 7)), (7, "b"), [1, None, 0]),
        (pd.Series(["b", None, "a"], dtype="category"), ("a", "b"), [1, None, 0]),
        (pd.Series(pd.Categorical(["b", None, "a"], ["b", "a", "c"], ordered=True)), ("a", "b"), [1, None, 0]),
        (pd.Series(pd.Categorical([20, None, 3])), (3, 20), [1, None, 0]),
    ],
    ids=str,
)
def test_nominal_pandas(values, labels, ids):
    assert_nominal(pd.DataFrame({"a": values}), labels, ids)


@pytest.mark.parametrize(
    ("values", "labels", "ids"),
    [
        (pl.Series([True, None, False]), (False, True), [1, None, 0]),
        (pl.Series(["b", None, "a"]), ("a", "b"), [1, None, 0]),
        (pl.Series(["b", None, "a"], dtype=pl.Categorical), ("a", "b"), [1, None, 0]),
        (pl.Series(["b", None, "a"], dtype=pl.Enum(["b", "a", "c"])), ("a", "b"), [1, None, 0]),
    ],
    ids=str,
)
def test_nominal_polars(values, labels, ids):
    assert_nominal(pl.DataFrame({"a": values}), labels, ids)
    assert_nominal(pl.DataFrame({"a": values}).to_arrow(), labels, ids)


@pytest.mark.parametrize(
    ("values", "labels", "ids"),
    [
        (np.array([True, False, True]), (False, True), [1, 0, 1]),
        (np.array(["b", "a", "b"]), ("a", "b"), [1, 0, 1]),
        (np.array([b"b", b"a"]), (b"a", b"b"), [1, 0]),
        (objects("b", None, "a", NAN), ("a", "b"), [1, None, 0, None]),
        (objects(True, None, False), (False, True), [1, None, 0]),
        (objects((1, "x"), (1, 2)), ((1, "x"), (1, 2)), [0, 1]),  # not comparable: ordered by what they print
    ],
    ids=str,
)
def test_nominal_numpy(values, labels, ids):
    array = np.empty((len(values), 1), dtype=values.dtype)
    array[:, 0] = values
    column = only(array)
    assert not column.ordered
    assert sorted(column.labels, key=repr) == sorted(labels, key=repr)
    expected = [None if i is None else labels[i] for i in ids]
    assert [(*column.labels, None)[i] for i in column.ids] == expected


def test_names():
    assert read_table(pd.DataFrame([[1, 2]], columns=["b", "a"])).names == ["b", "a"]
    assert read_table(pd.DataFrame([[1, 2]])).names == ["0", "1"]
    assert read_table(np.ones((1, 2))).names == ["x0", "x1"]
    assert read_table([[1, 2], [3, 4]]).names == ["x0", "x1"]
    table = read_table(pa.table({"b": [1], "a": [2]}))
    assert (table.names, table.n_rows, table.n_columns) == (["b", "a"], 1, 2)


@pytest.mark.parametrize("make", [np.array, pd.DataFrame, lambda X: pl.DataFrame(X, orient="row")])
def test_given_names_replace_a_tables_own(make):
    table = read_table(make([[0, 1, 2], [3, 4, 5]]), ["a", "b", "c"])
    assert (table.names, table.n_rows, table.n_columns) == (["a", "b", "c"], 2, 3)
    assert [column.name for column in table] == ["a", "b", "c"]
    assert table.column(2).name == "c"
    np.testing.assert_array_equal(table.column(2).values, [2, 5])


def test_columns_can_be_read_in_any_order_and_again():
    table = read_table(pd.DataFrame({"n": [1.0, 2.0, 1.0], "s": ["x", "y", None]}))
    for _ in range(2):
        column = table.column(1)
        assert (column.name, column.labels, column.ids.tolist()) == ("s", ("x", "y"), [0, 1, 2])
        np.testing.assert_array_equal(table.column(0).values, [1, 2, 1])
        assert [column.name for column in table] == ["n", "s"]


def test_labels_of_no_row_do_no_harm():
    column = Column("n", np.array([1.0, 2.0, 3.0]), np.array([2, 0, 3, 2], dtype=np.int32))
    np.testing.assert_array_equal(column.values, [3, 1, NAN, 3])
    nothing = Column("n", np.empty(0), np.zeros(2, dtype=np.int32))
    assert nothing.ordered
    np.testing.assert_array_equal(nothing.values, [NAN, NAN])


def test_minus_zero_is_zero():
    column = only(np.array([[0.0], [-0.0], [-1.0]]))
    assert column.ids.tolist() == [1, 1, 0]
    assert np.signbit(column.labels).tolist() == [True, False]


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_any_layout(order):
    array = np.array(np.arange(12.0).reshape(4, 3) % 5, order=order)
    for view in (array, array[::-1], array[::2, ::2], array.T):
        for j, column in enumerate(read_table(view)):
            np.testing.assert_array_equal(column.values, view[:, j])


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_infinite_values_are_refused_by_name(make, value):
    table = read_table(make({"age": [1.0, 2.0], "wages": [1.0, value], "size": [2.0, 3.0]}))
    assert [table.column(j).values.tolist() for j in (0, 2)] == [[1.0, 2.0], [2.0, 3.0]]
    with pytest.raises(DataError, match="'wages' has infinite values"):
        table.column(1)
    with pytest.raises(DataError, match="'wages' has infinite values"):
        list(table)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("n_rows", [1, 3, 1000])
def test_infinite_values_are_refused_wherever_they_stand(value, n_rows):
    for place in {0, n_rows // 2, n_rows - 1}:
        values = np.arange(n_rows, dtype=float)
        values[place] = value
        for given in (values, np.append(values, NAN)):
            with pytest.raises(DataError, match="'x0' has infinite values"):
                read_table(given[:, None]).column(0)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array([1.0, 2.0]), r"Expected 2D array, got 1D array instead.*Reshape your data"),
        (np.ones((2, 2, 2)), "Expected 2D array, got 3D"),
        (np.empty((0, 3)), r"0 sample\(s\)"),
        (np.empty((3, 0)), r"0 feature\(s\)"),
        (pd.DataFrame({"a": []}), r"0 sample\(s\)"),
        (pl.DataFrame(), r"0 feature\(s\)"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a' occurs more than once"),
        (pa.table([[1], [2]], names=["a", "a"]), "'a' occurs more than once"),
        (pd.DataFrame([[1, 2]], columns=["1", 1]), "'1' occurs more than once"),
        (pl.LazyFrame({"a": [1]}), "lazy; collect it first"),
    ],
    ids=str,
)
def test_refused_tables(X, message):
    with pytest.raises(DataError, match=message):
        read_table(X)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array([[1j]]), "Complex data not supported: column 'x0'"),
        (objects(10**400)[:, None], "'x0' has numbers beyond the largest float"),
    ],
    ids=str,
)
def test_refused_columns(X, message):
    table = read_table(X)
    with pytest.raises(DataError, match=message):
        table.column(0)


def test_values_that_cannot_be_categories_are_refused_by_name():
    table = read_table(pl.DataFrame({"tags": [["a"], ["b"]]}))
    with pytest.raises(TypeError, match="'tags' holds values of a type that cannot be a category"):
        table.column(0)


def test_neighbors_of_any_types_are_those_that_are_read_one_by_one():
    rng = np.random.default_rng(8)
    n_rows = 40
    kinds = {
        "int64": lambda: rng.integers(-3, 4, n_rows),
        "uint8": lambda: rng.integers(0, 4, n_rows).astype(np.uint8),
        "float64": lambda: np.where(rng.random(n_rows) < 0.2, np.nan, rng.normal(size=n_rows)),
        "float32": lambda: rng.normal(size=n_rows).astype(np.float32),
        "Int64": lambda: pd.array(rng.choice([1, 2, None], n_rows), dtype="Int64"),
        "bool": lambda: rng.random(n_rows) < 0.5,
        "text": lambda: rng.choice(["a", "b", None], n_rows),
        "category": lambda: pd.Categorical(rng.choice(["u", "v", None], n_rows), categories=["w", "v", "u"]),
        "ordered": lambda: pd.Categorical(rng.integers(0, 3, n_rows), categories=[2, 1, 0, 3], ordered=True),
        "date": lambda: pd.to_datetime(rng.integers(0, 9, n_rows), unit="D"),
        "sparse": lambda: pd.arrays.SparseArray(rng.integers(0, 2, n_rows).astype(float)),
    }
    names = [str(rng.choice(list(kinds))) for _ in range(draws(36, 60))]
    frame = pd.DataFrame({f"{j} {name}": kinds[name]() for j, name in enumerate(names)})
    for X in (frame, frame.copy(), frame.iloc[:, ::-1], frame.iloc[::-1]):
        table = read_table(X)
        for first, end in ((0, len(names)), (7, 8), (20, 33)):
            batch = table.batch(first, end)
            for j in range(first, end):
                (alone,) = read_table(X.iloc[:, [j]])
                column = batch.columns[j - first]
                assert (column.name, column.scale, list(column.labels)) == (alone.name, alone.scale, list(alone.labels))
                assert [*map(type, column.labels)] == [*map(type, alone.labels)]
                np.testing.assert_array_equal(batch.ids[j - first], alone.ids)
                assert table.values(j).dtype == read_table(X.iloc[:, [j]]).values(0).dtype


@pytest.mark.parametrize("rows", [[], [0], [3, 5, 6], [5, 3, 3], [-1], [0, 1, 2, 3, 4, 5, 6, 7]])
def test_rows_of_a_frame_of_polars_are_picked_in_their_order(rows):
    frame = pl.DataFrame({"a": range(8), "b": list("abcdefgh")})
    assert pick_rows(frame, np.array(rows, dtype=np.intp)).equals(frame[rows])
