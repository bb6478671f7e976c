"""From a file to a model and a report, as a person and as a program would ask for it."""

import json
import os
from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest
from draws import meetings
from report.report_cases import compare_shortly, evaluated, evaluated_with_pairs
from typer.testing import CliRunner

from bayesieve import BoostClassifier, ScorecardClassifier, SelectiveNaiveBayes, VoteClassifier, load
from bayesieve.cli.app import app
from bayesieve.cli.column_fields import read_column_options, with_class_labels
from bayesieve.cli.fit_options import METHODS, Method
from bayesieve.cli.fit_text import print_summary
from bayesieve.data.files import output

LABEL = 'yes "&<i>'


def people(n_rows=240):
    rng = np.random.default_rng(0)
    bought = rng.random(n_rows) < 0.35
    return pl.DataFrame(
        {
            "id": np.arange(n_rows) + 1000,
            "noise": rng.normal(size=n_rows),
            "[red]age": np.where(bought, 50, 42) + rng.normal(scale=8, size=n_rows).round(1),
            "town": np.where(bought, rng.choice(["a", "</script>"], n_rows), rng.choice(["</script>", "c"], n_rows)),
            "paid": np.where(bought, 1, 0),
            "bought": [None if i == 3 else LABEL if each else "no" for i, each in enumerate(bought.tolist())],
        }
    )


PEOPLE = people()


@pytest.fixture(autouse=True)
def short_comparison(monkeypatch):
    compare_shortly(monkeypatch)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("fit") / "people.csv"
    PEOPLE.write_csv(path)
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["fit", *map(str, arguments)], env={"COLUMNS": "110"})


def summary_of(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert datetime.fromisoformat(summary["reproduce"].pop("made")) <= datetime.now(
        UTC
    )  # all else is the same each time
    return summary


def test_everything_at_once(file, tmp_path):
    report, model = tmp_path / "r.html", tmp_path / "m.json"
    arguments = ["--target", "bought", "--drop", "paid", "--drop", "id", "--report", report, "--model", model]
    result = run(file, *arguments)
    assert result.exit_code == 0, result.output
    for words in (
        "239 rows, 3 columns (2 numeric, 1 categorical); 2 more are not features",
        "1 row has no 'bought'",
        "of the improvement",
        "[red]age",
        "cross-validated",
    ):
        assert words in result.stdout
    summary = json.loads((tmp_path / "r.report.json").read_text())
    assert summary["context"]["positive"] == 1
    known = PEOPLE.filter(pl.col("bought").is_not_null())
    direct = ScorecardClassifier(drop=["id", "paid"]).fit(known.drop("bought"), known["bought"].to_numpy())
    loaded = load(model)
    assert np.array_equal(loaded.predict_proba(known.drop("bought")), direct.predict_proba(known.drop("bought")))
    assert summary["reproduce"]["command"].startswith(f"bayesieve fit {file} --target bought --drop paid --drop id")
    assert "</script><" not in report.read_text().split('id="summary">')[1].split("</script>")[0]


ESTIMATORS = {
    "scorecard": ScorecardClassifier(),
    "nb": SelectiveNaiveBayes(),
    "esnb": SelectiveNaiveBayes.esnb(threshold="bayes"),
    "vote": VoteClassifier(),
    "boost": BoostClassifier(),
}
EACH_METHOD = pytest.mark.parametrize("method", [method.value for method in Method])


def test_every_method_has_an_estimator():
    assert list(METHODS) == list(Method)
    assert {method.value for method in Method} == ESTIMATORS.keys()


@EACH_METHOD
def test_a_method_is_an_estimator(file, tmp_path, method):
    report, path = tmp_path / "r.html", tmp_path / "m.json"
    options = ["--method", method, "--target", "bought", "--drop", "paid", "--drop", "id", "--cv", 3]
    result = run(file, *options, "--report", report, "--model", path)
    assert result.exit_code == 0, result.output
    for words in ("Cross-validated ROC AUC", "The report was written", "The model was written"):
        assert words in result.stdout.replace("\n", " ")
    known = PEOPLE.filter(pl.col("bought").is_not_null())
    X = known.drop("bought")
    direct = ESTIMATORS[method].set_params(drop=["id", "paid"]).fit(X, known["bought"].to_numpy())
    model = load(path)
    assert type(model) is type(direct)
    assert np.array_equal(model.predict_proba(X), direct.predict_proba(X))
    assert np.array_equal(model.predict(X), direct.predict(X))
    summary = json.loads((tmp_path / "r.report.json").read_text())
    assert (f"--method {method}" in summary["reproduce"]["command"]) == (method != "scorecard")  # the default
    columns = summary["columns"]
    selected = [name for name, inside in zip(columns["name"], columns["selected"], strict=True) if inside]
    assert selected == np.array(X.columns)[direct.support_].tolist()
    assert "town" in selected
    assert "</script><" not in report.read_text().split('id="summary">')[1].split("</script>")[0]


@EACH_METHOD
def test_options_hold_for_each_method(file, tmp_path, method, monkeypatch):
    folder = tmp_path / "kept"
    options = [
        "--keep",
        "noise",
        "--max-features",
        2,
        "--categorical",
        "paid",
        "--time-limit",
        100,
        "--goal",
        "ranking",
        "--no-compare",
    ]
    arguments = [
        file,
        "--target",
        "bought",
        "--method",
        method,
        "--checkpoint",
        folder,
        "--cv",
        2,
        "--no-compare",
        *options,
    ]
    summary = summary_of(*arguments)
    selected = dict(zip(summary["columns"]["name"], summary["columns"]["selected"], strict=True))
    assert selected["noise"]
    assert sum(selected.values()) <= 2
    assert len(list(folder.iterdir())) == 2
    fits = []
    original = type(ESTIMATORS[method]).fit
    monkeypatch.setattr(type(ESTIMATORS[method]), "fit", lambda self, *data: fits.append(1) or original(self, *data))
    assert summary_of(*arguments) == summary
    assert len(fits) == 1


GOALS = [
    (["--goal", "recall", "--floor", "0.8"], ("recall", 0.8)),
    (["--goal", "precision", "--floor", "0.6"], ("precision", 0.6)),
    (["--goal", "profit", "--cost", "2", "--amount", "8"], 0.25),
]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "goal"), meetings(["nb", "esnb", "vote", "boost"], GOALS))
def test_goals_are_decisions_of_other_methods(file, tmp_path, method, goal):
    options, threshold = goal
    path = tmp_path / "m.json"
    arguments = ["--target", "bought", "--drop", "paid", "--method", method, "--cv", 3]
    summary = summary_of(file, *arguments, *options, "--model", path)
    assert load(path).threshold == threshold
    decision = summary["decision"]
    positive = int((PEOPLE["bought"] == LABEL).sum())
    assert decision["true_positives"] + decision["false_negatives"] == positive
    if "recall" in options:
        assert decision["recall"] >= 0.7


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--method", "nb", "--pairs", "2"], "--pairs is for --method scorecard; this fit uses nb."),
        (["--method", "nb", "--min-gain", ".9"], "--min-gain is for --method scorecard; this fit uses nb."),
        (["--one-se"], "--one-se is for --method nb, esnb, vote or boost; this fit uses scorecard."),
        (["--pairs", "-1"], "--pairs must be auto or a number, 0 for none, got '-1'."),
        (["--votes", "2"], "--votes is for --method vote; this fit uses scorecard."),
        (["--method", "nb", "--boosting", "real"], "--boosting is for --method boost; this fit uses nb."),
        (["--features", "2", "--max-features", "3"], "--features is the number of columns and --max-features its"),
        (["--method", "vote", "--votes", "1.5"], "--votes must be 'any', 'all', 'majority', a number of votes"),
        (["--method", "vote", "--weights", "none"], "--weights is for --method nb or esnb; this fit uses vote."),
        (["--method", "esnb", "--search", "up"], "--search with --method esnb must be one of auto, backward, "),
        (["--method", "vote", "--criterion", "luck"], "--criterion with --method vote must be one of accuracy, auc, "),
        (["--method", "vote", "--target", "town"], "--method vote is for two classes; this target has 3."),
        (["--method", "boost", "--target", "town"], "--method boost is for two classes; this target has 3."),
    ],
)
def test_what_a_method_cannot_do_is_one_sentence(file, options, words):
    result = run(file, "--target", "bought", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "parameters"),
    [
        (["vote", "--votes", "2", "--criterion", "log"], {"votes": 2, "criterion": "log"}),
        (["vote", "--votes", "0.5", "--search", "floating"], {"votes": 0.5, "search": "floating"}),
        (["vote", "--goal", "precision"], {"votes": "all"}),
        (["vote", "--goal", "precision", "--votes", "majority"], {"votes": "majority"}),
        (["vote", "--goal", "recall"], {"votes": "any"}),
        (["vote", "--votes", "all", "--features", 2], {"votes": "all", "n_features": 2}),
        (
            ["nb", "--search", "forward", "--criterion", "brier", "--weights", "none", "--bins", "best"],
            {"search": "forward", "criterion": "brier", "weights": "none", "bins": "best"},
        ),
        (["esnb", "--criterion", "auc"], {"criterion": "auc", "search": "forward", "threshold": "bayes"}),
        (["boost", "--boosting", "real"], {"method": "real"}),
    ],
)
def test_options_of_one_method_are_its_parameters(file, tmp_path, arguments, parameters):
    path = tmp_path / "m.json"
    result = run(
        file, "--target", "bought", "--drop", "paid", "--drop", "id", "--cv", 2, "--no-compare", "--method", *arguments,
        "--model", path,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    fitted = load(path).get_params()
    assert {name: fitted[name] for name in parameters} == parameters


def test_more_classes_have_a_scorecard(file):
    options = ["--target", "town", "--drop", "bought", "--drop", "paid", "--drop", "id", "--cv", 2]
    assert summary_of(file, *options)["model"]["estimator"] == "ScorecardClassifier"


@pytest.mark.parametrize(
    ("arguments", "rule", "parameters"),
    [
        (
            ["--min-gain", "0.5"],
            "chosen to keep 50% of the improvement over class frequencies",
            {"min_gain": 0.5},
        ),
        (["--method", "nb", "--one-se"], "the fewest within one standard error of the best score", {"one_se": True}),
    ],
)
def test_the_rule_of_the_size(file, tmp_path, arguments, rule, parameters):
    result = run(
        file, "--target", "bought", "--drop", "paid", "--cv", 2, "--no-compare", *arguments, "--model", tmp_path / "m"
    )
    assert result.exit_code == 0, result.output
    assert rule in " ".join(result.stdout.split())
    assert parameters.items() <= load(tmp_path / "m").get_params().items()


@pytest.mark.parametrize(("n_pairs", "expected"), [("auto", 1), ("0", 0)])
def test_pairs_are_found_printed_and_can_be_limited(tmp_path, n_pairs, expected):
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 400))
    y = rng.logistic(size=400) < 3 * np.sign(a * b) + c
    pl.DataFrame({"a": a, "b": b, "c": c, "y": y}).write_csv(tmp_path / "product.csv")
    result = run(tmp_path / "product.csv", "--target", "y", "--cv", 2, "--pairs", n_pairs, "--model", tmp_path / "m")
    assert result.exit_code == 0, result.output
    assert ("a × b" in result.stdout) == expected
    assert len(load(tmp_path / "m").scorecard_.pairs) == expected


def test_leaks_and_identifiers_are_named(file):
    result = run(file, "--target", "bought", "--cv", 2)
    assert result.stdout.count("Column 'id': every row has a different value") == 1
    assert result.stdout.count("predicts the target almost perfectly") == 1
    assert "Check column" not in result.stdout  # it was printed before the fit
    assert "No file was written" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "threshold"),
    [
        (["--goal", "ranking"], "bayes"),
        (["--goal", "accuracy"], "bayes"),
        (["--goal", "recall", "--floor", "0.8"], ("recall", 0.8)),
        (["--goal", "precision", "--floor", "0.6", "--positive", "no"], ("precision", 0.6)),
        (["--goal", "profit", "--cost", "2", "--amount", "8"], 0.25),
    ],
)
def test_goals_are_decisions(file, tmp_path, options, threshold):
    summary = summary_of(
        file, "--target", "bought", "--drop", "paid", "--cv", 3, *options, "--model", tmp_path / "m.json"
    )
    model = load(tmp_path / "m.json")
    positive_class = "no" if "no" in options else LABEL
    assert (model.threshold, model.pos_label) == (threshold, positive_class)
    decision = summary["decision"]
    positive = int((PEOPLE["bought"] == positive_class).sum())
    assert decision["true_positives"] + decision["false_negatives"] == positive
    assert decision["recall"] == pytest.approx(decision["true_positives"] / positive, abs=1e-5)
    if "profit" in options:
        acted = decision["true_positives"] + decision["false_positives"]
        assert decision["profit"] == decision["true_positives"] * 8 - acted * 2
    if "recall" in options:
        assert decision["recall"] >= 0.7
        assert "required: 80%" in summary["verdict"]


def test_amounts_of_a_column_are_earned_and_not_used(tmp_path):
    rng = np.random.default_rng(0)
    gift = np.where(PEOPLE["bought"].to_numpy() == LABEL, rng.integers(5, 50, len(PEOPLE)), 0)
    PEOPLE.with_columns(gift=gift).write_csv(tmp_path / "gifts.csv")
    options = ["--target", "bought", "--drop", "paid", "--goal", "profit", "--cost", "6", "--cv", 2]
    summary = summary_of(tmp_path / "gifts.csv", *options, "--amount", "gift")
    mean = gift[gift > 0].mean()
    assert summary["context"]["amount"] == pytest.approx(mean, rel=1e-5)
    assert summary["decision"]["threshold"] is None
    assert summary["decision"]["profit_of_all_rows"] == gift.sum() - 6 * (len(PEOPLE) - 1)
    assert summary["columns"]["reason"][summary["columns"]["name"].index("gift")] == "left out by drop"
    hits, alarms = (summary["decision"][name] for name in ("true_positives", "false_positives"))
    assert summary["decision"]["profit"] != pytest.approx(hits * mean - 6 * (hits + alarms))
    assert "Column 'gift'" not in run(tmp_path / "gifts.csv", *options, "--amount", "gift", "--no-compare").stdout
    wrong = run(tmp_path / "gifts.csv", *options, "--amount", "town")
    assert (wrong.exit_code, "is not numeric" in wrong.stderr) == (2, True)


def test_options_limit_the_selection(file):
    options = ["--keep", "noise", "--max-features", 2, "--categorical", "paid", "--cv", 2]
    summary = summary_of(file, "--target", "bought", *options)
    selected = dict(zip(summary["columns"]["name"], summary["columns"]["selected"], strict=True))
    types = dict(zip(summary["columns"]["name"], summary["columns"]["type"], strict=True))
    assert selected["noise"]
    assert sum(selected.values()) <= 2
    assert types["paid"] == "category"


def test_columns_that_may_not_be_used_are_not_counted(tmp_path):
    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=80), "b": rng.integers(5, size=80), "y": [0, 1] * 40, "gift": rng.random(80)}
    pl.DataFrame(table).write_csv(tmp_path / "t.csv")
    options = ("--target", "y", "--drop", "b", "--no-compare", "--method", "nb")
    given = run(tmp_path / "t.csv", *options).stdout.replace("\n", " ")
    assert "80 rows, 2 columns (2 numeric); 1 more is not a feature." in given
    given = run(tmp_path / "t.csv", *options, "--goal", "profit", "--cost", "0.1", "--amount", "gift").stdout
    assert "80 rows, 1 column (1 numeric); 2 more are not features." in given.replace("\n", " ")


def test_a_file_of_options_is_the_same_as_options(file, tmp_path):
    config = tmp_path / "run.toml"
    config.write_text('target = "bought"\ngoal = "recall"\nfloor = 0.8\ndrop = ["paid", "id"]\ncv = 2\n')
    by_file = summary_of(file, "--config", config)
    options = ["--target", "bought", "--goal", "recall", "--floor", 0.8, "--drop", "paid", "--drop", "id", "--cv", 2]
    assert by_file == summary_of(file, *options)
    assert summary_of(file, "--config", config, "--goal", "precision")["context"]["goal"] == "precision"
    for content, words in (("tarjet = 1\n", "'tarjet'"), ("target = \n", "run.toml is not valid TOML")):
        config.write_text(content)
        result = run(file, "--config", config)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert words in result.stderr


def test_finished_folds_are_kept(file, tmp_path, monkeypatch):
    folder = tmp_path / "kept"
    arguments = [file, "--target", "bought", "--checkpoint", folder, "--cv", 3]
    first = summary_of(*arguments)
    assert len(list(folder.iterdir())) == 3
    sorted(folder.iterdir())[1].write_bytes(b"damaged")
    fits = []
    original = ScorecardClassifier.fit
    monkeypatch.setattr(ScorecardClassifier, "fit", lambda self, *data: fits.append(1) or original(self, *data))
    assert summary_of(*arguments) == first
    assert len(fits) == 2


def test_interruption_keeps_the_model(file, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "bayesieve.report.held_out_rows.outer_fits", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt)
    )
    result = run(file, "--target", "bought", "--model", tmp_path / "m.json")
    assert result.exit_code == 130
    assert "the model was written to" in result.stderr
    assert load(tmp_path / "m.json").n_features_ > 0


def test_nothing_to_select(tmp_path):
    rng = np.random.default_rng(3)
    pl.DataFrame({"x": rng.normal(size=60), "y": [0, 1] * 30}).write_csv(tmp_path / "noise.csv")
    summary = summary_of(tmp_path / "noise.csv", "--target", "y", "--report", tmp_path / "r.html")
    assert summary["verdict"].startswith("No column is informative about y")


@pytest.mark.parametrize("unit", ["D", "ms", "us", "ns"])
def test_a_target_of_dates_has_classes_of_text(tmp_path, unit):
    days = np.tile(np.array(["2020-01-31", "2021-02-28"], f"datetime64[{unit}]"), 60)
    frame = pl.DataFrame({"x": np.tile([1.0, 5.0, 2.0, 6.0], 30), "y": days})
    frame.write_parquet(tmp_path / "dates.parquet")
    assert (
        run(tmp_path / "dates.parquet", "--target", "y", "--no-compare", "--model", tmp_path / "m.json").exit_code == 0
    )
    clock = "" if unit == "D" else " 00:00:00"
    assert load(tmp_path / "m.json").classes_.tolist() == [f"2020-01-31{clock}", f"2021-02-28{clock}"]
    frame.reverse().write_parquet(tmp_path / "new.parquet")
    arguments = ["evaluate", str(tmp_path / "m.json"), str(tmp_path / "new.parquet"), "--json"]
    assert json.loads(CliRunner().invoke(app, arguments).stdout)["sizes"][0]["held_out"]["accuracy"]["mean"] > 0.9


def many_levels():
    return "x,y\n" + "".join(f"{i},{i}\n" for i in range(10_000))


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        (None, [], "does not exist"),
        (b"", [], "is empty"),
        (bytes(range(256)) * 20, [], "zero bytes"),
        (b"x,z\n1,2\n", [], "'y'"),
        (b"x,y\n1,a\n2,a\n", [], "'a' in every row"),
        (b"x,y\n1,\n2,\n", [], "missing in every row"),
        (b"y\na\nb\n", [], "no column besides the target"),
        (many_levels().encode(), [], "10,000 different whole numbers"),
        (many_levels().encode(), ["--task", "classify"], "10,000 different values"),
        (b"x,y\n" + b"1,a\n" * 9 + b"2,b\n", [], "'b' of the target 'y' has too few rows (1)"),
        (b"x,y\n" + b"1,0.5\n2,1.5\n3,2.5\n" * 9, [], "numbers that are not whole, such as 0.5"),
        (b"x,y\n" + b"1,a\n2,b\n" * 9, ["--goal", "profit"], "needs --cost"),
        (b"x,y\n" + b"1,a\n2,b\n" * 9, ["--floor", "0.5"], "--floor is for"),
        (
            b"x,y\n" + b"1,a\n2,b\n" * 9,
            ["--goal", "recall", "--floor", "1.5"],
            "--floor must be between 0 and 1, got 1.5",
        ),
        (
            b"x,y\n" + b"1,a\n2,b\n" * 9,
            ["--goal", "ranking", "--cost", "2"],
            "--cost is for --goal profit; the goal is ranking",
        ),
        (
            b"x,y\n" + b"1,a\n2,b\n" * 9,
            ["--goal", "profit", "--cost", "9", "--amount", "8"],
            "less than --amount, got 9 and 8",
        ),
        (b"x,y\n" + b"1,a\n2,b\n" * 9, ["--min-gain", "0"], "--min-gain must be above 0"),
        (b"x,y\n" + b"1,a\n2,b\n" * 9, ["--test", "{}/data.csv"], "has the training rows"),
        (b"x,y\n" + b"1,a\n2,b\n" * 9, ["--positive", "c"], "the classes are a, b"),
        (b"x,y\n" + b"1,a\n2,b\n" * 9, ["--drop", "w"], "'w'"),
        (b"x,y\n" + b"1,a\n2,b\n3,c\n" * 9, ["--goal", "recall"], "two classes"),
        (b"x,y\n" + b"1,a\n2,b\n" * 9, ["--report", "{}/no/r.html"], "does not exist"),
        (b"x,y\n" + b"1,a\n2,b\n" * 9, ["--model", "{}"], "it is a folder"),
        (b"x,y\n" + b"1,a\n2,b\n" * 9, ["--model", "{}/data.csv"], "which is an input file"),
        (b"x,y\n" + b"1,a\n2,b\n" * 9, ["--report", "{}/data.csv"], "--report must be an HTML file"),
        (
            b"x,y\n" + b"1,a\n2,b\n" * 9,
            ["--report", "{0}/m.html", "--model", "{0}/m.report.json"],
            "the summary of --report",
        ),
        (b"x,y\n" + b"1,a\n2,b\n" * 9, ["--config", "{}/none.toml"], "cannot be read"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path, content, options, words):
    path = tmp_path / "data.csv"
    if content is not None:
        path.write_bytes(content)
    result = run(path, "--target", "y", *(each.format(tmp_path) for each in options))
    assert result.exit_code == 2, result.output
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == ([path] if content is not None else [])


def test_text_that_is_not_utf8_is_read_with_a_warning(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes(b"x,stadt,y\n" + "1,Köln,a\n2,Bonn,b\n".encode("latin-1") * 30)
    result = run(path, "--target", "y")
    assert result.exit_code == 0
    assert result.stderr.startswith("Warning: ")
    assert "not UTF-8" in result.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_a_full_disk_leaves_the_old_file(file, tmp_path, monkeypatch):
    """The new file is written where the disk is full; the old one stays."""
    model = tmp_path / "m.json"
    model.write_text("old")

    def full(place):
        (tmp_path / "m.json.new").symlink_to("/dev/full")
        return tmp_path / "m.json.new"

    monkeypatch.setattr(output, "temporary_path", full)
    result = run(file, "--target", "bought", "--model", model)
    assert result.exit_code == 2
    assert "No space left on device" in result.stderr
    assert model.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(file, tmp_path):
    tmp_path.chmod(0o500)
    result = run(file, "--target", "bought", "--model", tmp_path / "m.json")
    tmp_path.chmod(0o700)
    assert result.exit_code == 2
    assert "Permission denied" in result.stderr


def test_pairs_are_listed_with_importance_and_gain(capsys):
    *_, summary = evaluated_with_pairs()
    print_summary(summary, None, None, "--report FILE")
    text = " ".join(capsys.readouterr().out.split())
    assert "Pairs of columns" in text
    assert "gain (log loss)" in text
    assert "noise 29 × gap" in text
    assert "0.0125" in text
    *_, summary = evaluated()
    print_summary(summary, None, None, "--report FILE")
    assert "Pairs of columns" not in capsys.readouterr().out


@pytest.mark.parametrize("method", ["scorecard", "nb"])
def test_as_many_groups_as_outer_folds_leave_fewer_for_the_folds_inside(tmp_path, method):
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    table = {"x": x, "site": np.arange(200) % 3, "y": (x + rng.logistic(size=200) > 0).astype(int)}
    pl.DataFrame(table).write_csv(tmp_path / "sites.csv")
    options = ("--target", "y", "--group", "site", "--method", method, "--no-compare")
    result = run(tmp_path / "sites.csv", *options, "--cv", 3)
    assert result.exit_code == 0, result.output
    few = run(tmp_path / "sites.csv", *options)
    assert (few.exit_code, "There are 3 groups; 5 folds need at least 5." in few.stderr) == (2, True)


class TestColumns:
    def test_fields_of_a_column(self, file, tmp_path):
        content = tmp_path / "columns.toml"
        content.write_text('["noise"]\nmissing = "neutral"\n["[red]age"]\nmonotone = "decreasing"\n', encoding="utf-8")
        as_json = tmp_path / "columns.json"
        as_json.write_text(json.dumps({"noise": {"missing": "neutral"}}), encoding="utf-8")
        age = ["--column", "[red]age:monotone=increasing"]
        expected = {"noise": {"missing": "neutral"}, "[red]age": {"monotone": "increasing"}}
        for given in (
            ["--columns", content, *age],
            ["--columns", as_json, *age],
            ["--column", "noise:missing=neutral", *age],
        ):
            path = tmp_path / "m.json"
            result = run(file, "--target", "bought", "--drop", "paid", "--drop", "id", *given, "--model", path)
            assert result.exit_code == 0, result.output
            assert load(path).columns == expected

    def test_lists_and_several_fields(self):
        options = [
            "a:b:ordered=low,so-so,high=1,missing=neutral",
            "c:monotone=increasing,missing=learn",
            "d:monotone=class: 1:decreasing",
            "c:ordered=x,y",
        ]
        assert read_column_options(options) == {
            "a:b": {"ordered": ["low", "so-so", "high=1"], "missing": "neutral"},
            "c": {"monotone": "increasing", "missing": "learn", "ordered": ["x", "y"]},
            "d": {"monotone": {"class: 1": "decreasing"}},
        }

    def test_labels_of_classes(self):
        columns = {"a": {"monotone": {"1": "increasing"}, "missing": "1"}}
        assert with_class_labels(columns, [0, 1, 2]) == {"a": {"monotone": {1: "increasing"}, "missing": "1"}}

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            (["--column", "noise"], "--column must be a column, a colon and its fields"),
            (["--column", "noise:montone=increasing"], "--column must be a column, a colon and its fields"),
            (["--column", "noise:missing=learn,montone=up"], "has the unknown field 'montone'; fields are monotone"),
            (["--column", "noise:missing=learn,neutral"], "has 'neutral', which is not a field and its value"),
            (["--column", "noise:missing=learn,missing=neutral"], "has the field 'missing' twice"),
            (["--column", "nose:missing=learn"], "--column names the column 'nose', which the table does not have"),
            (["--column", "noise:monotone=up"], "columns['noise']: monotone must be 'increasing' or 'decreasing'"),
            (["--column", "noise:missing=learn", "--method", "nb"], "--column is for --method scorecard"),
            (["--columns", "none.json"], "--columns none.json cannot be read"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, file, given, message):
        result = run(file, "--target", "bought", *given)
        assert result.exit_code == 2
        assert message in " ".join(result.output.split())

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("c.json", "{", "is not valid JSON"),
            ("c.toml", "[a", "is not valid TOML"),
            ("c.json", "[1]", "must have an object of fields for each column"),
            ("c.json", '{"a": 1}', "must have an object of fields for each column"),
        ],
    )
    def test_a_file_that_is_not_one(self, file, tmp_path, name, content, message):
        (tmp_path / name).write_text(content)
        result = run(file, "--target", "bought", "--columns", tmp_path / name)
        assert result.exit_code == 2
        assert message in " ".join(result.output.split())


@pytest.mark.parametrize("is_in_blocks", [False, True])
def test_a_target_of_many_numbers_is_a_question(tmp_path, is_in_blocks):
    rng = np.random.default_rng(0)
    months = np.arange(4200) % 21
    table = pl.DataFrame({"x": months + rng.normal(size=4200), "months": months, "price": months + 0.5})
    table.write_parquet(tmp_path / "t.parquet")
    where = [tmp_path / "t.parquet", *(["--memory", "50MB"] if is_in_blocks else [])]
    refused = run(*where, "--target", "months")
    assert refused.exit_code == 2
    assert refused.stderr == (
        "Error: The target 'months' has 21 different whole numbers, which may be amounts or counts; add --task "
        "classify if each of them is a class, or name another column as --target.\n"
    )
    refused = run(*where, "--target", "price", "--task", "classify")
    assert "The target 'price' has numbers that are not whole, such as 0.5: " in refused.stderr.replace(";", ":")
    allowed = run(*where, "--target", "months", "--task", "classify", "--no-compare")
    assert allowed.exit_code == 0, allowed.stderr
    assert "Warning" not in allowed.stderr


def test_a_positive_class_that_is_called_no_is_explained(tmp_path):
    rng = np.random.default_rng(0)
    good = rng.random(300) < 0.4
    frame = pl.DataFrame({"x": good + rng.normal(size=300), "bad": np.where(good, 0, 1)})
    frame.write_csv(tmp_path / "t.csv")
    fit = ["fit", str(tmp_path / "t.csv"), "--target", "bad", "--no-compare", "--cv", "2"]
    words = "positive class: 0, the less frequent one (--positive 1 names the other)."
    env = {"COLUMNS": "200"}
    assert words in CliRunner().invoke(app, fit, env=env).stdout
    assert "positive class: 1." in CliRunner().invoke(app, [*fit, "--positive", "1"], env=env).stdout
