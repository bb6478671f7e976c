"""Edits on the command line: what is printed, written and refused, and fits that replay them."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from bayesieve import Edits, load
from bayesieve.cli.app import app

SETTINGS = ("--no-compare", "--pairs", 0, "--positive", "yes")


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("edit")
    rng = np.random.default_rng(0)
    n = 900
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "income": rng.normal(50, 15, n).round(1),
            "region": rng.choice(["north", "south", "east"], n),
        }
    )
    X["copy"] = X["income"] + rng.normal(0, 10, n).round(1)
    X.loc[::9, "income"] = np.nan
    z = 0.05 * (X["age"] - 50) + 0.05 * X["income"].fillna(40) - 2.4 + (X["region"] == "south")
    X["ill"] = np.where(rng.random(n) < 1 / (1 + np.exp(-z)), "yes", "no")
    X.to_csv(path / "rows.csv", index=False)
    made = run("fit", path / "rows.csv", "--target", "ill", "--model", path / "m.json", *SETTINGS)
    assert made.exit_code == 0, made.output
    return path


def test_bins_are_printed_with_their_numbers(folder):
    printed = run("edit", folder / "m.json", "--json")
    columns = {each["column"]: each["bins"] for each in json.loads(printed.stdout)["columns"]}
    model = load(folder / "m.json")
    assert set(columns) == set(model.scorecard_.names)
    for name, bins in columns.items():
        table = model.scorecard_[name]
        assert [each["rows"] for each in bins] == table.bin_mass.tolist()
        assert [each["points"]["yes"] for each in bins] == pytest.approx(table.contributions(1).tolist(), abs=1e-6)
    assert "points of yes" in run("edit", folder / "m.json").stdout


def test_edits_are_made_saved_replayed_and_taken_back(folder, tmp_path):
    options = ["--merge", "age:0,1", "--points", "age:2=0.25", "--missing", "income:neutral", "--why", "policy"]
    out, saved = tmp_path / "e.json", tmp_path / "edits.json"
    made = run("edit", folder / "m.json", folder / "rows.csv", *options, "--out", out, "--save-edits", saved)
    assert made.exit_code == 0, made.output
    assert "other decisions" in made.stdout
    edited, edits = load(out), Edits.load(saved)
    assert [each.kind for each in edits] == ["missing", "merge", "points"]
    assert {each.why for each in edits} == {"policy"}
    assert edited.scorecard_["age"].contributions(1)[2] == pytest.approx(0.25, abs=1e-11)
    original = load(folder / "m.json")
    record, before = edited.training_record_, original.training_record_
    assert record.scores == before.scores
    assert record.groups[1].n_rows.sum() == before.groups[1].n_rows.sum()
    assert record.groups[1].mean != before.groups[1].mean

    again, report = tmp_path / "again.json", tmp_path / "report.html"
    fit = ["fit", folder / "rows.csv", "--target", "ill", *SETTINGS, "--edits", saved]
    replayed = run(*fit, "--model", again, "--report", report)
    assert replayed.exit_code == 0, replayed.output
    for first, second in zip(edited.scorecard_.tables, load(again).scorecard_.tables, strict=True):
        assert first.name == second.name
        assert np.array_equal(first.table, second.table)
    assert "Corrected by hand" in report.read_text()
    written = json.loads((tmp_path / "report.report.json").read_text())["edits"]
    assert [each["why"] for each in written["edits"]] == ["policy"] * 3
    assert written["log_loss_with"] == pytest.approx(edited.changes_[-1].log_loss, abs=1e-6)
    assert not written["in_scores"]

    undone = run("edit", out, "--undo", 3, "--out", tmp_path / "undone.json")
    assert "no edits left" in undone.stdout
    frame = pd.read_csv(folder / "rows.csv")[["age", "income", "region", "copy"]]
    assert np.array_equal(load(tmp_path / "undone.json").predict_proba(frame), original.predict_proba(frame))
    assert "Changed by 3 edits by hand" in run("show", out).stdout
    card = run("export", out, "--to", "card").stdout
    assert "## Edits by hand" in card
    assert "policy" in card
    assert "Edits by hand" not in run("export", folder / "m.json", "--to", "card").stdout


def test_each_option_makes_its_edit(folder, tmp_path):
    saved = tmp_path / "edits.json"
    options = [
        "--replace",
        "income=copy",
        "--monotone",
        "age:increasing",
        "--split",
        "age:44.37",
        "--special",
        "age:33",
    ]
    made = run("edit", folder / "m.json", folder / "rows.csv", *options, "--save-edits", saved, "--json")
    assert made.exit_code == 0, made.output
    changes = json.loads(made.stdout)
    assert [(each.kind, each.columns, dict(each.values)) for each in Edits.load(saved)] == [
        ("drop", ("income",), {"instead": "copy"}),
        ("monotone", ("age",), {"direction": "increasing"}),
        ("special", ("age",), {"value": 33.0}),
        ("split", ("age",), {"at": 44.37}),
    ]
    assert all(each["error"] >= 0 for each in changes)


def test_points_alone_and_alternatives(folder, tmp_path):
    out = tmp_path / "points.json"
    made = run("edit", folder / "m.json", "--points", "age:0=-1", "--no-refit", "--out", out)
    assert made.exit_code == 0, made.output
    assert "what that costs is not known" in made.stdout
    assert load(out).scorecard_["age"].contributions(1)[0] == -1
    assert not load(out).is_refitted_
    found = json.loads(run("edit", folder / "m.json", folder / "rows.csv", "--alternatives", "income", "--json").stdout)
    assert [each["instead"] for each in found][:1] == ["copy"]
    assert found[0]["log_loss"] < found[-1]["log_loss"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--merge", "age"], "--merge must be as age:2,3, got 'age'."),
        (["--points", "age:0=x"], "--points needs a number of points, got 'x'."),
        (["--points", "age:0=1"], "Give the rows that the model was fitted to, too, or --no-refit."),
        (["--no-refit", "--keep", "copy"], "it needs a refit"),
        (["--undo", "1"], "--undo 1: the model has 0 edits."),
        (["--alternatives", "age"], "--alternatives needs the rows"),
        (["--edits", "nope.json"], "cannot be read"),
    ],
)
def test_what_is_refused_is_one_sentence(folder, options, words):
    found = run("edit", folder / "m.json", *options)
    assert found.exit_code == 2
    assert words in found.stderr
    assert found.stderr.count("\n") == 1


def test_models_that_cannot_be_edited(folder, tmp_path):
    fit = ["fit", folder / "rows.csv", "--target", "ill", "--no-compare", "--method", "nb", "--cv", 2]
    assert run(*fit, "--model", tmp_path / "nb.json").exit_code == 0
    found = run("edit", tmp_path / "nb.json")
    assert "edit is for a ScorecardClassifier; this file holds a SelectiveNaiveBayes." in found.stderr


def test_fits_that_cannot_be_edited(folder, tmp_path):
    Edits().keep("copy").save(tmp_path / "edits.json")
    fit = ["fit", folder / "rows.csv", "--target", "ill", "--edits", tmp_path / "edits.json"]
    assert "--edits is for --method scorecard" in run(*fit, "--method", "nb").stderr
    assert "edits need the rows in memory" in run(*fit, "--memory", "1GB").stderr
    profit = ["--goal", "profit", "--cost", "1", "--amount", "age"]
    assert "such a model cannot be edited yet" in run(*fit, *profit).stderr
