"""Texts that mark a missing value in one column."""

import polars as pl
import pytest

from bayesieve.data import blank_marked, read_file, split_marks
from bayesieve.exceptions import DataError, ParameterError

ROWS = {"pressure": [0.0, 70.5, 80.0, None], "children": [0, 1, 2, 0], "kind": ["a", "0", "b", "unknown"]}
MARKS = {"pressure": "0", "kind": ["unknown", "0"]}
EXPECTED = {"pressure": [None, 70.5, 80.0, None], "children": [0, 1, 2, 0], "kind": ["a", None, "b", None]}


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "parquet", "feather", "jsonl", "arff"])
def test_values_of_one_column_are_missing_in_every_format(tmp_path, suffix):
    path, frame = tmp_path / f"table.{suffix}", pl.DataFrame(ROWS)
    if suffix == "xlsx":
        pytest.importorskip("xlsxwriter")
        frame.write_excel(path)
    elif suffix == "arff":
        lines = ["@relation r", "@attribute pressure numeric", "@attribute children integer"]
        lines += ["@attribute kind {a,b,0,unknown}", "@data", "0,0,a", "70.5,1,0", "80,2,b", "?,0,unknown"]
        path.write_text("\n".join(lines))
    else:
        writers = {"csv": frame.write_csv, "parquet": frame.write_parquet, "feather": frame.write_ipc,
                   "jsonl": frame.write_ndjson}  # fmt: skip
        writers[suffix](path)
    assert read_file(path, missing_in=MARKS).cast({"kind": pl.String}).to_dict(as_series=False) == EXPECTED


@pytest.mark.parametrize(("mark", "missing"), [("0", [0, 1, 2]), ("0.0", [0, 1, 2]), ("-9", [3]), ("-9,50", [4]),
                                               ("n. a.", [5]), ("9", [])])  # fmt: skip
def test_a_number_marks_every_way_of_writing_it(mark, missing):
    texts = ["0", "0.0", " 0 ", "-9", "-9.5", "n. a.", "1", "10", "00x", None]
    blanked = blank_marked(pl.DataFrame({"x": texts}), {"x": [mark]})["x"].to_list()
    assert [i for i, text in enumerate(blanked) if text is None] == [*missing, 9]


@pytest.mark.parametrize("dtype", [pl.Int64, pl.UInt8, pl.Float32, pl.Decimal(9, 2)])
def test_a_number_marks_whole_numbers_of_every_type(dtype):
    frame = pl.DataFrame({"age": [0, 30, None]}, schema={"age": dtype})
    assert blank_marked(frame, {"age": ["0", "unknown"]})["age"].to_list() == [None, 30, None]


def test_a_marked_word_leaves_a_column_of_numbers(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("age;size\n30;unknown\nunknown;2,5\n")
    frame = read_file(path, missing_in={"age": "unknown"})
    assert frame["age"].to_list() == [30, None]
    assert frame["size"].to_list() == ["unknown", "2,5"]


def test_marks_as_the_command_line_has_them():
    assert split_marks(["999", "glucose=0", "glucose=-1", "=NA", "a=b=none"]) == (
        ("999", "=NA"), {"glucose": ("0", "-1"), "a=b": ("none",)}
    )  # fmt: skip


def test_a_column_that_does_not_exist_is_named(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("glucose,y\n0,1\n")
    with pytest.raises((DataError, ParameterError), match=r"'glucos'.*did you mean 'glucose'"):
        read_file(path, missing_in={"glucos": "0"})
