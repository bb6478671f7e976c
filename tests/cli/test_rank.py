"""Columns of a file ranked, as a person and as a program would ask for it."""

import json
import re

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from bayesieve import FilterSelector, VoteSelector
from bayesieve.cli.app import app
from bayesieve.fit.filter import FILTERS


def people():
    rng = np.random.default_rng(0)
    bought = rng.random(300) < 0.4
    return pl.DataFrame(
        {
            "noise": rng.normal(size=300),
            "[red]": np.where(bought, 50, 40) + rng.normal(scale=8, size=300).round(1),
            "town": np.where(bought, rng.choice(["a", "b"], 300), rng.choice(["b", "c"], 300)),
            "bought": [None if i == 3 else "yes" if each else "no" for i, each in enumerate(bought.tolist())],
        }
    )


PEOPLE = people()


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "people.csv"
    PEOPLE.write_csv(path)
    return str(path)


def run(*arguments):
    return CliRunner().invoke(app, ["rank", *map(str, arguments)], env={"COLUMNS": "110"})


def test_help_names_every_score():
    words = set(re.findall(r"\w+", run("--help").stdout))
    assert set(FILTERS) <= words


@pytest.mark.parametrize(("votes", "criterion"), [("all", "expected"), ("2", "log"), (None, None)])
def test_votes_rank_columns_as_the_selector_adds_them(file, votes, criterion):
    options = [] if votes is None else ["--votes", votes, "--criterion", criterion]
    result = run(file, "--target", "bought", "--score", "vote", "--features", 2, "--json", *options)
    assert result.exit_code == 0, result.output
    columns = json.loads(result.stdout)["columns"]
    known = PEOPLE.filter(pl.col("bought").is_not_null())
    rule = {None: "any", "all": "all", "2": 2}[votes]
    selector = VoteSelector(rule, criterion or "expected", n_features=2, pos_label="yes", cv=0)
    path = selector.fit(known.drop("bought"), known["bought"].to_numpy()).path_
    assert [column["name"] for column in columns if column["selected"]] == list(path.order)
    assert [column["score"] for column in columns] == [*path.values, None]
    assert [column["rank"] for column in columns] == [1, 2, 3]


@pytest.mark.parametrize("score", sorted(FILTERS))
def test_json_is_what_the_selector_says(file, score):
    result = run(file, "--target", "bought", "--score", score, "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    known = PEOPLE.filter(pl.col("bought").is_not_null())
    selector = FilterSelector(score).fit(known.drop("bought"), known["bought"].to_numpy())
    assert (document["score"], document["rows"], document["rows_without_target"]) == (score, 299, 1)
    assert document["complete"]
    for entry in document["columns"]:
        j = known.columns.index(entry["name"])
        assert entry["rank"] == selector.ranking_[j]
        assert entry["selected"] == selector.support_[j]
        assert entry["score"] == (None if np.isnan(selector.scores_[j]) else selector.scores_[j])
    assert [entry["rank"] for entry in document["columns"]] == [1, 2, 3]


def test_table_to_read(file):
    result = run(file, "--target", "bought", "--features", 1)
    assert result.exit_code == 0
    lines = [line for line in result.stdout.splitlines() if "│" in line]
    assert "town" in lines[0]
    assert "yes" in lines[0]
    assert "[red]" in lines[1]
    assert "1 of 300 rows have no 'bought'" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--target", "bougth"], "did you mean 'bought'"),
        (["--target", "bought", "--column", "bought"], "which is the target"),
        (["--target", "bought", "--votes", "all"], "--votes cannot be used with --score mutual_info"),
        (["--target", "bought", "--score", "vote", "--votes", "0"], "--votes must be 'any', 'all', 'majority'"),
        (["--target", "bought", "--score", "vote", "--positive", "maybe"], "the classes are no, yes"),
        (["--target", "bought", "--score", "cfs", "--features", "2"], "determines the number of columns"),
        (["--target", "bought", "--score", "modl_level", "--discretizer", "none"], "discretizer='modl' is expected"),
    ],
)
def test_bad_input_is_one_sentence(file, arguments, words):
    result = run(file, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


def test_unknown_score(file):
    assert run(file, "--target", "bought", "--score", "luck").exit_code == 2


def test_names_do_not_command_the_terminal(tmp_path):
    name = "a\x1b]0;title\x07\x1b[31m\x9b"
    path = tmp_path / "odd.parquet"
    PEOPLE.rename({"town": name}).write_parquet(path)
    result = run(path, "--target", "bought")
    assert result.exit_code == 0, result.output
    assert not set("\x1b\x07\x9b") & set(result.output)
    assert "a\\x1b]0" in result.output
    missing = run(path, "--target", name + "!")
    assert not set("\x1b\x07\x9b") & set(missing.output)


@pytest.mark.parametrize("command", ["rank", "discretize"])
def test_dropped_columns_are_left_out_as_by_fit(file, command):
    arguments = [command, file, "--target", "bought", "--json"]
    result = CliRunner().invoke(app, [*arguments, "--drop", "noise", "--drop", "town"])
    assert result.exit_code == 0, result.output
    assert [column["name"] for column in json.loads(result.stdout)["columns"]] == ["[red]"]
    dropped = [text for name in ("noise", "town", "[red]") for text in ("--drop", name)]
    refused = CliRunner().invoke(app, [*arguments, *dropped])
    assert (refused.exit_code, "besides the target 'bought' and those of --drop" in refused.stderr) == (2, True)
