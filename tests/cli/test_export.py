"""A model file used elsewhere: exported, applied to new rows, and explained."""

import csv
import io
import json
import sqlite3
import sys

import numpy as np
import polars as pl
import pytest
from pair_models import make_model
from typer.testing import CliRunner

from bayesieve import BoostSelector, ScorecardClassifier, SelectiveNaiveBayes, VoteClassifier, load
from bayesieve.cli.app import app
from bayesieve.export import export_onnx, export_pmml


def people(n_rows=300):
    rng = np.random.default_rng(0)
    bought = rng.random(n_rows) < 0.4
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(n_rows)],
            "noise": rng.normal(size=n_rows),
            "[red]age": np.where(bought, 50, 40) + rng.normal(scale=8, size=n_rows).round(1),
            "town": np.where(bought, rng.choice(["1", "2"], n_rows), rng.choice(["2", "x"], n_rows)),
            "bought": np.where(bought, "yes", "no"),
        }
    )


PEOPLE = people()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("models")
    model = SelectiveNaiveBayes(keep=["[red]age", "town"]).fit(PEOPLE.drop("bought"), PEOPLE["bought"].to_numpy())
    model.save(place / "model.json")
    for name, other in (
        ("scorecard", ScorecardClassifier(keep=["[red]age", "town"], n_pairs=[("[red]age", "town")])),
        ("vote", VoteClassifier(keep=["[red]age", "town"])),
        ("boost", BoostSelector(keep=["[red]age", "town"])),
    ):
        other.fit(PEOPLE.drop("bought"), PEOPLE["bought"].to_numpy()).save(place / f"{name}.json")
    PEOPLE.drop("bought").write_csv(place / "new.csv")
    return place


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "110"})


@pytest.mark.parametrize("name", ["model", "boost", "scorecard"])
def test_sql_is_what_the_library_writes_and_runs(folder, name):
    out = folder / "score.sql"
    result = run("export", folder / f"{name}.json", "--to", "sql", "--table", "people", "--key", "id", "--out", out)
    assert (result.exit_code, result.stdout) == (0, "")
    base = sqlite3.connect(":memory:")
    base.execute('CREATE TABLE people (id, "[red]age", town)')
    base.executemany("INSERT INTO people VALUES (?, ?, ?)", PEOPLE.select("id", "[red]age", "town").rows())
    ids, _, chances, _ = zip(*base.execute(out.read_text()).fetchall(), strict=True)
    base.close()
    assert list(ids) == PEOPLE["id"].to_list()
    expected = load(folder / f"{name}.json").predict_proba(PEOPLE.drop("bought"))[:, 1]
    assert np.abs(np.array(chances) - expected).max() < 1e-9


@pytest.mark.parametrize("name", ["model", "boost"])
def test_scorecard_adds_up_to_the_log_odds(folder, name):
    result = run("export", folder / f"{name}.json", "--to", "scorecard", "--max-bins", "3")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    simple = load(folder / f"{name}.json").simplify(3)
    decision = simple.explain(PEOPLE.drop("bought").head(1), ("yes", "no"))[0]
    points = {(row["column"], row["bin"]): float(row["points"]) for row in rows}
    total = points["", "intercept"] + sum(points[each.column, each.bin] for each in decision.contributions)
    assert total == pytest.approx(decision.log_odds, abs=1e-10)
    assert len(rows) <= 1 + 2 * 3


def test_a_scorecard_is_exported_as_it_is(folder):
    model = load(folder / "scorecard.json")
    rows = list(csv.DictReader(io.StringIO(run("export", folder / "scorecard.json", "--to", "scorecard").stdout)))
    shown = model.scorecard()
    assert [row["bin"] for row in rows] == shown["bin"].to_list()
    assert [float(row["points"]) for row in rows] == pytest.approx(shown["points"].to_list(), abs=1e-11)
    assert max(len(row["points"]) for row in rows[1:]) <= len("-12.34")  # as they are shown everywhere
    assert {name: bins.n_bins for name, bins in model.partitions_.items()} == {
        name: sum(row["column"] == name for row in rows) for name in ("[red]age", "town")
    }
    assert any(row["column"] == "[red]age × town" for row in rows)


def test_json_is_a_model_file_that_loads(folder):
    out = folder / "indented.json"
    result = run("export", folder / "model.json", "--to", "json", "--out", out)
    assert result.exit_code == 0
    assert result.stdout == ""
    assert " ".join(result.stderr.split()) == f"The model was written to {out} as JSON."
    again = load(out).predict_proba(PEOPLE.drop("bought"))
    assert np.array_equal(again, load(folder / "model.json").predict_proba(PEOPLE.drop("bought")))


@pytest.mark.parametrize("name", ["vote", "boost", "scorecard"])
def test_other_models_predict_and_are_explained(folder, name):
    model, rows = load(folder / f"{name}.json"), PEOPLE.drop("bought")
    document = json.loads(run("predict", folder / f"{name}.json", folder / "new.csv", "--json").stdout)
    assert document["columns"]["probability_yes"] == model.predict_proba(rows)[:, 1].tolist()
    assert document["columns"]["predicted"] == model.predict(rows).tolist()
    document = json.loads(run("explain", folder / f"{name}.json", folder / "new.csv", "--row", 4, "--json").stdout)
    explanation = model.explain(rows[3:4])[0]
    shown = run("explain", folder / f"{name}.json", folder / "new.csv", "--row", 4).stdout
    assert "[red]age" in shown
    if name == "vote":
        assert document["probability"] == document["probabilities"]["yes"] == explanation.probability
        assert f"Votes for 'yes': 1 of {len(explanation.votes)} are needed" in shown
        assert f"{explanation.votes[0].probability:.3f}" in shown
    else:
        assert document["log_odds"] == explanation.log_odds
        assert f"{explanation.log_odds:+.3f}" in shown
    indented = json.loads(run("export", folder / f"{name}.json", "--to", "json").stdout)
    assert indented["model"]["estimator"] == type(model).__name__


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_predictions_as_a_file(folder, suffix):
    out = folder / f"scores{suffix}"
    result = run("predict", folder / "model.json", folder / "new.csv", "--key", "id", "--out", out)
    assert (result.exit_code, result.stdout) == (0, "")
    found = pl.read_csv(out) if suffix == ".csv" else pl.read_parquet(out)
    assert found.columns == ["id", "predicted", "probability_no", "probability_yes"]
    expected = load(folder / "model.json").predict_proba(PEOPLE.drop("bought"))
    assert np.array_equal(found.select("probability_no", "probability_yes").to_numpy(), expected)


def test_a_budget_takes_the_most_probable_rows(folder):
    model, out = load(folder / "model.json"), folder / "calls.csv"
    chances = model.predict_proba(PEOPLE.drop("bought"))[:, 1]
    result = run("predict", folder / "model.json", folder / "new.csv", "--key", "id", "--budget", 40, "--out", out)
    assert result.exit_code == 0
    best = np.argsort(-chances, kind="stable")[:40]
    calls = pl.read_csv(out)
    assert calls["id"].to_list() == [f"p{i}" for i in best]
    assert calls["probability_yes"].to_list() == chances[best].tolist()
    words = " ".join(result.stderr.split())
    assert f"About {chances[best].sum():.0f} of them are expected to be of class yes." in words
    assert "the 40 of 300 rows with the highest probability of yes" in words
    printed = run("predict", folder / "model.json", folder / "new.csv", "--budget", 3).stdout
    assert pl.read_csv(io.StringIO(printed))["row"].to_list() == (best[:3] + 1).tolist()
    arguments = ["explain", folder / "model.json", folder / "new.csv", "--budget", 40]
    assert run(*arguments, "--key", "id", "--out", out).exit_code == 0
    reasons = pl.read_csv(out)
    assert reasons["id"].to_list() == calls["id"].to_list()
    assert reasons["row"].to_list() == (best + 1).tolist()
    assert reasons["probability"].to_list() == calls["probability_yes"].to_list()
    assert "--budget is for the table of --out" in run(*arguments).stderr


def test_a_budget_that_ends_among_equal_rows_names_them(folder, tmp_path):
    PEOPLE.drop("bought")[[0] * 9 + [1]].write_csv(tmp_path / "equal.csv")
    n = 3 if load(folder / "model.json").predict_proba(PEOPLE.drop("bought")[:2])[:, 1].argmax() == 0 else 4
    words = run("predict", folder / "model.json", tmp_path / "equal.csv", "--budget", n).stderr.split()
    assert "The last 3 places went to the first of 9 rows with equal values." in " ".join(words)
    assert "same value" not in run("predict", folder / "model.json", tmp_path / "equal.csv", "--budget", 10).stderr


def test_several_files_are_predicted_as_one_table(folder, tmp_path):
    rows = PEOPLE.drop("bought")
    rows[:200].write_csv(tmp_path / "a.csv")
    rows[200:].write_parquet(tmp_path / "b.parquet")
    files = [tmp_path / "a.csv", tmp_path / "b.parquet"]
    result = run("predict", folder / "model.json", *files, "--key", "id", "--out", tmp_path / "p.csv")
    assert result.exit_code == 0, result.output
    found = pl.read_csv(tmp_path / "p.csv")
    assert found.columns == ["file", "id", "predicted", "probability_no", "probability_yes"]
    assert found["file"].to_list() == [str(files[0])] * 200 + [str(files[1])] * 100
    alone = pl.read_csv(io.StringIO(run("predict", folder / "model.json", folder / "new.csv", "--key", "id").stdout))
    assert found.drop("file").equals(alone)
    best = pl.read_csv(io.StringIO(run("predict", folder / "model.json", *files, "--budget", 30).stdout))
    assert best.columns[:2] == ["row", "file"]
    places = [row - 1 + 200 * file.endswith("parquet") for row, file in best.select("row", "file").iter_rows()]
    assert places == np.argsort(-alone["probability_yes"].to_numpy(), kind="stable")[:30].tolist()
    refused = run("predict", folder / "model.json", *files, "--memory", "1GB")
    assert (refused.exit_code, "with --memory, one is read" in refused.stderr) == (2, True)


def test_predictions_for_programs_and_on_the_output_stream(folder):
    document = json.loads(run("predict", folder / "model.json", folder / "new.csv", "--json").stdout)
    assert (document["rows"], document["classes"]) == (300, ["no", "yes"])
    printed = pl.read_csv(io.StringIO(run("predict", folder / "model.json", folder / "new.csv").stdout))
    assert printed["probability_yes"].to_list() == document["columns"]["probability_yes"]


def test_new_rows_are_read_as_in_training(folder):
    """Columns in another order, one that is not needed absent, a text column that now looks like numbers."""
    model = load(folder / "model.json")
    rows = PEOPLE.filter(pl.col("town") != "x").head(5)
    rows.select("town", "[red]age").write_csv(folder / "few.csv")
    document = json.loads(run("predict", folder / "model.json", folder / "few.csv", "--json").stdout)
    expected = model.predict_proba(rows.drop("bought"))[:, 1].tolist()
    assert document["columns"]["probability_yes"] == expected


def test_explanation_is_that_of_the_model(folder):
    document = json.loads(run("explain", folder / "model.json", folder / "new.csv", "--row", 4, "--json").stdout)
    decision = load(folder / "model.json").explain(PEOPLE.drop("bought")[3:4])[0]
    assert (document["log_odds"], document["favored"]) == (decision.log_odds, decision.favored)
    assert [each["column"] for each in document["contributions"]] == [each.column for each in decision.contributions]
    shown = run("explain", folder / "model.json", folder / "new.csv", "--row", 4).stdout
    assert f"{decision.log_odds:+.3f}" in shown
    assert "[red]age" in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("predict", "{}/absent.json", "{}/new.csv"), "cannot be read"),
        (("predict", "{}/new.csv", "{}/new.csv"), "not a bayesieve model"),
        (("predict", "{}/model.json", "{}/absent.csv"), "does not exist"),
        (("predict", "{}/model.json", "{}/other.csv"), "has no column '[red]age', which the model needs"),
        (("predict", "{}/model.json", "{}/new.csv", "--out", "{}/scores.xls"), ".csv, .xlsx, .parquet or .pq"),
        (("predict", "{}/model.json", "{}/new.csv", "--out", "{}/no/scores.csv"), "does not exist"),
        (("predict", "{}/model.json", "{}/new.csv", "--key", "nothing"), "'nothing'"),
        (("explain", "{}/model.json", "{}/new.csv", "--row", "301"), "--row is 301"),
        (("export", "{}/model.json", "--to", "sql", "--out", "{}"), "it is a folder"),
        (("export", "{}/vote.json", "--to", "sql"), "A VoteClassifier cannot be exported as SQL"),
        (("export", "{}/vote.json", "--to", "scorecard", "--max-bins", "3"), "cannot be exported as a scorecard"),
        (("export", "{}/model.json", "--to", "json", "--out", "{}/model.json"), "an input file"),
        (("predict", "{}/model.json", "{}/new.csv", "--out", "{}/new.csv"), "an input file"),
    ],
)
def test_bad_input_is_one_sentence(folder, arguments, words):
    (folder / "other.csv").write_text("town,weight\nx,1\n")
    result = run(*(each.format(folder) for each in arguments))
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_a_model_with_pairs_is_explained_predicted_and_exported(tmp_path):
    X, _, _, model = make_model()
    model.save(tmp_path / "model.json")
    pl.from_pandas(X).write_csv(tmp_path / "new.csv")
    result = run("explain", tmp_path / "model.json", tmp_path / "new.csv", "--row", 2)
    assert result.exit_code == 0
    assert "age × region" in result.stdout
    result = run("explain", tmp_path / "model.json", tmp_path / "new.csv", "--row", 2, "--json")
    terms = {each["column"]: each for each in json.loads(result.stdout)["contributions"]}
    assert terms["age × region"]["columns"] == ["age", "region"]
    assert terms["age × region"]["value"] == [X["age"][1], X["region"][1]]
    result = run("export", tmp_path / "model.json", "--to", "json")
    assert json.loads(result.stdout)["model"]["pairs"][0]["columns"] == ["age", "region"]
    pl.from_pandas(X.drop(columns="income")).write_csv(tmp_path / "short.csv")
    result = run("predict", tmp_path / "model.json", tmp_path / "short.csv")
    assert result.exit_code == 2
    assert "has no column 'income', which the model needs" in " ".join(result.stderr.split())


def test_onnx_dialects_and_scaled_points(folder):
    out = folder / "model.onnx"
    assert run("export", folder / "scorecard.json", "--to", "onnx", "--out", out).exit_code == 0
    assert out.read_bytes() == export_onnx(load(folder / "scorecard.json"))
    refused = run("export", folder / "scorecard.json", "--to", "onnx")
    assert refused.exit_code != 0
    assert "--out model.onnx" in refused.output
    document = run("export", folder / "scorecard.json", "--to", "pmml").stdout
    assert document.encode() == export_pmml(load(folder / "scorecard.json"))
    query = run("export", folder / "model.json", "--to", "sql", "--dialect", "bigquery").stdout
    assert "FROM `data`" in query
    assert "EXP(" in query
    assert "EXP(" not in run("export", folder / "model.json", "--to", "sql", "--no-exp").stdout
    scale = ("--base-score", 600, "--base-odds", 50, "--points-to-double", 20)
    text = run("export", folder / "scorecard.json", "--to", "scorecard", *scale).stdout
    card = load(folder / "scorecard.json").scorecard(base_score=600, base_odds=50, points_to_double=20)
    assert [int(row["scaled points"]) for row in csv.DictReader(io.StringIO(text))] == list(card["scaled points"])
    assert {row["high scores mean"] for row in csv.DictReader(io.StringIO(text))} == {"no"}
    for option in (["--adverse", "no"], ["--spread-intercept"], ["--base-odds", 50], ["--points-to-double", 40]):
        refused = run("export", folder / "scorecard.json", "--to", "scorecard", *option)
        assert refused.exit_code == 2
        assert f"{option[0]} is for whole points; give --base-score, too." in refused.stderr
    other = ("--adverse", "no", "--spread-intercept")
    text = run("export", folder / "scorecard.json", "--to", "scorecard", *scale, *other).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["high scores mean"] for row in rows} == {"yes"}
    assert sum(row["bin"] == "unseen" for row in rows) == 3
    refused = run("export", folder / "scorecard.json", "--to", "scorecard", *scale, "--adverse", "nein")
    assert "--adverse is 'nein'; the classes are no, yes." in refused.stderr


def test_options_of_other_formats_are_refused(folder):
    for to, options, reason in (
        ("card", ["--base-score", 600, "--base-odds", 50], "--base-score cannot be used with --to card"),
        ("sql", ["--spread-intercept"], "--spread-intercept cannot be used with --to sql: it is for --to scorecard."),
        ("scorecard", ["--key", "id"], "--key cannot be used with --to scorecard: it is for --to sql."),
    ):
        refused = run("export", folder / "scorecard.json", "--to", to, *options)
        assert refused.exit_code == 2
        assert reason in refused.stderr


def test_reasons_of_predictions(folder, tmp_path):
    model = load(folder / "scorecard.json")
    new = PEOPLE.drop("bought")
    for options, parameters in (
        ([], {}),
        (["--adverse", "no", "--reference", "best"], {"adverse": "no", "reference": "best"}),
    ):
        expected = model.reason_codes(new, 2, **parameters)
        result = run("predict", folder / "scorecard.json", folder / "new.csv", "--reasons", 2, *options)
        assert result.exit_code == 0, result.output
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        assert [row["adverse"] for row in rows] == expected["adverse"].to_list()
        for k in (1, 2):
            assert [row[f"reason_{k}"] or None for row in rows] == expected[f"reason {k}"].to_list()
    for name, options, message in (
        ("scorecard", ["--adverse", "no"], "--adverse is for --reasons"),
        ("scorecard", ["--reference", "best"], "--reference is for --reasons"),
        ("scorecard", ["--reasons", 2, "--adverse", "x"], "--adverse is 'x'; the classes are no, yes."),
        ("vote", ["--reasons", 2], "--reasons needs points that add up; this VoteClassifier has votes."),
    ):
        refused = run("predict", folder / f"{name}.json", folder / "new.csv", *options)
        assert refused.exit_code == 2
        assert message in " ".join(refused.stderr.split())


def test_an_absent_package_is_one_sentence(tmp_path, monkeypatch):
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    table.write_text("a,y\n" + "".join(f"{i},{int(i > 20)}\n" for i in range(40)))
    runner = CliRunner()
    assert (
        runner.invoke(
            app,
            ["fit", str(table), "--target", "y", "--method", "nb", "--cv", "2", "--no-compare", "--model", str(model)],
        ).exit_code
        == 0
    )
    monkeypatch.setitem(sys.modules, "onnx", None)
    done = runner.invoke(app, ["export", str(model), "--to", "onnx", "--out", str(tmp_path / "m.onnx")])
    assert done.exit_code == 2
    assert done.stderr == "Error: Export to ONNX needs onnx, which is missing: pip install 'bayesieve[onnx]'.\n"
