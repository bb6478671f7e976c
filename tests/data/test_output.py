"""Files are written whole or not at all, and profiles say what columns are at first sight."""

import os
from datetime import date

import pandas as pd
import polars as pl
import pytest

from bayesieve.data import check_writable, column_kinds, profile_columns, write_atomically, write_table
from bayesieve.exceptions import ModelFileError, OutputError


def test_a_file_is_replaced_at_once(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_what_cannot_be_written_leaves_what_was_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "file"
    path.write_bytes(b"old")
    (tmp_path / f"file.{os.getpid()}.new").symlink_to("/dev/full")
    with pytest.raises(ModelFileError, match="The model 'file' cannot be written: No space left"):
        write_atomically("file", b"new", "The model", ModelFileError)
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_places_are_checked_before_the_work(tmp_path):
    check_writable(tmp_path / "new")
    assert not list(tmp_path.iterdir())
    with pytest.raises(OutputError, match="it is a folder"):
        check_writable(tmp_path)
    with pytest.raises(OutputError, match="does not exist"):
        check_writable(tmp_path / "none" / "file")


def test_tables_are_csv_or_parquet(tmp_path):
    columns = {"a": [1, None], "b": ["x,y", '"']}
    write_table(columns, tmp_path / "t.csv")
    write_table(columns, tmp_path / "t.parquet")
    assert pl.read_csv(tmp_path / "t.csv").equals(pl.read_parquet(tmp_path / "t.parquet"))
    with pytest.raises(OutputError, match=r"written to .csv, .parquet or .pq, got '.xls'"):
        write_table(columns, tmp_path / "t.xls")


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame])
def test_profiles(library):
    n = 40
    table = library(
        {
            "id": list(range(n)),
            "name": [f"n{i}" for i in range(n)],
            "few": [i % 3 for i in range(n)],
            "real": [None, float("nan"), *(i / 7 for i in range(n - 2))],
            "flag": [i % 2 == 0 for i in range(n)],
            "day": pd.to_datetime([date(2020, 1, 1 + i % 5) for i in range(n)]),
        }
    )
    found = {
        each.name: (each.kind, each.n_missing, each.n_distinct, each.is_identifier) for each in profile_columns(table)
    }
    assert found == {
        "id": ("integer", 0, n, True),
        "name": ("category", 0, n, True),
        "few": ("integer", 0, 3, False),
        "real": ("number", 2, n - 2, False),
        "flag": ("category", 0, 2, False),
        "day": ("time", 0, 5, False),
    }
    assert column_kinds(table) == [kind for kind, *_ in found.values()]
