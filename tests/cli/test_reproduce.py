"""A paper's table from the command line: whole, interrupted, resumed and refused."""

import json

import pytest
from papers.small_problem import make_small
from typer.testing import CliRunner

from bayesieve.cli.app import app
from bayesieve.papers import papers
from bayesieve.papers.bibliography import PAPERS
from bayesieve.papers.experiment import Experiment
from bayesieve.papers.paper_004 import experiment as table, replicate
from bayesieve.papers.paper_004.paper_methods import METHODS
from bayesieve.papers.papers import PaperExperiment


@pytest.fixture(autouse=True)
def small_problems(monkeypatch):
    monkeypatch.setattr(replicate, "make_problem", lambda seed, n_series, n_threads: make_small(seed))


def run(out, *arguments):
    # One process: others would not know of the small problems.
    return CliRunner().invoke(app, ["reproduce", "004", "--n-jobs", "1", "--out", str(out), *map(str, arguments)])


def test_writes_a_table_a_picture_and_a_line_per_job(tmp_path):
    result = run(tmp_path / "new", "--seeds", 2, "--json")
    assert result.exit_code == 0, result.output
    assert f"The table, pictures and result.json were written to {tmp_path / 'new'}." in result.stderr
    summary = json.loads(result.stdout)
    assert summary["seeds"] == [1, 2]
    assert summary["complete"]
    assert [row["key"] for row in summary["rows"]] == [method.key for method in METHODS]
    files = ["jobs.jsonl", "paths.svg", "result.json", "table.md"]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == files
    jobs = [json.loads(line)["job"] for line in (tmp_path / "new" / "jobs.jsonl").read_text().splitlines()]
    assert jobs == [[kind, seed] for kind in replicate.JOBS for seed in (1, 2)]
    assert "| backward-forward, probability | 122, 0.1168 |" in (tmp_path / "new" / "table.md").read_text()


def test_prints_the_table(tmp_path):
    result = run(tmp_path, "--seeds", 1)
    assert result.exit_code == 0, result.output
    assert "MI filter" in result.stdout
    assert "The paper's conclusions" in result.stdout


def test_an_interrupted_run_keeps_what_it_has_and_goes_on(tmp_path, monkeypatch):
    whole = json.loads(run(tmp_path / "whole", "--seeds", 3, "--json").stdout)
    real, asked = table.run_job, []

    def interrupted(name, **options):
        asked.append(name)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return real(name, **options)

    monkeypatch.setattr(table, "run_job", interrupted)
    result = run(tmp_path / "part", "--seeds", 3, "--json")
    assert result.exit_code == 130
    assert json.loads(result.stdout)["seeds"] == [1, 2]
    assert not json.loads(result.stdout)["complete"]
    assert "2 of 12 jobs were finished" in result.stderr
    resumed = json.loads(run(tmp_path / "part", "--seeds", 3, "--json").stdout)
    assert asked[:4] == [("table", 1), ("table", 2), ("table", 3), ("table", 3)]
    assert len(asked) == 13
    assert resumed["rows"] == whole["rows"]
    for claims in ("claims", "guided_claims", "other_claims"):
        assert resumed[claims] == whole[claims]


def test_refusals(tmp_path):
    run(tmp_path, "--seeds", 1)
    result = run(tmp_path, "--seeds", 1, "--series", 600)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")
    assert "choose another folder" in result.stderr
    assert CliRunner().invoke(app, ["reproduce", "005"]).exit_code == 2


def fake_paper(number, jobs, note):
    def run(name, n_threads, on_step=lambda: None):
        return {"job": name, "paper": number}

    experiment = Experiment(
        journal_name="jobs.jsonl", noun="jobs", jobs=jobs, run=run, n_steps=1, most_processes=1,
        name=lambda record: record["job"], fits=lambda record: record["paper"] == number,
        summarize=lambda records: {"n": len(records)}, notes=(note,),
    )  # fmt: skip
    shown = {"markdown": lambda summary: f"table of {number}: {summary['n']}", "pictures": lambda summary: {}}
    return PaperExperiment(lambda **options: experiment, options=("seeds",), quick={}, **shown)


def test_all_papers_are_run_and_those_without_data_are_passed_over(tmp_path, monkeypatch):
    fakes = {number: fake_paper(number, range(3), f"{number} was skipped in part.") for number in PAPERS}
    fakes["002"] = fake_paper("002", [], "The data set madelon is passed over: it is not here.")
    monkeypatch.setattr(papers, "EXPERIMENTS", fakes)
    result = CliRunner().invoke(app, ["reproduce", "all", "--quick", "--out", str(tmp_path), "--n-jobs", "1"])
    assert result.exit_code == 0, result.output
    folders = [f"paper_{number}_quick" for number in PAPERS if number != "002"]
    assert sorted(path.name for path in tmp_path.iterdir()) == folders
    saved = json.loads((tmp_path / "paper_003_quick" / "result.json").read_text())
    assert (saved["command"], saved["complete"]) == ("bayesieve reproduce 003 --quick", True)
    assert "table of 004: 3" in result.stdout
    assert "madelon is passed over" in result.stderr
