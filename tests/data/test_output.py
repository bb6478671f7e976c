"""Files are written whole or not at all, and profiles describe columns at first sight."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from formula_cases import FORMULAS, PLAIN

from bayesieve.data import check_writable, column_kinds, profile_columns, table_bytes, write_atomically, write_table
from bayesieve.data.files import output
from bayesieve.exceptions import ModelFileError, OutputError


def test_a_file_is_replaced_at_once(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.name != "posix", reason="there is no signal 0")
def test_what_a_killed_process_left_is_removed(tmp_path):
    path = tmp_path / "file"
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    own = output.temporary_path(path)
    left = own.with_name(own.name.replace(f"-{os.getpid()}-", f"-{ended.pid}-"))
    foreign = own.with_name(f"file.ffffffff-{ended.pid}-01234567.new")
    for each in (own, left, foreign):
        each.touch()
    write_atomically(path, b"one")
    assert {each.name for each in tmp_path.iterdir()} == {"file", own.name, foreign.name}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_what_cannot_be_written_leaves_what_was_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(output, "temporary_path", lambda place: place.with_name("file.new"))
    (tmp_path / "file.new").symlink_to("/dev/full")
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


def test_threads_that_write_one_file(tmp_path):
    contents = [bytes([65 + i]) * 10_000 for i in range(4)]
    with ThreadPoolExecutor(4) as pool:
        writes = [pool.submit(write_atomically, tmp_path / "f", contents[i % 4]) for i in range(80)]
    assert [write.result() for write in writes] == [None] * 80
    assert (tmp_path / "f").read_bytes() in contents
    assert os.listdir(tmp_path) == ["f"]


def test_messages_name_the_file_that_was_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "touch", lambda path: (_ for _ in ()).throw(OSError(30, "Read-only file system")))
    with pytest.raises(OutputError, match=r"^The file '.*/m\.json' cannot be written: Read-only file system\.$"):
        check_writable(tmp_path / "m.json")


def test_text_that_a_spreadsheet_would_compute(tmp_path):
    columns = {"=key": ["=1+1", "+cmd", "@x", "-2+3", "-2.5", "plain"], "n": [-1, 0, 1, 2, 3, 4]}
    lines = table_bytes(columns).decode().splitlines()
    assert lines == ["'=key,n", "'=1+1,-1", "'+cmd,0", "'@x,1", "'-2+3,2", "-2.5,3", "plain,4"]
    write_table(columns, tmp_path / "t.parquet")
    assert pl.read_parquet(tmp_path / "t.parquet")["=key"].to_list() == columns["=key"]


def test_tables_are_csv_or_parquet(tmp_path):
    columns = {"a": [1, None], "b": ["x,y", '"']}
    write_table(columns, tmp_path / "t.csv")
    write_table(columns, tmp_path / "t.parquet")
    assert pl.read_csv(tmp_path / "t.csv").equals(pl.read_parquet(tmp_path / "t.parquet"))
    with pytest.raises(OutputError, match=r"written to .csv, .xlsx, .parquet or .pq, got '.xls'"):
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


def test_formulas_are_guarded_in_files():
    assert [output.inert_text(text) for text in (*FORMULAS, *PLAIN)] == [*(f"'{text}" for text in FORMULAS), *PLAIN]
