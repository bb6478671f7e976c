"""A fit on Parquet files in blocks: the model of the same rows in memory, evaluated on held-out rows."""

import hashlib
import json
import sys

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from bayesieve import ScorecardClassifier, load, open_parquet
from bayesieve.cli.app import app
from bayesieve.cli.fit_options import METHODS, Method
from bayesieve.evaluation import score_probabilities


def people(n_rows=1500):
    rng = np.random.default_rng(0)
    bought = rng.random(n_rows) < 0.35
    return pl.DataFrame(
        {
            "noise": rng.normal(size=n_rows),
            "age": np.where(bought, 50, 42) + rng.normal(scale=8, size=n_rows).round(1),
            "town": np.where(rng.random(n_rows) < 0.6, np.where(bought, "a", "b"), "c"),
            "gift": rng.integers(1, 9, n_rows),
            "bought": [None if i % 100 == 3 else "yes" if each else "no" for i, each in enumerate(bought.tolist())],
        }
    )


PEOPLE = people()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder of the same table in three files, and in one."""
    path = tmp_path_factory.mktemp("large")
    (path / "parts").mkdir()
    for i, (begin, end) in enumerate(((0, 700), (700, 701), (701, 1500))):
        PEOPLE[begin:end].write_parquet(path / "parts" / f"{i}.parquet")
    PEOPLE.write_parquet(path / "people.parquet")
    return path


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr("bayesieve.data.blocks.parquet_frame._MIN_ROWS", 256)
    monkeypatch.setattr("bayesieve.data.blocks.parquet_frame._MAX_ROWS", 256)


def run(*arguments):
    return CliRunner().invoke(app, ["fit", *map(str, arguments)], env={"COLUMNS": "110"})


def summary_of(*arguments):
    result = run(*arguments, "--target", "bought", "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def divided(path):
    """Return training rows and held-out rows, in memory."""
    train, held_out = (each.read() for each in open_parquet(path).drop_missing("bought").divide(100_000))
    return train, held_out


def test_the_model_is_that_of_the_rows_it_is_given(folder, tmp_path):
    file = folder / "people.parquet"
    arguments = [file, "--target", "bought", "--memory", "50MB", "--report", tmp_path / "r.html"]
    result = run(*arguments, "--model", tmp_path / "m.json")
    assert result.exit_code == 0, result.output
    train, held_out = divided(file)
    for words in ("1,485 rows, 4 columns", "15 rows have no 'bought'", "held-out"):
        assert words in result.stdout
    n_all = len(train) + len(held_out)
    assert f"{len(held_out)} of {n_all:,} rows, spread evenly over the table, were held out" in result.stdout
    assert "without cross-validation" in result.stdout.replace("\n", " ")
    direct = ScorecardClassifier().fit(train.drop("bought"), train["bought"].to_numpy())
    rows = PEOPLE.drop("bought")
    assert np.array_equal(load(tmp_path / "m.json").predict_proba(rows), direct.predict_proba(rows))
    page = (tmp_path / "r.html").read_text()
    assert f"on the other {len(train):,} rows" in page
    summary = json.loads((tmp_path / "r.report.json").read_text())
    assert summary["data"]["n_rows"] == len(held_out)
    assert summary["evaluation"]["n_train"] == len(train)
    assert summary["data"]["fingerprint"] == "sha256:" + hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.mark.parametrize("method", ["nb", "esnb", "vote", "boost"])
def test_other_methods(folder, tmp_path, method):
    file = folder / "people.parquet"
    options = ["--method", method, "--drop", "gift", "--max-features", 2, "--checkpoint", tmp_path / "kept"]
    files = ["--model", tmp_path / "m.json", "--report", tmp_path / "r.html"]
    summary = summary_of(file, "--memory", "50MB", *options, *files)
    train, held_out = divided(file)
    estimator = METHODS[Method(method)].build(drop=["gift"], n_features=(0, 2))
    direct = estimator.fit(train.drop("bought"), train["bought"].to_numpy())
    model, rows = load(tmp_path / "m.json"), PEOPLE.drop("bought")
    assert model.checkpoint is None
    assert np.array_equal(model.predict_proba(rows), direct.predict_proba(rows))
    assert summary["data"]["n_rows"] == len(held_out)
    assert summary["model"]["estimator"] == type(model).__name__
    assert len(list((tmp_path / "kept").glob("*.json"))) == 1


def test_scores_are_those_of_the_rows_held_out(folder, tmp_path):
    file = folder / "people.parquet"
    summary = summary_of(file, "--memory", "50MB", "--model", tmp_path / "m.json")
    _, held_out = divided(file)
    model = load(tmp_path / "m.json")
    (size,) = (each for each in summary["sizes"] if each["selected"])
    expected = score_probabilities(
        held_out["bought"].to_numpy(), model.predict_proba(held_out.drop("bought")), model.classes_
    )
    for name in ("log_loss", "accuracy"):
        # Groups have as many rows, but for one.
        assert size["held_out"][name]["mean"] == pytest.approx(expected[name], rel=0.01)
        assert 0 < size["held_out"][name]["standard_error"] < 0.2 * size["held_out"][name]["mean"]
    assert sum(map(sum, size["confusion"])) == len(held_out)
    assert size["optimistic"] == dict.fromkeys(("log_loss", "brier", "auc", "accuracy"))
    assert summary["stability"] == {"n_folds": 0, "jaccard": None, "sizes": [], "notes": []}
    assert set(summary["columns"]["n_folds_selected"]) == {None}


def test_a_folder_and_its_files_are_one_table(folder):
    single = summary_of(folder / "people.parquet", "--memory", "50MB")
    by_folder = summary_of(folder / "parts", "--memory", "50MB")
    files = sorted((folder / "parts").iterdir())
    by_files = summary_of(*files, "--memory", "50MB")
    assert by_folder["reproduce"]["command"].startswith(
        f"bayesieve fit {folder / 'parts'} --target bought --memory 50MB"
    )
    assert by_files["reproduce"]["command"].startswith("bayesieve fit " + " ".join(map(str, files)))
    for each in (by_folder, by_files):
        assert each["context"]["source"] == "0.parquet and 2 more"
        for name in ("sizes", "columns", "bins", "evaluation", "decision"):
            assert each[name] == single[name]


def test_a_fit_goes_on_from_its_checkpoint(folder, tmp_path):
    arguments = [folder / "people.parquet", "--memory", "50MB"]
    expected = summary_of(*arguments)
    kept = [*arguments, "--checkpoint", tmp_path / "kept", "--model", tmp_path / "m.json"]
    summary_of(*kept, "--time-limit", 0)
    (file,) = (tmp_path / "kept").glob("*.json")
    begun = json.loads(file.read_text())["answers"]
    summary = summary_of(*kept)
    assert json.loads(file.read_text())["answers"][: len(begun)] == begun
    assert load(tmp_path / "m.json").checkpoint is None
    for name in ("sizes", "columns", "bins", "evaluation", "decision"):
        assert summary[name] == expected[name]


@pytest.mark.parametrize(
    ("options", "threshold"),
    [
        (["--goal", "recall", "--floor", "0.8"], ("recall", 0.8)),
        (["--goal", "precision", "--positive", "no"], ("precision", 0.9)),
        (["--goal", "profit", "--cost", "2", "--amount", "8"], 0.25),
    ],
)
def test_goals_and_limits(folder, tmp_path, options, threshold):
    arguments = [*options, "--max-features", 2, "--keep", "noise", "--drop", "gift"]
    summary = summary_of(folder / "people.parquet", "--memory", "50MB", *arguments, "--model", tmp_path / "m.json")
    model = load(tmp_path / "m.json")
    assert model.threshold == threshold
    assert "noise" in model.feature_weights_
    assert len(model.feature_weights_) <= 2
    assert summary["evaluation"]["n_folds"] == 0
    decision = summary["decision"]
    _, held_out = divided(folder / "people.parquet")
    assert decision["true_positives"] + decision["false_negatives"] == int(
        (held_out["bought"] == model.pos_label).sum()
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--memory", "lots"], "memory must be a size"),
        (["--memory", "50MB", "--numeric", "town"], "--numeric cannot be used with"),
        *(
            (["--memory", "50MB", f"--{option}", "town"], f"--{option} cannot be used with --memory or --dask: ")
            for option in ("na", "sep", "decimal", "sheet", "group", "weight", "time", "test", "categorical")
        ),
        (["--memory", "50MB", "--coerce"], "--coerce cannot be used with --memory or --dask: the Parquet file"),
        (["--memory", "50MB", "--compare"], "--compare cannot be used with --memory or --dask: the other models"),
        (["--memory", "50MB", "--goal", "profit", "--cost", "1", "--amount", "gift"], "names the column 'gift'"),
        (["--memory", "50MB", "--goal", "profit", "--cost", "1", "--amount", "much"], "a number or a column"),
        (["--memory", "50MB", "--positive", "maybe"], "the classes are no, yes"),
        (["--memory", "50MB", "--drop", "w"], "'w'"),
        (["--memory", "50MB", "--method", "nb", "--pairs", "3"], "--pairs is for --method scorecard; this fit"),
        (["--memory", "50MB", "--cv", "5"], "--cv cannot be used with --memory or --dask: one model is evaluated"),
        (["--memory", "50MB", "--model", "{}/data.parquet"], "which is an input file"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(tmp_path, options, words):
    PEOPLE.write_parquet(tmp_path / "data.parquet")
    result = run(tmp_path / "data.parquet", "--target", "bought", *(each.format(tmp_path) for each in options))
    assert result.exit_code == 2, result.output
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"x": [1, 2] * 30}, "'bought'"),
        ({"bought": ["a", "b"] * 30}, "no column besides the target"),
        ({"x": [1, 2] * 30, "bought": ["a"] * 60}, "'a' in every row"),
        ({"x": [1, 2] * 30, "bought": [None] * 60}, "missing in every row"),
        ({"x": [1] * 200, "bought": range(200)}, "200 different whole numbers"),
        ({"x": [], "bought": []}, "missing in every row"),
    ],
)
def test_tables_that_cannot_be_learned(tmp_path, table, words):
    pl.DataFrame(table, strict=False).write_parquet(tmp_path / "data.parquet")
    result = run(tmp_path / "data.parquet", "--target", "bought", "--memory", "50MB")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1), result.output
    assert words in result.stderr


def test_other_files_are_read_whole(folder, tmp_path):
    PEOPLE.write_csv(tmp_path / "people.csv")
    (tmp_path / "empty").mkdir()
    files = [folder / "people.parquet", folder / "people.parquet"]
    for given, words in (
        ([tmp_path / "people.csv", "--memory", "50MB"], "is not a Parquet file"),
        ([tmp_path / "empty", "--memory", "50MB"], "folder without *.parquet files"),
        (files, "2 files are given. Several Parquet files are read as one table with --memory or --dask; join"),
        ([folder / "parts"], "is a folder; add --memory"),
    ):
        result = run(*given, "--target", "bought")
        assert result.exit_code == 2
        assert words in result.stderr


def test_an_interrupted_fit_keeps_the_model(folder, tmp_path, monkeypatch):
    fit = ScorecardClassifier.fit

    def stopped(self, X, y):
        model = fit(self, X, y)
        object.__setattr__(model.path_, "complete", False)
        return model

    monkeypatch.setattr(ScorecardClassifier, "fit", stopped)
    result = run(folder / "people.parquet", "--target", "bought", "--memory", "50MB", "--model", tmp_path / "m.json")
    assert result.exit_code == 130
    assert "the model was written to" in result.stderr
    assert "use --checkpoint FOLDER to resume later" in result.stderr
    assert load(tmp_path / "m.json").n_features_ > 0


def test_without_the_extra_it_is_named(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = run(folder / "people.parquet", "--target", "bought", "--dask", "local")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "pip install 'bayesieve[dask]'" in result.stderr


def test_no_scheduler_answers(folder, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("bayesieve.data.blocks.dask_blocks._CONNECT_TIMEOUT", 0.2)
    for address in ("tcp://127.0.0.1:9", "nowhere://x"):
        result = run(folder / "people.parquet", "--target", "bought", "--dask", address)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1), result.output
        assert f"No Dask scheduler is reachable at '{address}'" in result.stderr


# Dask leaves sockets to the collector of garbage.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_workers_give_the_same_model(folder, tmp_path, monkeypatch):
    """A scheduler that is there, by its address; and one that is started and ended."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("bayesieve.data.blocks.parquet_frame._MAX_ROWS", 1 << 10)
    monkeypatch.setattr("bayesieve.data.blocks.parquet_frame._MIN_ROWS", 1 << 10)
    few = ["--max-features", 1, "--drop", "gift", "--drop", "noise"]
    summary_of(folder / "people.parquet", "--memory", "50MB", *few, "--model", tmp_path / "here.json")
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster:
        there = cluster.scheduler_address
        summary_of(folder / "parts", "--dask", there, *few, "--model", tmp_path / "there.json")
    summary_of(folder / "parts", "--dask", "local", *few, "--model", tmp_path / "local.json")
    rows = PEOPLE.drop("bought")
    expected = load(tmp_path / "here.json").predict_proba(rows)
    for name in ("there.json", "local.json"):
        assert np.array_equal(load(tmp_path / name).predict_proba(rows), expected)
