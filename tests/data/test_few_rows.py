# SPDX-License-Identifier: BSD-3-Clause
"""A few rows have shorter ways to be read: each row has the value that it has among all rows."""

import pickle
from datetime import date, time
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from bayesieve import SelectiveNaiveBayes
from bayesieve.bins import Groups
from bayesieve.data import Values, read_table
from bayesieve.data.column import EncodedValues, encode_entries
from bayesieve.estimators.rows import code_rows

N = 1000
RNG = np.random.default_rng(41)
NUMBERS = RNG.integers(-20, 20, size=N)
WORDS = np.array(["b", "a", "", "é é", "ccc"], dtype=object)[NUMBERS % 5]
DAYS = pd.to_datetime("2024-01-01") + pd.to_timedelta(NUMBERS * 7, unit="h")


def _gaps(values):
    return [None if i % 7 == 3 else value for i, value in enumerate(values)]


PANDAS = {
    "float64": NUMBERS / 4,
    "float32 with gaps": np.where(NUMBERS > 10, np.nan, NUMBERS).astype(np.float32),
    "int8": NUMBERS.astype(np.int8),
    "uint16": (NUMBERS + 20).astype(np.uint16),
    "bool": NUMBERS > 0,
    "Int64": pd.array(_gaps(NUMBERS), dtype="Int64"),
    "boolean": pd.array(_gaps(NUMBERS > 0), dtype="boolean"),
    "object": WORDS,
    "object with None": np.array(_gaps(WORDS), dtype=object),
    "object with NaN": np.array([np.nan if value is None else value for value in _gaps(WORDS)], dtype=object),
    "object with numbers": np.array(_gaps(NUMBERS.tolist()), dtype=object),
    "object with numbers and text": np.where(NUMBERS > 0, WORDS, NUMBERS.astype(object)),
    "decimals": np.array([Decimal(int(value)) / 4 for value in NUMBERS], dtype=object),
    "dates": np.array([date(2024, 1, 1 + value % 28) for value in NUMBERS.tolist()], dtype=object),
    "times": np.array([time(value % 24) for value in NUMBERS.tolist()], dtype=object),
    "string": pd.array(_gaps(WORDS), dtype="string"),
    "arrow text": pd.array(_gaps(WORDS), dtype=pd.ArrowDtype(pa.string())),
    "arrow numbers": pd.array(_gaps(NUMBERS), dtype=pd.ArrowDtype(pa.int32())),
    "categories": pd.Categorical(_gaps(WORDS)),
    "numbers as categories": pd.Categorical(NUMBERS),
    "thousand categories": pd.Categorical(_gaps(map(str, NUMBERS * 20)), categories=[str(i) for i in range(-500, 500)]),
    "datetime": DAYS,
    "datetime with gaps": pd.Series(DAYS).mask(NUMBERS > 10),
    "time zone": DAYS.tz_localize("UTC"),
    "duration": pd.to_timedelta(NUMBERS, unit="min"),
    "sparse": pd.arrays.SparseArray(np.maximum(NUMBERS, 0)),
}
POLARS = {
    "float": pl.Series(NUMBERS / 4),
    "int with gaps": pl.Series(_gaps(NUMBERS.tolist())),
    "text": pl.Series(_gaps(WORDS)),
    "categorical": pl.Series(_gaps(WORDS)).cast(pl.Categorical),
    "enum": pl.Series(_gaps(WORDS)).cast(pl.Enum(["ccc", "unused", "é é", "", "a", "b"])),
    "bool": pl.Series(_gaps((NUMBERS > 0).tolist())),
    "datetime": pl.Series(DAYS.to_numpy()),
    "decimal": pl.Series([Decimal(int(value)) / 4 for value in NUMBERS]),
}
TABLES = {
    "pandas": pd.DataFrame(PANDAS),
    "pandas, names that are numbers": pd.DataFrame(dict(enumerate(PANDAS.values()))),
    "pandas, names in two levels": pd.DataFrame({("x", name): values for name, values in PANDAS.items()}),
    "polars": pl.DataFrame(POLARS),
    "numbers": np.column_stack([NUMBERS, NUMBERS**2]).astype(float),
    "objects": np.column_stack([WORDS, NUMBERS.astype(object)]),
    "sparse": csr_array(np.column_stack([np.maximum(NUMBERS, 0), NUMBERS])),
}


def _some(table, rows):
    return table.iloc[rows] if isinstance(table, pd.DataFrame) else table[rows]


def _values(column):
    labels = [*(column.labels.tolist() if column.ordered else column.labels), None]
    return [labels[place] for place in column.ids.tolist()]


@pytest.mark.parametrize("name", TABLES)
def test_a_row_alone_has_the_value_that_it_has_among_all_rows(name):
    every = read_table(TABLES[name])
    order = np.random.default_rng(5).permutation(every.n_columns).tolist()
    whole = [every.column(j) for j in order]
    expected = [_values(column) for column in whole]
    for rows in ([0], [3], [10, 3, 700], list(range(0, N, 9))):
        found = read_table(_some(TABLES[name], rows)).columns_at(order)
        for column, all_rows, values in zip(found, whole, expected, strict=True):
            assert column.name == all_rows.name
            missing = all(values[i] is None for i in rows)
            assert missing or (column.ordered, column.scale) == (all_rows.ordered, all_rows.scale)
            assert [(type(v), v) for v in _values(column)] == [(type(values[i]), values[i]) for i in rows]


def test_columns_at_are_those_read_one_by_one():
    table = read_table(TABLES["pandas"])
    for column, j in zip(table.columns_at([7, 3, 3, 0]), [7, 3, 3, 0], strict=True):
        alone = table.column(j)
        assert column.name == alone.name == table.names[j]
        assert np.array_equal(column.labels, alone.labels)
        assert np.array_equal(column.ids, alone.ids)


def test_all_columns_of_a_row_are_read_at_once_and_none_but_those_of_the_model():
    rng = np.random.default_rng(2)
    y = rng.integers(2, size=400)
    X = pd.DataFrame({f"x{j}": rng.normal(size=400) + y * (j % 3) for j in range(12)})
    model = SelectiveNaiveBayes().fit(X, y)
    card, reads, table = model.scorecard_, [], read_table(X.head(1))

    def read(places):
        reads.append([table.names[j] for j in places])
        return table.read(places)

    watched = type(table)(table.names, table.n_rows, read)
    code_rows(watched, card.tables, card.pairs, model.selection_.positions)
    assert reads == [card.columns]


def test_entries_of_a_few_rows_by_hand():
    encoded = encode_entries(["b", None, "a", float("nan"), "b"])
    assert (encoded.entries, encoded.positions.tolist()) == (["b", "a"], [0, -1, 1, -1, 0])
    assert encoded.occurring == [0, 1]
    assert EncodedValues(["a", "b", "c"], np.array([2, -1, 0] * 40)).occurring == [0, 2]


def test_groups_that_have_coded_rows_are_pickled_as_those_that_have_not():
    groups = Groups((("a", "b"), ("c",)), missing=False)
    before = pickle.dumps(groups)
    assert groups.bins_of(Values("x", ("a", "c", "d"))).tolist() == [0, 1, 2, 2]
    assert pickle.dumps(groups) == before
    assert pickle.loads(before).bins_of(Values("x", ("b",))).tolist() == [0, 2]
