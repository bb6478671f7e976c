"""``bayesieve show`` and ``bayesieve drift``: a model file, and new rows compared with it."""

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from bayesieve import Report, drift, load
from bayesieve.cli.app import app


def people(n_rows, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    sick = rng.random(n_rows) < 0.4
    return pl.DataFrame(
        {
            "[red]": (np.where(sick, 3.0, 1.5) + rng.normal(size=n_rows) + shift).round(2),
            "town": np.where(sick, rng.choice(["a", "b"], n_rows), rng.choice(["b", "c"], n_rows)),
            "sick": np.where(sick, 1, 0),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("watch")
    people(600, 0).write_csv(folder / "old.csv")
    people(300, 1, 2.0).write_csv(folder / "new.csv")
    run("fit", folder / "old.csv", "--target", "sick", "--goal", "recall", "--cv", 3, "--model", folder / "m.json")
    return folder


def run(*arguments, code=0):
    result = CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "140"})
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


def test_show_tells_data_scores_threshold_and_columns(folder):
    text = run("show", folder / "m.json")
    for words in ("ScorecardClassifier, trained 20", "on old.csv", "600 training rows", "Positive class: 1", "[red]"):
        assert words in text
    document = json.loads(run("show", folder / "m.json", "--json"))
    assert document["target"] == "sick"
    assert 0 < document["threshold"] < 0.5
    assert document["threshold_rule"] == "recall 0.9"
    assert {term["name"] for term in document["terms"]} >= {"[red]", "town"}
    model = load(folder / "m.json")
    assert document["scores"]["log_loss"] == list(model.training_record_.scores["log_loss"])
    # The threshold is the one of predict.
    X = people(300, 1).drop("sick")
    decided = model.predict_proba(X)[:, 1] > document["threshold"]
    assert np.array_equal(decided, model.predict(X) == 1)


def test_drift_has_no_empty_columns(folder, tmp_path):
    people(300, 1).drop("sick").write_csv(tmp_path / "unlabeled.csv")
    page = tmp_path / "drift.html"
    text = " ".join(run("drift", folder / "m.json", tmp_path / "unlabeled.csv", "--report", page).split())
    labeled = " ".join(run("drift", folder / "m.json", folder / "new.csv", "--target", "sick").split())
    assert "2 columns of the model, 300 new rows" in text
    for words, where in (("observed now", text), ("Unseen in ", text), ("observed now", page.read_text())):
        assert words not in where
    assert "observed now" in labeled


def test_columns_of_missing_values_are_shown_where_there_are_any(folder, tmp_path):
    new = people(300, 1).with_columns(town=pl.lit("unheard of"))
    new.write_csv(tmp_path / "a.csv")
    new.with_columns(pl.when(pl.int_range(300) % 3 > 0).then(pl.col("town")).alias("town")).write_csv(
        tmp_path / "b.csv"
    )
    whole, gaps = (run("drift", folder / "m.json", tmp_path / f"{name}.csv") for name in "ab")
    assert "missing" not in whole.split("Predicted probability")[0]
    page = tmp_path / "d.html"
    run("drift", folder / "m.json", tmp_path / "a.csv", "--report", page)
    assert "missing now" not in page.read_text()
    assert "<h1>Drift in 1 of the 2 columns" in page.read_text()
    assert "<span class='more'>Unseen categories: " in page.read_text()
    assert "missing now" in gaps
    assert "33.3%" in gaps


def test_a_model_without_columns_is_shown_as_one(tmp_path):
    people(300, 0).with_columns(pl.Series("[red]", np.arange(300) % 7)).drop("town").write_csv(tmp_path / "a.csv")
    run("fit", tmp_path / "a.csv", "--target", "sick", "--time-limit", 0, "--model", tmp_path / "m.json", "--cv", 2)
    text = run("show", tmp_path / "m.json")
    assert "The model reads no column: it predicts the class frequencies." in text
    assert "Columns that the model reads" not in text


def test_profit_is_evaluated_with_the_costs_of_the_training(folder, tmp_path):
    model, data = tmp_path / "profit.json", people(300, 1)
    data.with_columns(id=pl.int_range(300)).write_csv(tmp_path / "test.csv")
    people(600, 0).with_columns(id=pl.int_range(600)).write_csv(tmp_path / "old.csv")
    goal = ["--goal", "profit", "--cost", 2, "--amount", 5, "--drop", "id", "--drop", "town"]
    text = run("fit", tmp_path / "old.csv", "--target", "sick", *goal, "--cv", 2, "--no-compare", "--model", model)
    assert "identifier" not in text  # the column is left out
    assert "The model uses 1 of 1 column, chosen to keep 99% of the improvement" in text
    found = json.loads(run("evaluate", model, tmp_path / "test.csv", "--json"))
    acted = load(model).predict(data.with_columns(id=0)[["[red]", "town", "id"]]) == 1
    sick = data["sick"].to_numpy() == 1
    assert found["decision"]["profit"] == 5.0 * (sick & acted).sum() - 2.0 * acted.sum()
    assert found["verdict_sentences"][2] == "The model uses 1 of 1 column."  # no other size is known
    # Of rows within a budget, the profit is what is expected; some of them the model would not act on.
    chances = -np.sort(-load(model).predict_proba(data.with_columns(id=0)[["[red]", "town", "id"]])[:, 1])[:200]
    result = CliRunner().invoke(app, ["predict", str(model), str(tmp_path / "test.csv"), "--budget", "200"])
    words = " ".join(result.stderr.split())
    assert f"Expected profit: {5.0 * chances.sum() - 2.0 * 200:,.2f}." in words
    assert f"{(chances <= 0.4).sum()} of them are not above the threshold of the model, 0.4." in words
    drifted = json.loads(run("drift", model, tmp_path / "test.csv", "--json"))
    shown = {each["metric"]: each["found"] for each in found["promise"]["scores"]}
    for metric in drifted["metrics"]:
        error = shown[metric["name"]]["standard_error"]
        assert metric["now"] == pytest.approx(shown[metric["name"]]["mean"], abs=1e-6)
        assert metric["now_error"] == pytest.approx(error, rel=1e-5)
    assert [each["name"] for each in drifted["metrics"]][-1] == "profit"


def test_rows_without_a_class_are_not_evaluated(folder, tmp_path):
    known = people(300, 1, 2.0)
    known.with_columns(sick=pl.when(pl.int_range(300) < 200).then("sick")).write_csv(tmp_path / "some.csv")
    known[:200].write_csv(tmp_path / "known.csv")
    some, whole = (
        json.loads(run("evaluate", folder / "m.json", tmp_path / f"{each}.csv", "--json")) for each in ("some", "known")
    )
    assert some["sizes"] == whole["sizes"]
    known.with_columns(sick=pl.lit(None)).write_csv(tmp_path / "none.csv")
    assert "the target 'sick' is missing in every row" in run(
        "evaluate", folder / "m.json", tmp_path / "none.csv", code=2
    )


def test_drift_is_that_of_the_library(folder, tmp_path):
    report = tmp_path / "d.html"
    text = run("drift", folder / "m.json", folder / "new.csv", "--report", report)
    assert "Drift in 1 of the" in text
    document = json.loads(run("drift", folder / "m.json", folder / "new.csv", "--json"))
    new = people(300, 1, 2.0)
    direct = drift(load(folder / "m.json"), new.drop("sick"), new["sick"].to_numpy())
    assert {**document, **json.loads(json.dumps(direct.to_dict()))} == document
    assert document["columns"][0]["name"] == "[red]"
    assert document["metrics"][0]["change"] == "worse"
    page = report.read_text()
    assert page.count("<table>") >= 4
    assert "<script" not in page


def test_rows_of_the_training_have_not_drifted(folder):
    document = json.loads(run("drift", folder / "m.json", folder / "old.csv", "--json"))
    assert [score["psi"] for score in document["scores"]] == [pytest.approx(0.0, abs=1e-12)]
    assert {column["level"] for column in document["columns"]} == {"stable"}
    # Observed frequencies of held-out rows are near those of all rows.
    (score,) = document["scores"]
    then, now = (np.array(score[when]["observed"]) for when in ("then", "now"))
    assert np.abs(then - now).max() < 0.2


def test_the_training_file_is_recognized(folder):
    assert "the file that the model was trained on" in run("drift", folder / "m.json", folder / "old.csv")
    assert "trained on, so" not in run("drift", folder / "m.json", folder / "new.csv")


def test_the_command_that_is_kept_can_be_run_again(folder, tmp_path):
    table = tmp_path / "t.csv"
    people(200, 0).write_csv(table)
    fit = ["fit", table, "--target", "sick", "--cv", 2, "--no-compare", "--json"]
    command = json.loads(run(*fit))["reproduce"]["command"]
    assert command.split()[2:] == [str(table), "--target", "sick", "--cv", "2", "--no-compare"]


def test_labels_may_be_absent_or_foreign(folder, tmp_path):
    people(50, 3).drop("sick").write_csv(tmp_path / "n.csv")
    assert "losses are not compared" in run("drift", folder / "m.json", tmp_path / "n.csv")
    people(50, 3).with_columns(sick=pl.lit(7)).write_csv(tmp_path / "f.csv")
    error = run("drift", folder / "m.json", tmp_path / "f.csv", code=2)
    assert "the target 'sick' has the class '7', which the model does not have; its classes are '0', '1'" in error
    error = run("drift", folder / "m.json", tmp_path / "n.csv", "--target", "sik", code=2)
    assert "--target names the column 'sik', which the table does not have" in error


def test_a_labeled_file_is_evaluated(folder, tmp_path):
    document = json.loads(run("evaluate", folder / "m.json", folder / "new.csv", "--json"))
    new = people(300, 1, 2.0)
    direct = Report.from_fitted(load(folder / "m.json"), new.drop("sick"), new["sick"].to_numpy()).summary
    assert document["sizes"] == direct["sizes"]
    assert document["decision"]["recall"] == direct["decision"]["recall"]
    assert document["context"]["goal"] == "recall"
    run("evaluate", folder / "m.json", folder / "new.csv", "--report", tmp_path / "e.html")
    assert (tmp_path / "e.html").stat().st_size > 10_000


def test_training_rows_are_not_held_out(folder, tmp_path):
    page = tmp_path / "e.html"
    text = " ".join(run("evaluate", folder / "m.json", folder / "old.csv", "--report", page).split())
    assert text.startswith("Optimistic recall of class 1")
    assert "old.csv is the file that the model was trained on, so that all scores are optimistic" in text
    for words in ("Held-out", "held-out", "No file was written"):
        assert words not in text
    for words in ("fitted without them", "took no part in"):
        assert words not in page.read_text()
    new = " ".join(run("evaluate", folder / "m.json", folder / "new.csv").split())
    assert new.startswith("Held-out recall of class 1")
    assert "Accuracy is that of the most probable class, whatever the threshold." in new
    assert "No file was written; add --report FILE to keep the result." in new


def test_columns_that_a_model_does_not_use_are_not_to_be_checked(folder, tmp_path):
    numbered = {name: people(n, seed).with_row_index("id") for name, n, seed in (("a", 600, 0), ("b", 300, 1))}
    for name, rows in numbered.items():
        rows.write_csv(tmp_path / f"{name}.csv")
    model = ("--model", tmp_path / "m.json")
    assert "'id': every row has a different value" in run(
        "fit", tmp_path / "a.csv", "--target", "sick", "--cv", 3, *model
    )
    assert "id" not in {term["name"] for term in json.loads(run("show", tmp_path / "m.json", "--json"))["terms"]}
    page = tmp_path / "e.html"
    assert "Check column" not in run("evaluate", tmp_path / "m.json", tmp_path / "b.csv", "--report", page)
    assert "is it an identifier?" not in page.read_text()


def test_fit_is_evaluated_on_a_test_file(folder):
    arguments = ["fit", folder / "old.csv", "--target", "sick", "--goal", "recall"]
    document = json.loads(run(*arguments, "--test", folder / "new.csv", "--json"))
    assert "600 rows, 2 columns" in run(*arguments, "--test", folder / "new.csv")
    assert document["evaluation"]["n_train"] == 600
    assert document["data"]["n_rows"] == 300
    other = json.loads(run("evaluate", folder / "m.json", folder / "new.csv", "--json"))
    (size,) = [size for size in document["sizes"] if size["selected"]]
    assert size["held_out"] == other["sizes"][0]["held_out"]


def test_groups_weights_and_times_are_columns(folder, tmp_path):
    n_rows = 600
    table = people(n_rows, 0).with_columns(
        who=pl.Series(np.arange(n_rows) // 3),
        copies=pl.Series(1 + np.arange(n_rows) % 2),
        day=pl.Series(np.arange(n_rows)[::-1]),
    )
    table.write_csv(tmp_path / "t.csv")
    fit = ["fit", tmp_path / "t.csv", "--target", "sick", "--cv", 3, "--no-compare", "--json"]
    grouped = json.loads(run(*fit, "--group", "who", "--weight", "copies", "--drop", "day", "--drop", "who"))
    assert "200 groups" in grouped["evaluation"]["description"]
    assert "weighted" in grouped["evaluation"]["description"]
    assert set(grouped["columns"]["name"]) == {"[red]", "town", "day"}
    timed = json.loads(run(*fit, "--time", "day", "--drop", "who", "--drop", "copies"))
    assert timed["data"]["n_rows"] == 450
    assert "day" not in timed["columns"]["name"]
    for options, words in (
        (["--time", "day", "--group", "who"], "--time and --group hold out rows in different ways"),
        (["--time", "town"], "--time names 'town', which is text"),
        (["--weight", "town"], "--weight names 'town'; its row 1 has"),
        (["--group", "wo"], "--group names the column 'wo', which the table does not have; did you mean 'who'?"),
        (["--test", folder / "new.csv", "--time", "day"], "--test and --time hold out rows"),
    ):
        assert words in run(*fit[:-1], *options, code=2)


def test_marks_of_missing_values_are_those_of_the_training(tmp_path):
    data = people(500, 3).rename({"[red]": "pressure"}).with_columns(pl.col("pressure") + 50.0)
    marked = data.with_columns(pl.when(pl.int_range(500) % 5 == 0).then(0.0).otherwise("pressure").alias("pressure"))
    blank = data.with_columns(pl.when(pl.int_range(500) % 5 == 0).then(None).otherwise("pressure").alias("pressure"))
    marked.write_csv(tmp_path / "marked.csv")
    blank.write_csv(tmp_path / "blank.csv")
    marked.write_parquet(tmp_path / "marked.parquet")
    fit = ("--target", "sick", "--cv", 3, "--no-compare", "--model")
    run("fit", tmp_path / "marked.csv", "--na", "pressure=0", *fit, tmp_path / "m.json")
    run("fit", tmp_path / "blank.csv", *fit, tmp_path / "b.json")
    expected = run("predict", tmp_path / "b.json", tmp_path / "blank.csv")
    for name in ("marked.csv", "marked.parquet", "blank.csv"):
        assert run("predict", tmp_path / "m.json", tmp_path / name) == expected
    assert run("predict", tmp_path / "m.json", tmp_path / "marked.parquet", "--memory", "1GB") == expected
    assert run("predict", tmp_path / "b.json", tmp_path / "marked.csv") != expected
    assert run("predict", tmp_path / "b.json", tmp_path / "marked.csv", "--na", "pressure=0") == expected
    assert "'pressure=0'" in run("show", tmp_path / "m.json")
    assert "--na pressure=0" in run("check", tmp_path / "marked.csv", "--target", "sick")
    errors = run("fit", tmp_path / "marked.csv", "--na", "presure=0", *fit, tmp_path / "x.json", code=2)
    assert "did you mean 'pressure'?" in errors


def test_a_checkpoint_with_other_marks_is_not_resumed(tmp_path):
    data = people(300, 3).rename({"[red]": "pressure"})
    data.with_columns(pl.when(pl.int_range(300) % 3 == 0).then(0.0).otherwise("pressure").alias("pressure")).write_csv(
        tmp_path / "t.csv"
    )
    arguments = ("fit", tmp_path / "t.csv", "--target", "sick", "--cv", 3, "--no-compare", "--json")
    with_marks = (*arguments, "--na", "pressure=0")
    run(*arguments, "--checkpoint", tmp_path / "folder")
    resumed = json.loads(run(*with_marks, "--checkpoint", tmp_path / "folder"))
    assert resumed["sizes"] == json.loads(run(*with_marks))["sizes"]


def test_an_evaluation_shows_what_the_training_promised(folder, tmp_path):
    model = load(folder / "m.json")
    promised = model.training_record_.scores
    text = " ".join(run("evaluate", folder / "m.json", folder / "new.csv").split())
    found = json.loads(run("evaluate", folder / "m.json", folder / "new.csv", "--json"))
    (size,) = found["sizes"]
    assert found["promise"]["evaluation"] == "cross-validated"
    drifted = {
        each["name"]: each
        for each in json.loads(run("drift", folder / "m.json", folder / "new.csv", "--json"))["metrics"]
    }
    assert [each["metric"] for each in found["promise"]["scores"]][-2:] == ["recall", "precision"]  # of the goal
    for each in found["promise"]["scores"]:
        mean, error = promised[each["metric"]]
        assert (each["promised"]["mean"], each["promised"]["standard_error"]) == pytest.approx((mean, error), abs=1e-6)
        assert each["found"] == (size["held_out"] | size["goal"])[each["metric"]]
        assert each["change"] == drifted[each["metric"]]["change"]
        shown = f"{mean:.4f} ± {error:.4f}", f"{each['found']['mean']:.4f} ± {each['found']['standard_error']:.4f}"
        assert all(score in text for score in shown)
    assert {each["change"] for each in found["promise"]["scores"]} >= {"worse"}
    (loss,) = (each for each in found["promise"]["scores"] if each["metric"] == "log_loss")
    now, then = (f"{each['mean']:.3f} ± {each['standard_error']:.3f}" for each in (loss["found"], loss["promised"]))
    assert f"Worse than the training promised, beyond chance: log loss {now} instead of {then}" in found["verdict"]
    assert "Selected columns" not in text  # as the training has shown them
    assert text.index("Promised and found") < text.index("Models on the same rows")


def test_scores_within_chance_keep_the_promise_and_training_rows_have_none(folder, tmp_path):
    people(400, 9).write_csv(tmp_path / "same.csv")
    page = tmp_path / "e.html"
    text = " ".join(run("evaluate", folder / "m.json", tmp_path / "same.csv", "--report", page).split())
    assert "accuracy, recall and precision are within chance of what the training promised (cross-validated)." in text
    assert "<h2>Promised and found</h2>" in page.read_text()
    trained = run("evaluate", folder / "m.json", folder / "old.csv")
    assert "Promised" not in trained
    assert "Scores with" in trained


def test_a_test_file_has_a_comparison(folder, tmp_path):
    fit = ["fit", folder / "old.csv", "--target", "sick", "--test", folder / "new.csv", "--json"]
    for options in ([], ["--compare"]):
        found = json.loads(run(*fit, *options))
        names = [model["name"] for model in found["comparison"]["models"]]
        assert names == ["class frequencies", "gradient boosting", "logistic regression"]
        assert "on the same rows" in found["verdict"]
        assert found["promise"] is None
    assert len(json.loads(run(*fit, "--no-compare"))["comparison"]["models"]) == 1


def test_what_cannot_be_compared_is_told_in_terminal_page_and_json(folder, tmp_path):
    model, page = tmp_path / "m.json", tmp_path / "d.html"
    run("fit", folder / "old.csv", "--target", "sick", "--test", folder / "new.csv", "--no-compare", "--model", model)
    note = "This is the file of fit --test"
    drifted = ("drift", model, folder / "new.csv")
    assert note in run(*drifted, "--report", page)
    assert note in page.read_text()
    assert note in json.loads(run(*drifted, "--json"))["notes"][0]
    evaluated = json.loads(run("evaluate", model, folder / "new.csv", "--json"))
    assert "These are the rows of fit --test, whose scores the training promised" in evaluated["verdict"]
    assert evaluated["promise"]["are_same_rows"]
    printed = run("evaluate", model, folder / "new.csv", "--report", page)
    assert "Scores with" in printed
    for text in (printed, page.read_text()):
        assert "Promised and found" not in text


def test_a_change_has_one_name_in_drift_and_evaluation(folder, tmp_path):
    page = tmp_path / "d.html"
    drifted = run("drift", folder / "m.json", folder / "new.csv", "--report", page)
    evaluated = run("evaluate", folder / "m.json", folder / "new.csv")
    for text in (drifted, page.read_text(), evaluated):
        assert "worse, beyond chance" in text


def test_drift_names_a_class_as_a_class(folder, tmp_path):
    rarer = people(900, 7, 2.0).filter((pl.col("sick") == 0) | (pl.int_range(900) % 4 == 0))
    rarer.write_csv(tmp_path / "rarer.csv")
    verdict = json.loads(run("drift", folder / "m.json", tmp_path / "rarer.csv", "--json"))["verdict"]
    evaluated = json.loads(run("evaluate", folder / "m.json", tmp_path / "rarer.csv", "--json"))["verdict"]
    assert "The predicted probabilities of class 1 have drifted" in verdict
    for text in (verdict, evaluated):
        assert "The frequency of class 1 was " in text


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_tables_have_whole_names_and_fit_the_terminal(tmp_path, gaps):
    name = "OverageMinutesABC" if gaps else "CustomerCareCallsABCDE"  # 17 and 22 characters
    table = people(400, 2).rename({"town": name}).with_columns(x=pl.Series(np.arange(400) % 7))
    empty = pl.Series(np.random.default_rng(0).random(400) < gaps)
    table = table.with_columns(pl.when(empty).then(None).otherwise(pl.col("[red]")).alias("[red]"))
    table.write_csv(tmp_path / "t.csv")
    fit = ["fit", str(tmp_path / "t.csv"), "--target", "sick", "--keep", name, "--no-compare", "--cv", "2"]
    for arguments in ([*fit, "--model", str(tmp_path / "m.json")], ["drift", str(tmp_path / "m.json"), fit[1]]):
        result = CliRunner().invoke(app, arguments, env={"COLUMNS": "80"})
        assert result.exit_code == 0, result.output
        lines = result.stdout.splitlines()
        rows = [line for line in lines if line.startswith(("┏", "│", "└"))]
        assert all(len(line) <= 80 and line.endswith(("┓", "│", "┘")) for line in rows)
        assert any(f"│ {name} " in line for line in rows)
        assert "…" not in result.stdout
