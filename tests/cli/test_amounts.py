"""A campaign whose amounts differ from row to row, through every command: one profit, one ranking, one rule."""

import csv
import io
import json
import sqlite3

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from bayesieve import BenefitClassifier, Report, ScorecardClassifier, drift, load
from bayesieve.cli.app import app
from bayesieve.decisions import best_actions
from bayesieve.evaluation.outer_cv import outer_splits

COST = 3.0
OPTIONS = ["--target", "bought", "--positive", "yes", "--drop", "id", "--goal", "profit", "--cost", COST, "--cv", 2]
OPTIONS += ["--no-compare", "--pairs", 0]


def customers(n_rows=600, seed=0):
    rng = np.random.default_rng(seed)
    age, visits = rng.normal(45, 12, n_rows).round(), rng.integers(0, 9, n_rows)
    bought = rng.random(n_rows) < 1 / (1 + np.exp(-(age - 50) / 6))
    town = rng.choice(["76 - 88%", "small", "large"], n_rows)
    basket = (4 + 3 * visits + rng.gamma(2.0, 1.5, n_rows)).round(2)
    columns = {"id": np.arange(n_rows) + 1000 * seed, "age": age, "visits": visits, "town": town, "basket": basket}
    return pl.DataFrame(columns | {"bought": np.where(bought, "yes", "no")})


def run(*arguments):
    result = CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "150"})
    assert result.exit_code == 0, result.output + result.stderr + str(result.exception)
    return result


def document(*arguments):
    return json.loads(run(*arguments, "--json").stdout)


KINDS = {"estimated": [], "known": ["--amount-known"], "feature": ["--amount-known", "--amount-feature"]}


@pytest.fixture(scope="module", params=KINDS)
def campaign(request, tmp_path_factory):
    """Return a folder with training rows, new rows and a model, the summary of its fit, and how amounts are given."""
    place = tmp_path_factory.mktemp(request.param)
    for name, seed in (("old", 0), ("new", 1)):
        table = customers(seed=seed)
        if request.param == "estimated":  # only customers who bought have a basket
            table = table.with_columns(basket=pl.when(pl.col("bought") == "yes").then(pl.col("basket")))
        table.write_csv(place / f"{name}.csv")
    of_amount = ["--amount", "basket", *KINDS[request.param], "--model", place / "m.json", "--report", place / "r.html"]
    return place, document("fit", place / "old.csv", *OPTIONS, *of_amount), request.param


def realized(place, model):
    table = customers(seed=1)
    acted = model.predict(table.drop("bought")) == "yes"
    gains = np.where(table["bought"].to_numpy() == "yes", table["basket"].to_numpy(), 0.0) - COST
    return acted, gains


def test_amounts_are_used_as_they_are_given(campaign):
    place, summary, kind = campaign
    model = load(place / "m.json")
    assert isinstance(model, BenefitClassifier)
    assert model.amount == ("bins" if kind == "estimated" else "basket")
    dropped = summary["columns"]["reason"][summary["columns"]["name"].index("basket")] == "left out by drop"
    assert dropped == (kind != "feature")
    table = customers(seed=1)
    if kind != "estimated":
        assert np.array_equal(model.expected_amount(table.drop("bought")), table["basket"].to_numpy())


def test_evaluate_prints_what_was_promised_and_what_was_realized(campaign, tmp_path):
    place, summary, _ = campaign
    model = load(place / "m.json")
    report = ["--report", tmp_path / "e.html"]
    evaluated = document("evaluate", place / "m.json", place / "new.csv", *report)["decision"]
    acted, gains = realized(place, model)
    assert evaluated["profit"] == pytest.approx(gains[acted].sum())
    assert evaluated["profit_of_all_rows"] == pytest.approx(gains.sum())
    assert evaluated["profit_by_chance"] == pytest.approx(gains.mean() * acted.sum())
    assert evaluated["promised_profit"] == pytest.approx(summary["decision"]["profit"])  # as many rows as in training
    assert evaluated["promised_error"] > 0
    low, high = evaluated["profit_interval"]
    assert low < evaluated["profit"] < high
    text = " ".join(run("evaluate", place / "m.json", place / "new.csv").stdout.split())
    for name in ("profit", "profit_of_all_rows", "profit_by_chance", "promised_profit"):
        assert f"{evaluated[name]:,.2f}".removesuffix(".00") in text, name
    page = (tmp_path / "e.html").read_text()
    assert f"{evaluated['profit']:,.2f}" in page
    assert 'id="amounts"' in page


def test_without_amounts_of_the_rows_there_is_no_profit(campaign, tmp_path):
    place, _, kind = campaign
    pl.read_csv(place / "new.csv").drop("basket").write_csv(tmp_path / "none.csv")
    arguments = ["evaluate", place / "m.json", tmp_path / "none.csv", "--report", tmp_path / "e.html"]
    if kind == "estimated":
        assert "has no column 'basket', the amounts of the training" in run(*arguments).stdout
        assert "profit" not in json.loads((tmp_path / "e.report.json").read_text())["decision"]
    else:
        result = CliRunner().invoke(app, list(map(str, arguments)))
        assert (result.exit_code, "has no column 'basket'" in result.stderr) == (2, True)


def test_show_tells_the_rule_of_the_model(campaign):
    place, _, kind = campaign
    text = " ".join(run("show", place / "m.json").stdout.split())
    assert "it is predicted if its probability is above" not in text
    assert "its probability times the amount of the row is above the cost, 3." in text
    assert ("value of its column 'basket'" in text) == (kind != "estimated")
    assert ("Columns of the expected amount" in text) == (kind == "estimated")
    decision = document("show", place / "m.json")["decision"]
    assert (decision["cost"], decision["amount_column"]) == (COST, "basket")


def test_the_report_has_one_profit(campaign):
    place, summary, kind = campaign
    profit, n_acted = summary["decision"]["profit"], summary["decision"]["true_positives"]
    n_acted += summary["decision"]["false_positives"]
    selected = next(size for size in summary["sizes"] if size["selected"])
    points = selected["profit_points"]
    own = points["n_acted"].index(n_acted)
    assert points["profit"][own] == pytest.approx(profit)
    assert points["n_positive"][own] == summary["decision"]["true_positives"]
    assert selected["goal"]["profit"]["mean"] == pytest.approx(profit)
    assert f"profit {profit:,.2f}".removesuffix(".00") in summary["verdict"]
    page = (place / "r.html").read_text()
    assert f"{profit:,.2f}, by acting on {n_acted:,} rows" in page
    assert f'id="budget" type="number" min="0" max="600" step="1" value="{n_acted}"' in page
    assert "The best threshold for these amounts" not in page.split("<script")[0]
    assert 'id="benefit-true-positive"' not in page
    assert summary["amounts"]["source"] == ("bins" if kind == "estimated" else "column")
    if kind == "estimated":
        names = [summary["columns"]["name"][term["column"]] for term in summary["amounts"]["terms"]]
        assert names[0] == "visits"
        assert summary["amounts"]["explained"] > 0.5
        assert 'aria-label="amount by visits"' in page or "amount by visits" in page


def test_profit_of_every_size_is_out_of_fold(campaign):
    place, summary, kind = campaign
    table = pl.read_csv(place / "old.csv")
    X, y = table.drop("bought"), table["bought"].to_numpy()
    amounts = customers()["basket"].to_numpy()
    model = load(place / "m.json")
    unfitted = type(model)(ScorecardClassifier(**{**model.estimator_.get_params(), "n_jobs": None}), **outer(model))
    given = {"amounts": amounts} if kind == "estimated" else {}
    profits = {size["n_columns"]: 0.0 for size in summary["sizes"] if not size["selected"]}
    for train, test in outer_splits(y, 2):
        fold = unfitted.fit(X[train.tolist()], y[train], **{name: each[train] for name, each in given.items()})
        rows = X[test.tolist()]
        expected = fold.expected_amount(rows)
        for size in profits:
            sizes = [k for k in fold.estimator_.selection_.by_size if k <= size] or [0]
            proba = dict(fold.estimator_.staged_predict_proba(rows))[max(sizes)][:, 1]
            acted = proba * expected - COST > 0
            profits[size] += (np.where(y[test] == "yes", amounts[test], 0.0) - COST)[acted].sum()
    shown = {size["n_columns"]: size["goal"]["profit"]["mean"] for size in summary["sizes"] if not size["selected"]}
    assert shown == {size: pytest.approx(profit) for size, profit in profits.items()}


def outer(model):
    return {"amount": model.amount, "cost": model.cost, "pos_label": model.pos_label}


def test_the_budget_ranks_as_predict_does(campaign):
    place, _, _ = campaign
    evaluated = document("evaluate", place / "m.json", place / "new.csv")
    points = next(size for size in evaluated["sizes"] if size["selected"])["profit_points"]
    budget = points["n_acted"][len(points["n_acted"]) // 3]
    chosen = run("predict", place / "m.json", place / "new.csv", "--key", "id", "--budget", budget).stdout
    ids = [int(row["id"]) for row in csv.DictReader(io.StringIO(chosen))]
    table = customers(seed=1).filter(pl.col("id").is_in(ids))
    gains = np.where(table["bought"].to_numpy() == "yes", table["basket"].to_numpy(), 0.0) - COST
    assert points["profit"][points["n_acted"].index(budget)] == pytest.approx(gains.sum())


def test_every_export_works_or_says_why(campaign, tmp_path):
    place, _, kind = campaign
    for form in ("card", "scorecard", "sql", "json"):
        run("export", place / "m.json", "--to", form, "--out", tmp_path / form)
    card = (tmp_path / "card").read_text()
    assert "above the cost, 3" in card
    assert "profit per row" in card
    assert ("## Expected amount" in card) == (kind == "estimated")
    database = sqlite3.connect(":memory:")
    database.create_function("EXP", 1, np.exp, deterministic=True)
    table = customers(seed=1).drop("bought")
    database.execute("CREATE TABLE data (id, age, visits, town, basket)")
    database.executemany("INSERT INTO data VALUES (?, ?, ?, ?, ?)", table.rows())
    query = run("export", place / "m.json", "--to", "sql", "--key", "id").stdout
    cursor = database.execute(query)
    names = [each[0] for each in cursor.description]
    rows = {name: np.array(each) for name, each in zip(names, zip(*cursor.fetchall(), strict=True), strict=True)}
    model = load(place / "m.json")
    assert rows["expected_profit"] == pytest.approx(model.expected_benefit(table)[:, 1])
    assert rows["predicted"].tolist() == model.predict(table).tolist()
    for form in ("onnx", "pmml"):
        arguments = ["export", place / "m.json", "--to", form, "--out", tmp_path / form]
        result = CliRunner().invoke(app, list(map(str, arguments)))
        assert (result.exit_code == 0) == (form == "onnx" and kind == "estimated")
        if result.exit_code:
            assert result.stderr.startswith("Error: A BenefitClassifier")
            assert result.stderr.count("\n") == 1


def test_explained_rows_have_amounts_and_profits(campaign, tmp_path):
    place, _, _ = campaign
    run("explain", place / "m.json", place / "new.csv", "--budget", 5, "--out", tmp_path / "reasons.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "reasons.csv").read_text())))
    model = load(place / "m.json")
    profits = model.expected_benefit(customers(seed=1).drop("bought"))[:, 1]
    assert [float(row["expected_profit"]) for row in rows] == pytest.approx(np.sort(profits)[::-1][:5])
    assert {row["predicted"] for row in rows} == {"yes"}
    actions = model.predict(customers(seed=1).drop("bought"))
    assert np.array_equal(actions == "yes", best_actions(np.column_stack([0 * profits, profits])) == 1)


def test_drift_compares_profit_and_columns_of_amounts(campaign):
    place, _, kind = campaign
    found = document("drift", place / "m.json", place / "new.csv")
    profit = next(each for each in found["metrics"] if each["name"] == "profit")
    acted, gains = realized(place, load(place / "m.json"))
    assert profit["now"] == pytest.approx(np.where(acted, gains, 0.0).mean())
    assert profit["then"] is not None
    names = {column["name"] for column in found["columns"]}
    assert ("visits" in names) or kind != "estimated"
    run("drift", place / "m.json", place / "new.csv", "--report", place / "d.html")
    assert "profit per row" in (place / "d.html").read_text()


def test_bins_of_amounts_count_all_training_rows():
    table = customers()
    X = table.drop("bought", "basket")
    y, amounts = table["bought"].to_numpy(), table["basket"].to_numpy()
    model = BenefitClassifier(ScorecardClassifier(drop="id"), "bins", cost=COST, pos_label="yes")
    model = model.fit(X, y, amounts=amounts)
    assert all(each.bin_mass.sum() == len(table) for each in model.amount_.model.tables)
    weighted = model.fit(X, y, np.full(len(table), 0.5), amounts=amounts)
    assert all(each.bin_mass.sum() == len(table) / 2 for each in weighted.amount_.model.tables)
    assert max(each.psi for each in drift(model, X).columns) < 0.01


def test_known_amounts_are_read_by_python_reports(tmp_path):
    table = customers()
    X, y = table.drop("bought", "id"), table["bought"].to_numpy()
    model = BenefitClassifier(ScorecardClassifier(n_features=(0, 2)), "basket", cost=COST, pos_label="yes")
    report = Report.from_estimator(model, X, y, cv=2, compare=False)
    assert report.summary["amounts"]["source"] == "column"
    new = customers(seed=1)
    fitted = model.fit(X, y)
    held_out = Report.from_fitted(fitted, new.drop("bought", "id"), new["bought"].to_numpy())
    expected = fitted.realized_benefit(new.drop("bought", "id"), new["bought"].to_numpy(), amounts=new["basket"])
    assert held_out.summary["decision"]["profit"] == pytest.approx(expected.total)


def test_test_rows_have_their_own_amounts(tmp_path):
    for name, seed in (("old", 0), ("new", 1)):
        customers(seed=seed).write_csv(tmp_path / f"{name}.csv")
    options = [each for each in OPTIONS if each not in ("--cv", 2, "--no-compare")]
    arguments = ["fit", tmp_path / "old.csv", *options, "--amount", "basket", "--test", tmp_path / "new.csv"]
    summary = document(*arguments, "--model", tmp_path / "m.json")
    acted, gains = realized(tmp_path, load(tmp_path / "m.json"))
    assert summary["decision"]["profit"] == pytest.approx(gains[acted].sum())
    text = run("drift", tmp_path / "m.json", tmp_path / "new.csv").stdout
    assert "This is the file of fit --test" in text
    assert "This is the file of fit --test" not in run("drift", tmp_path / "m.json", tmp_path / "old.csv").stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--amount", "baskets"], "must be a number or a column, got 'baskets'; did you mean 'basket'?"),
        (["--amount", "8", "--amount-known"], "--amount-known is for --amount COLUMN"),
        (["--amount", "basket", "--amount-feature"], "--amount-feature is for --amount-known"),
        (
            ["--amount", "gaps", "--amount-known"],
            "the column 'gaps' is missing in 300 rows, first in row 2; fill them in",
        ),
    ],
)
def test_options_of_known_amounts_are_refused_in_a_sentence(tmp_path, options, words):
    table = customers().with_columns(gaps=pl.Series([5.0, None] * 300))
    table.write_csv(tmp_path / "t.csv")
    result = CliRunner().invoke(app, list(map(str, ["fit", tmp_path / "t.csv", *OPTIONS, *options])))
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert words in result.stderr


def test_a_fixed_amount_is_in_the_list_and_in_the_evaluation(tmp_path):
    for name, seed in (("old", 0), ("new", 1)):
        customers(seed=seed).drop("basket").write_csv(tmp_path / f"{name}.csv")
    model = tmp_path / "m.json"
    fitted = document("fit", tmp_path / "old.csv", *OPTIONS, "--amount", 12, "--model", model)
    rows = list(csv.DictReader(io.StringIO(run("predict", model, tmp_path / "new.csv").stdout)))
    chances = np.array([float(row["probability_yes"]) for row in rows])
    assert [float(row["expected_profit"]) for row in rows] == pytest.approx(12 * chances - COST)
    decision = document("evaluate", model, tmp_path / "new.csv")["decision"]
    acted, bought = chances > COST / 12, customers(seed=1)["bought"].to_numpy() == "yes"
    assert decision["profit"] == pytest.approx(12 * (acted & bought).sum() - COST * acted.sum())
    assert decision["promised_profit"] == pytest.approx(fitted["decision"]["profit"])
