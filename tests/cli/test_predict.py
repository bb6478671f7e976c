"""Predictions of a Parquet file in blocks are those of the file read whole, to the last digit."""

import json
import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from bayesieve import SelectiveNaiveBayes
from bayesieve.cli.app import app


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("predict")
    rng = np.random.default_rng(0)
    target = rng.integers(0, 2, 600)
    town = np.where((rng.random(600) < 0.7) == target, "a", "b")
    table = pl.DataFrame({"x": target + rng.normal(size=600), "town": town, "unused": target * 0.0})
    SelectiveNaiveBayes().fit(table, target).save(path / "m.json")
    rows = table.drop("unused").with_columns(id=np.arange(600), town=pl.lit("c"))
    rows.write_parquet(path / "new.parquet")
    return path


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr("bayesieve.data.blocks.parquet_frame._MIN_ROWS", 128)
    monkeypatch.setattr("bayesieve.data.blocks.parquet_frame._MAX_ROWS", 128)


def run(folder, *options):
    arguments = ["predict", folder / "m.json", folder / "new.parquet", *options]
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_printed_and_written_as_without_blocks(folder, tmp_path):
    whole, blocks = (run(folder, "--key", "id", "--reasons", 1, *memory) for memory in ([], ["--memory", "20MB"]))
    assert (blocks.exit_code, blocks.stdout) == (0, whole.stdout)
    assert blocks.stdout.count("\n") == 601
    assert "Values that training did not have in 'town'" in whole.stderr  # of the town
    assert "they add nothing to the score, so that predictions can be far off." in whole.stderr
    assert blocks.stderr == whole.stderr  # and not of each block
    summary = run(folder, "--key", "id", "--reasons", 1, "--memory", "20MB", "--out", tmp_path / "s.csv", "--json")
    assert json.loads(summary.stdout) == {"rows": 600, "classes": ["0", "1"], "file": str(tmp_path / "s.csv")}
    assert (tmp_path / "s.csv").read_text() == whole.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--out", "{}/s.parquet"], "--out must be a .csv file"),
        (["--json"], "needs --out"),
        (["--na", "none"], "--na cannot be used with --memory: the Parquet file determines"),
        (["--key", "idd", "--out", "{}/s.csv"], "'idd'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(folder, tmp_path, options, words):
    result = run(folder, "--memory", "20MB", *(each.format(tmp_path) for each in options))
    assert result.exit_code == 2
    assert words in result.stderr.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_columns_must_be_there_and_of_their_type(folder, tmp_path):
    (tmp_path / "m.json").write_text((folder / "m.json").read_text())
    for table, words in (
        ({"x": [1.0], "id": [1]}, "no column 'town'"),
        ({"x": ["1"], "town": ["a"]}, "was numeric in training"),
    ):
        pl.DataFrame(table).write_parquet(tmp_path / "new.parquet")
        result = run(tmp_path, "--memory", "20MB")
        assert result.exit_code == 2
        assert words in result.stderr


@pytest.mark.parametrize("options", [[], ["--json"], ["--memory", "20MB"]])
def test_a_reader_who_has_seen_enough_ends_it_quietly(folder, options):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "bayesieve", "predict", str(folder / "m.json"), str(folder / "new.parquet")]
    done = subprocess.run([*command, *options], stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if not line.startswith("Warning: ")] == []
