"""Every model that can be saved, with every command that takes a model file, and with the report."""

import csv
import io
import json
import sqlite3

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from bayesieve import (
    BenefitClassifier,
    BoostClassifier,
    BoostSelector,
    Report,
    ScorecardClassifier,
    SelectiveNaiveBayes,
    VoteClassifier,
    load,
)
from bayesieve.cli.app import app
from bayesieve.cli.files import TableOptions
from bayesieve.cli.fit_options import Method
from bayesieve.cli.new_rows import read_new_rows
from bayesieve.data.document import canonical, seal
from bayesieve.exceptions import ModelFileError
from bayesieve.model_file.file import BUILDERS

KEPT = ["age", "town"]
COST = 2.0
CLASSIFIERS = {
    "scorecard": ScorecardClassifier(keep=KEPT, n_pairs=[tuple(KEPT)]),
    "nb": SelectiveNaiveBayes(keep=KEPT),
    "esnb": SelectiveNaiveBayes.esnb(keep=KEPT),
    "vote": VoteClassifier("majority", keep=KEPT),
    "boost": BoostClassifier(keep=KEPT),
    "boost by squares": BoostClassifier("brier", keep=KEPT),
    "boosted selection": BoostSelector(keep=KEPT),
}
MODELS = CLASSIFIERS | {
    f"benefit of {name}": BenefitClassifier(each, "bins", cost=COST, pos_label="no")
    for name, each in CLASSIFIERS.items()
}
NOT_ADDITIVE = {
    f"{prefix}{name}": kind
    for prefix in ("", "benefit of ")
    for name, kind in (("vote", "VoteClassifier"), ("boost by squares", "BoostClassifier"))
}


def people(n_rows=240):
    rng = np.random.default_rng(0)
    bought = rng.random(n_rows) < 0.4
    age = np.where(bought, 50, 40) + rng.normal(scale=8, size=n_rows).round(1)
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(n_rows)],
            "noise": rng.normal(size=n_rows),
            "age": age,
            "town": np.where(bought, rng.choice(["1", "2"], n_rows), rng.choice(["2", "x"], n_rows)),
            "gift": np.where(bought, 0.0, (age / 10 + rng.normal(size=n_rows)).clip(0).round(2)),
            "bought": np.where(bought, "yes", "no"),
        }
    )


PEOPLE = people()
X, Y, GIFTS = PEOPLE.drop("bought", "gift", "id"), PEOPLE["bought"].to_numpy(), PEOPLE["gift"].to_numpy()


def amounts_for(model):
    return {"amounts": GIFTS} if isinstance(model, BenefitClassifier) else {}


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    place = tmp_path_factory.mktemp("models")
    PEOPLE.drop("bought", "gift").write_csv(place / "new.csv")
    models = {}
    for i, (name, model) in enumerate(MODELS.items()):
        path = place / f"{i}.json"
        models[name] = (model.fit(X, Y, **amounts_for(model)), path)
        model.save(path)
    return place / "new.csv", models


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "110"})


def test_every_kind_of_model_file_of_classifiers_is_here():
    """What commands do with a model of a number is in test_number_model.py."""
    assert {type(model).__name__ for model in MODELS.values()} == BUILDERS.keys() - {"ScorecardRegressor"}


@pytest.mark.parametrize("name", MODELS)
def test_loaded_as_saved(fitted, name):
    model, path = fitted[1][name]
    again = load(path)
    assert type(again) is type(model)
    assert np.array_equal(again.predict(X), model.predict(X))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    if isinstance(model, BenefitClassifier):
        assert np.array_equal(again.expected_benefit(X), model.expected_benefit(X))
        assert again.actions_.tolist() == model.actions_.tolist() == ["yes", "no"]
    again.save(path.with_suffix(".again"))
    assert np.array_equal(load(path.with_suffix(".again")).predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        ("pos_label", "maybe", "must be null or a class"),
        ("amount", None, "must be a matrix or an amount"),
        ("matrix", [[1.0]], "must be a matrix or an amount"),
        ("cost", "much", "must be a finite number"),
    ],
)
def test_benefits_of_a_damaged_file_are_refused(fitted, tmp_path, place, value, words):
    content = json.loads(fitted[1]["benefit of nb"][1].read_text())
    content.pop("checksum")
    content["model"]["benefit"][place] = value
    path = tmp_path / "damaged.json"
    path.write_bytes(canonical(seal(content)))
    with pytest.raises(ModelFileError, match=words):
        load(path)


@pytest.mark.parametrize("name", MODELS)
def test_predict(fitted, name):
    new, models = fitted
    model, path = models[name]
    rows = list(csv.DictReader(io.StringIO(run("predict", path, new, "--key", "id").stdout)))
    assert [row["id"] for row in rows] == PEOPLE["id"].to_list()
    assert [row["predicted"] for row in rows] == model.predict(X).tolist()
    assert [float(row["probability_yes"]) for row in rows] == model.predict_proba(X)[:, 1].tolist()
    if isinstance(model, BenefitClassifier):
        gained = np.array([float(row["expected_profit"]) for row in rows])
        by_hand = [float(row["probability_no"]) * float(row["expected_amount"]) - COST for row in rows]
        np.testing.assert_allclose(gained, by_hand, atol=1e-12)
        assert np.array_equal(gained > 0, model.predict(X) == "no")


@pytest.mark.parametrize("name", MODELS)
def test_explain(fitted, name):
    new, models = fitted
    result = run("explain", models[name][1], new, "--row", 2)
    if "squares" in name:
        words = "The log-odds of this BoostClassifier are not a sum over columns, so it has no contributions"
        assert (result.exit_code, result.stdout, words in result.stderr) == (2, "", True)
        return
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    assert result.stdout.startswith("Row 2: ")
    assert ("Votes for" if "vote" in name else "Contributions to the log-odds") in result.stdout
    document = json.loads(run("explain", models[name][1], new, "--row", 2, "--json").stdout)
    assert document["probabilities"]["yes"] == models[name][0].predict_proba(X[1])[0, 1]
    if "benefit" in name:
        assert "Contributions to the expected amount" in result.stdout
        total = document["start"] + sum(each["amount"] for each in document["contributions"])
        assert document["amount"] == pytest.approx(max(total, 0.0), abs=1e-12)


@pytest.mark.parametrize("name", ["scorecard", "benefit of nb", "vote"])
def test_reasons_of_all_rows_are_a_table(fitted, tmp_path, name):
    new, models = fitted
    model, path = models[name]
    out = tmp_path / "reasons.csv"
    result = run("explain", path, new, "--out", out, "--top", 2)
    if name == "vote":
        assert (result.exit_code, "has votes" in result.stderr, out.exists()) == (2, True, False)
        return
    assert (result.exit_code, result.stdout) == (0, ""), result.output
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [row["row"] for row in rows] == [str(i + 1) for i in range(len(X))]
    for row, each in zip(rows, model.explain(X), strict=True):
        each = each.probability if name.startswith("benefit") else each
        assert float(row["probability"]) == each.probability
        for k, term in enumerate(each.contributions[:2], 1):
            assert row[f"reason_{k}"].startswith(f"{term.column} = ")
            assert float(row[f"log_odds_{k}"]) == round(term.log_odds, 6)


def refused(result, name, form):
    words = f"A {NOT_ADDITIVE[name]} cannot be exported as {form}: its score is not a sum over columns."
    return result.exit_code == 2 and words in result.stderr.replace("\n", " ") and result.stdout == ""


@pytest.mark.parametrize("name", MODELS)
def test_export_to_sql(fitted, name):
    model, path = fitted[1][name]
    result = run("export", path, "--to", "sql", "--table", "people", "--key", "id")
    if name in NOT_ADDITIVE:
        assert refused(result, name, "SQL")
        return
    base = sqlite3.connect(":memory:")
    base.row_factory = sqlite3.Row
    base.execute("CREATE TABLE people (id, noise, age, town)")
    base.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", PEOPLE.select("id", "noise", "age", "town").rows())
    rows = base.execute(result.stdout).fetchall()
    base.close()
    assert [row["id"] for row in rows] == PEOPLE["id"].to_list()
    assert [row["predicted"] for row in rows] == model.predict(X).tolist()
    expected = model.predict_proba(X)[:, model.positive_index_]
    np.testing.assert_allclose([row["probability"] for row in rows], expected, atol=1e-9)
    if isinstance(model, BenefitClassifier):
        assert [row["expected_amount"] for row in rows] == model.expected_amount(X).tolist()
        np.testing.assert_allclose([row["expected_profit"] for row in rows], model.expected_benefit(X)[:, 1], atol=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_export_to_a_scorecard_and_to_json(fitted, name):
    model, path = fitted[1][name]
    assert json.loads(run("export", path, "--to", "json").stdout) == json.loads(path.read_text())
    result = run("export", path, "--to", "scorecard")
    if name in NOT_ADDITIVE:
        assert refused(result, name, "a scorecard")
        return
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert {row["column"] for row in rows} >= {"", *KEPT}
    if "benefit" in name:
        amounts = {(row["column"], row["bin"]): float(row["points"]) for row in rows if row["score"] == "amount"}
        explained = model.explain(X[:1])[0]
        total = amounts["", "intercept"] + sum(amounts[each.column, each.bin] for each in explained.contributions)
        assert explained.amount == pytest.approx(max(total, 0.0), abs=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_report(name):
    model = MODELS[name]
    report = Report.from_estimator(model, X, Y, cv=2, compare=False, **amounts_for(model))
    summary = report.summary
    names = summary["columns"]["name"]
    assert [each for each, chosen in zip(names, summary["columns"]["selected"], strict=True) if chosen] >= KEPT[:1]
    if "benefit" in name:
        assert summary["decision"]["threshold"] is None
        assert summary["decision"]["profit_of_all_rows"] == pytest.approx(GIFTS.sum() - COST * len(GIFTS), rel=1e-5)
        assert "profit" in summary["verdict"]
        assert "probability times expected amount exceeds the cost, 2," in report.html
    else:
        assert 0 < summary["decision"]["threshold"] < 1


@pytest.mark.parametrize("method", [each.value for each in Method])
def test_fit_by_amounts_of_rows(tmp_path, method):
    PEOPLE.write_csv(tmp_path / "people.csv")
    options = [
        "--target",
        "bought",
        "--positive",
        "no",
        "--drop",
        "id",
        "--method",
        method,
        "--cv",
        2,
        "--no-compare",
        "--json",
    ]
    profit = ["--goal", "profit", "--amount", "gift", "--cost", COST, "--model", tmp_path / "m.json"]
    result = run("fit", tmp_path / "people.csv", *options, *profit)
    assert result.exit_code == 0, result.output
    model, decision = load(tmp_path / "m.json"), json.loads(result.stdout)["decision"]
    assert isinstance(model, BenefitClassifier)
    assert (model.pos_label, model.cost, model.amount) == ("no", COST, "bins")
    assert not model.estimator_.support_[list(model.feature_names_in_).index("gift")]
    acted = decision["true_positives"] + decision["false_positives"]
    assert decision["profit"] <= GIFTS.sum() - COST * acted + 1e-6
    assert decision["threshold"] is None
    if method == Method.scorecard.value:
        ranked = run("predict", tmp_path / "m.json", tmp_path / "people.csv", "--budget", 30)
        rows = read_new_rows(model, tmp_path / "people.csv", TableOptions())[1]
        best = np.sort(model.expected_benefit(rows)[:, 1])[-30:]
        words = " ".join(ranked.stderr.split())
        assert f"Selected: the 30 of {len(PEOPLE)} rows with the highest expected profit." in words
        assert f"Expected profit: {best.sum():,.2f}." in words
