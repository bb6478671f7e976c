"""A paper's table from the command line: whole, interrupted, resumed and refused."""

import json

import pytest
from experiments.small_problem import make_small
from typer.testing import CliRunner

from bayesieve.cli.app import app
from bayesieve.experiments.paper_004 import experiment as table, replicate
from bayesieve.experiments.paper_004.paper_methods import METHODS


@pytest.fixture(autouse=True)
def small_problems(monkeypatch):
    monkeypatch.setattr(replicate, "make_problem", lambda seed, n_series, n_threads: make_small(seed))


def run(out, *arguments):
    # One process: others would not know of the small problems.
    return CliRunner().invoke(app, ["reproduce", "004", "--n-jobs", "1", "--out", str(out), *map(str, arguments)])


def test_writes_a_table_a_picture_and_a_line_a_seed(tmp_path):
    result = run(tmp_path / "new", "--seeds", 2, "--json")
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert summary["seeds"] == [1, 2]
    assert summary["complete"]
    assert [row["key"] for row in summary["rows"]] == [method.key for method in METHODS]
    files = ["paths.svg", "result.json", "seeds.jsonl", "table.md"]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == files
    assert len((tmp_path / "new" / "seeds.jsonl").read_text().splitlines()) == 2
    assert "| backward-forward, probability | 122, 0.1168 |" in (tmp_path / "new" / "table.md").read_text()


def test_prints_the_table(tmp_path):
    result = run(tmp_path, "--seeds", 1)
    assert result.exit_code == 0, result.output
    assert "MI filter" in result.stdout
    assert "The paper's conclusions" in result.stdout


def test_an_interrupted_run_keeps_what_it_has_and_goes_on(tmp_path, monkeypatch):
    whole = json.loads(run(tmp_path / "whole", "--seeds", 3, "--json").stdout)
    real, asked = table.run_seed, []

    def interrupted(seed, **options):
        asked.append(seed)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return real(seed, **options)

    monkeypatch.setattr(table, "run_seed", interrupted)
    result = run(tmp_path / "part", "--seeds", 3, "--json")
    assert result.exit_code == 130
    assert json.loads(result.stdout)["seeds"] == [1, 2]
    assert not json.loads(result.stdout)["complete"]
    assert "2 of 3 seeds were finished" in result.stderr
    resumed = json.loads(run(tmp_path / "part", "--seeds", 3, "--json").stdout)
    assert asked == [1, 2, 3, 3]
    assert resumed["rows"] == whole["rows"]
    assert resumed["verdicts"] == whole["verdicts"]


def test_refusals(tmp_path):
    run(tmp_path, "--seeds", 1)
    result = run(tmp_path, "--seeds", 1, "--series", 600)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")
    assert "choose another folder" in result.stderr
    assert CliRunner().invoke(app, ["reproduce", "005"]).exit_code == 2
