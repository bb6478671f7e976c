"""Missing and distinct values of a column are counted as by one look at each value, in every library."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from draws import draws

from bayesieve.data.profile import find_equal_floats, profile_columns

LIBRARIES = {
    "pandas": lambda columns: pd.DataFrame(
        {name: pd.array(values, kind.replace("S", "s")) for name, (values, kind) in columns.items()}
    ),
    "polars": lambda columns: pl.DataFrame(
        {name: pl.Series(values, dtype=getattr(pl, kind.capitalize())) for name, (values, kind) in columns.items()}
    ),
    "pyarrow": lambda columns: pa.table(
        {name: pa.array(values, getattr(pa, kind.lower())()) for name, (values, kind) in columns.items()}
    ),
}


def gaps(rng, values):
    share = rng.choice([0.0, 0.3, 1.0])
    return [None if rng.random() < share else value for value in values]


def test_counts_are_those_of_single_values():
    rng = np.random.default_rng(0)
    for turn in range(draws(30, 300)):
        n_rows = int(rng.integers(1, 30))
        numbers = (rng.integers(0, 4, n_rows) / 2).tolist()
        columns = {
            "real": (gaps(rng, numbers), "Float64"),
            "whole": (gaps(rng, [int(2 * number) for number in numbers]), "Int64"),
            "label": (gaps(rng, map(str, numbers)), "String"),
        }
        library = list(LIBRARIES)[turn % 3]
        if library != "pandas":  # where NaN is another value than null
            columns["nan"] = ([math.nan if rng.random() < 0.3 else value for value in columns["real"][0]], "Float64")
        for profile in profile_columns(LIBRARIES[library](columns)):
            present = [each for each in columns[profile.name][0] if each is not None and each == each]  # noqa: PLR0124
            assert profile.n_missing == n_rows - len(present), (library, columns[profile.name])
            assert profile.n_distinct == len(set(present)), (library, columns[profile.name])


def test_values_in_another_byte_order_are_counted():
    frame = pd.DataFrame({"a": np.array([1.5, 1.5, math.nan, 2.0]), "b": np.array([3, 3, 1, 2])})
    swapped = frame.apply(lambda column: column.astype(column.dtype.newbyteorder("S")))
    assert not any(dtype.isnative for dtype in swapped.dtypes)
    assert profile_columns(swapped) == profile_columns(frame)


def test_a_column_of_whole_numbers_that_are_all_missing_does_not_vary():
    frame = pd.DataFrame({"none": pd.array([pd.NA] * 3, "Int64"), "two": pd.array([2**60, 2**60 + 1, pd.NA], "Int64")})
    assert find_equal_floats(frame, [0, 1]) == [1]
