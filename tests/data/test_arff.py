"""ARFF: every kind of column, dense and sparse, whole and broken, and against SciPy's reader."""

import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from real_data import REAL_DATA, needs_data
from scipy.io import arff

from bayesieve.data import read_file, read_table
from bayesieve.exceptions import DataError

ALL_KINDS = r"""% A comment
@RELATION 'all kinds'

@Attribute age numeric
@attribute 'the size' REAL   % a remark
@attribute n integer
@attribute "class" { yes, 'no, never', "it's", '?' }
@attribute shape{round,square}
@attribute note string
@attribute day date "yyyy-MM-dd HH:mm"
@attribute moment date

@DATA
% another comment
30, 1.5, 7, yes, round, 'a, b', "2020-01-02 03:04", 2020-01-02T03:04:05
?,?,?,?,?,?,?,?

-1e3,.5,8,'no, never',square,'it\'s "so"\n%', "1999-12-31 23:59", '1999-12-31T23:59:59'
0,2,9,"it's", round,"?", ?, ?
"""


@pytest.fixture
def write(tmp_path):
    def write(text, name="table.arff"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_every_kind_of_column(write):
    frame = read_file(write(ALL_KINDS))
    assert frame.to_dict(as_series=False) == {
        "age": [30.0, None, -1000.0, 0.0],
        "the size": [1.5, None, 0.5, 2.0],
        "n": [7.0, None, 8.0, 9.0],
        "class": ["yes", None, "no, never", "it's"],
        "shape": ["round", None, "square", "round"],
        "note": ["a, b", None, 'it\'s "so"\n%', "?"],
        "day": [datetime(2020, 1, 2, 3, 4), None, datetime(1999, 12, 31, 23, 59), None],
        "moment": [datetime(2020, 1, 2, 3, 4, 5), None, datetime(1999, 12, 31, 23, 59, 59), None],
    }
    assert frame.schema["class"] == pl.Categorical  # levels of ARFF have no order, as those of an Enum do
    assert read_table(frame).column(frame.columns.index("class")).levels is None
    assert [column.ordered for column in read_table(frame)] == [True, True, True, False, False, False, True, True]


def test_whole_numbers_without_gaps_are_integers(write):
    frame = read_file(write("@attribute n integer\n@attribute m integer\n@data\n1,1\n2,2.5\n"))
    assert frame.dtypes == [pl.Int64, pl.Float64]


def test_sparse_rows_say_what_differs_from_zero_or_the_first_level(write):
    head = (
        "@relation r\n@attribute a numeric\n@attribute b {x, 'y z'}\n@attribute c string\n@attribute d integer\n@data\n"
    )
    frame = read_file(write(head + "{1 'y z', 3 5}\n{}\n{0 2.5, 2 \"a, b\"}\n{ 0 ?,1 x }\n3,x,t,4\n"))
    assert frame.rows() == [
        (0.0, "y z", None, 5),
        (0.0, "x", None, 0),
        (2.5, "x", "a, b", 0),
        (None, "x", None, 0),
        (3.0, "x", "t", 4),
    ]


def test_types_override_the_declaration(write):
    path = write("@attribute code {007, 8}\n@attribute n numeric\n@data\n007,1\n8,2\n")
    assert read_file(path, types={"code": "numeric", "n": "categorical"}).rows() == [(7.0, "1"), (8.0, "2")]
    assert read_file(path, types={"code": "categorical"})["code"].to_list() == ["007", "8"]


HEAD = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n1,x\n"
FAULTS = {
    "no rows": (HEAD[:-4], "declares 2 columns but has no rows"),
    "no data": (HEAD[:20], "has no line @data"),
    "no columns": ("@relation r\n@data\n1\n", "declares no columns"),
    "repeated": ("@attribute a real\n@attribute a real\n@data\n1,2\n", "declares the column 'a' more than once"),
    "relational": ("@attribute bag relational\n@end bag\n@data\n1\n", "the column 'bag' is relational"),
    "unknown type": ("@attribute a complex\n@data\n1\n", "line 1: the column 'a' has the type 'complex'"),
    "no type": ("@attribute a\n@data\n1\n", "the column 'a' has the type ''"),
    "no name": ("@attribute\n@data\n1\n", "@attribute needs a name and a type"),
    "open levels": ("@attribute a {x, y\n@data\nx\n", "the levels of the column 'a' do not end"),
    "repeated level": ("@attribute a {x, x}\n@data\nx\n", "the column 'a' declares the level 'x' more than once"),
    "date format": ("@attribute a date 'EEE'\n@data\nx\n", "the date format 'EEE' has the field 'EEE'"),
    "stray line": ("@attribute a real\nnonsense\n@data\n1\n", "line 2 begins with 'nonsense'"),
    "not a number": (HEAD + "1_0,y\n", "line 6: the column 'a' is numeric, but holds '1_0'"),
    "not a level": (HEAD + "2,z\n", "line 6: the column 'b' holds 'z', which is not one of its 2 declared levels"),
    "not a date": ("@attribute a date\n@data\n2020\n", "holds '2020', which is not a date"),
    "long": (HEAD + "2,x,y\n1,x\n", "line 6: 3 values where 2 columns are declared."),
    "cut": (HEAD + "2\n", "line 6: 1 values where 2 columns are declared; the file seems truncated."),
    "weight": (HEAD + "2,x,{5}\n", "weights of rows are not supported"),
    "open quote": (HEAD + "2,'x\n", 'a value cannot be read from "\'x" on'),
    "open brace": (HEAD + "{0 2\n", "must end with one closing brace"),
    "sparse position": (HEAD + "{2 x}\n", "names column 2, counted from 0, of 2"),
    "sparse order": (HEAD + "{1 x, 0 1}\n", "must increase"),
    "sparse without position": (HEAD + "{x}\n", "a value cannot be read from 'x' on"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_file_is_refused_in_one_sentence(write, fault):
    text, message = FAULTS[fault]
    with pytest.raises(DataError, match=re.escape(message)) as raised:
        read_file(write(text))
    assert "table.arff" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_without_polars_it_is_a_pandas_frame(write):
    program = """
import sys
sys.modules["polars"] = None
from bayesieve.data import read_file
frame = read_file(sys.argv[1])
print(type(frame).__module__.partition(".")[0], list(frame["class"].cat.categories), list(frame["note"].isna()))
"""
    done = subprocess.run([sys.executable, "-c", program, write(ALL_KINDS)], capture_output=True, text=True, check=True)
    assert done.stdout == "pandas ['yes', 'no, never', \"it's\", '?'] [False, True, False, False]\n"


@needs_data
@pytest.mark.parametrize(
    "name", ["heart-statlog/heart-statlog.arff", "hepatitis/hepatitis.arff", "horse-colic/colic.arff"]
)
def test_agrees_with_scipy(name):
    path = REAL_DATA / name
    rows, meta = arff.loadarff(Path(path))
    frame = read_file(path)
    assert frame.columns == [column.strip("'") for column in meta.names()]
    for column, theirs in zip(frame.iter_columns(), meta.names(), strict=True):
        kind, levels = meta[theirs]
        if kind == "numeric":
            np.testing.assert_array_equal(column.cast(pl.Float64).fill_null(np.nan), rows[theirs])
        else:
            assert set(column.drop_nulls()) <= {level.strip("'") for level in levels}
            values = [value.decode().strip("'") for value in rows[theirs]]
            assert column.to_list() == [None if value == "?" else value for value in values]
