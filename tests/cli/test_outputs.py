"""Outputs that lack characters, or that are closed, do not stop a command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayesieve


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a table of names and values beyond Latin letters, and a model of it."""
    place = tmp_path_factory.mktemp("outputs")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    towns = np.where(rng.random(200) < 0.8, np.where(y, "東京", "Åbo"), "x")
    pd.DataFrame({"日本": (y + rng.normal(size=200)).round(2), "town": towns, "y": np.where(y, "はい", "no")}).to_csv(
        place / "t.csv", index=False
    )
    done = run(place, "utf-8", "fit", "t.csv", "--target", "y", "--model", "m.json", "--cv", "2")
    assert done.returncode == 0, done.stderr
    return place


def run(folder, encoding, *arguments, tail=""):
    program = f"exec '{sys.executable}' -m bayesieve \"$@\" {tail}"
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONPATH": str(Path(bayesieve.__file__).parents[1])}
    return subprocess.run(
        ["sh", "-c", program, "sh", *arguments], cwd=folder, env=environment, capture_output=True, check=False
    )


@pytest.mark.parametrize(
    ("encoding", "command"),
    [
        ("cp1252", ["fit", "t.csv", "--target", "y", "--model", "again.json", "--cv", "2"]),
        ("ascii", ["explain", "m.json", "t.csv", "--row", "1"]),
    ],
)
def test_characters_that_an_output_lacks_are_replaced(folder, encoding, command):
    done = run(folder, encoding, *command)
    assert done.returncode == 0, done.stderr[-500:]
    assert b"?" in done.stdout + done.stderr
    assert b"Traceback" not in done.stderr


def test_data_are_utf8_for_every_reader(folder):
    texts = [run(folder, name, "export", "m.json", "--to", "sql").stdout for name in ("cp1252", "utf-8")]
    assert "東京" in texts[0].decode()
    assert texts[0] == texts[1]
    rows = run(folder, "ascii", "predict", "m.json", "t.csv", "--out", "p.csv", "--json")
    assert rows.returncode == 0
    json.loads(rows.stdout.decode())


@pytest.mark.parametrize(("command", "tail"), [("predict", ">&-"), ("show", ">&- 2>&-")])
def test_closed_outputs_are_no_failure(folder, command, tail):
    done = run(folder, "utf-8", command, "m.json", *(["t.csv"] if command == "predict" else []), tail=tail)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"Traceback" not in done.stderr
