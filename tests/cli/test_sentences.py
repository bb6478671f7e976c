"""Sentences that commands print: names that are near others, numbers of one, names of classes."""

import json

import numpy as np
import polars as pl
import pytest
from report.report_cases import compare_shortly
from typer.testing import CliRunner

from bayesieve.cli.app import app


def run(*arguments, columns=100, code=0):
    result = CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": str(columns)})
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sentences")
    rng = np.random.default_rng(0)
    ill = rng.random(600) < 0.3
    table = pl.DataFrame(
        {
            "internet_service": np.where(ill, rng.choice(list("aab"), 600), rng.choice(list("bcc"), 600)),
            "age": 40.0 + 5 * ill + rng.normal(scale=8, size=600),
            "noise": rng.normal(size=600),
            "answer": np.where(ill, "ill", "well"),
        }
    )
    table.write_csv(folder / "table.csv")
    with pytest.MonkeyPatch.context() as patch:
        compare_shortly(patch)
        fit = ("fit", folder / "table.csv", "--target", "answer", "--cv", 2, "--model", folder / "m.json")
        (folder / "fit.txt").write_text(run(*fit, "--keep", "noise", "--report", folder / "r.html"))
    return folder


@pytest.mark.parametrize(
    ("arguments", "words", "absent"),
    [
        (["polish"], "The commands are demo, check, fit, predict", "Did you mean"),
        (["predct"], "Did you mean 'predict'?", "The commands are"),
        (["fit", "x.csv", "--monotony", "a"], "No such option: --monotony", "--amount"),
        (["fit", "x.csv", "--targt", "a"], "No such option: --targt (Possible options: --target)", "--task"),
    ],
)
def test_names_that_are_not_near_are_no_suggestions(arguments, words, absent):
    printed = run(*arguments, code=2)
    assert words in printed
    assert absent not in printed


def test_the_first_table_has_gains_that_can_be_read(folder):
    printed = " ".join((folder / "fit.txt").read_text().split())
    assert "-0.0000" not in printed
    assert "gain (log loss)" not in printed.split("Pairs of columns")[0]
    assert "Gain: the evidence that the column has an effect, given the other selected columns" in printed
    assert "Selection scores are those by which columns and pairs were chosen; only the others are esti" in printed
    assert "optimistic" not in printed  # fewer rows are used for them, so that they can be worse, too


def test_types_are_those_of_all_columns(folder):
    page = (folder / "r.html").read_text()
    assert "columns selected; of all: 2 numeric, 1 categorical" in page
    assert "predicted probability of class ill holds" in page
    assert "of all rows of this class: a lift of" in page


def test_a_page_names_the_class_and_the_rows_of_its_bins(folder, tmp_path):
    page = (folder / "r.html").read_text()
    for words in ("log-odds of class ill", "for class ill. Intervals", "predicted probability of class "):
        assert words in page
    run("evaluate", folder / "m.json", folder / "table.csv", "--report", tmp_path / "in_sample.html")
    new = pl.read_csv(folder / "table.csv").head(300)
    new.write_csv(tmp_path / "new.csv")
    printed = run("evaluate", folder / "m.json", tmp_path / "new.csv", "--report", tmp_path / "e.html")
    assert "rows and rates of bins are those of the training" in " ".join(printed.split())
    assert "All scores and counts" not in (tmp_path / "e.html").read_text()


def test_the_ends_of_an_interval_are_not_broken(folder):
    page = (folder / "r.html").read_text()
    assert '<span class="whole">≤ ' in page
    assert "fewer than 20 rows are predicted positive.</p>" in page  # apart from the legend


def test_classes_beyond_those_that_are_listed_are_counted(tmp_path):
    labels = [f"c{k:02d}" for k in range(11) for _ in range(30)]
    pl.DataFrame({"x": range(330), "kind": labels}).write_csv(tmp_path / "t.csv")
    assert "30 c09 and 1 more class.\n" in run("check", tmp_path / "t.csv", "--target", "kind", columns=200)


def test_a_threshold_is_printed_once(folder):
    run("fit", folder / "table.csv", "--target", "answer", "--cv", 2, "--no-compare", "--model", folder / "p.json",
        "--goal", "profit", "--cost", 1, "--amount", 3)  # fmt: skip
    printed = " ".join(run("show", folder / "p.json", columns=200).split())
    assert "it is predicted if its probability is above 0.3333." in printed


def test_names_stay_in_one_line_where_there_is_room(folder):
    printed = run("check", folder / "table.csv", "--target", "answer", columns=80)
    assert "internet_service" in printed
    assert max(map(len, printed.splitlines()[2:8])) <= 80


def test_labels_that_are_mostly_different_are_left_out_unless_named(folder, tmp_path):
    table = pl.read_csv(folder / "table.csv").with_columns(
        zip=pl.Series([f"z{i % 580}" for i in range(600)]), id=pl.int_range(600)
    )
    table.write_csv(tmp_path / "t.csv")
    fit = ("fit", tmp_path / "t.csv", "--target", "answer", "--cv", 2, "--no-compare")
    printed = " ".join(run(*fit, columns=300).split())
    assert (
        "Column 'zip': it has 580 different labels in 600 rows: an identifier, or text? (It is left out; "
        "--categorical zip makes it a feature.)" in printed
    )
    assert "Column 'id': every row has a different value: an identifier? (--drop leaves it out.)" in printed
    for options, is_candidate in ([], False), (["--categorical", "zip"], True), (["--keep", "zip"], True):
        document = json.loads(run(*fit, *options, "--json"))
        reason = dict(zip(document["columns"]["name"], document["columns"]["reason"], strict=True))["zip"]
        assert (reason != "left out by drop") == is_candidate
    table[["zip", "answer"]].write_csv(tmp_path / "alone.csv")
    alone = run("fit", tmp_path / "alone.csv", "--target", "answer", "--cv", 2, "--no-compare")
    assert "--drop leaves it out" in " ".join(alone.split())


def test_columns_of_one_fact_can_be_selected_together(folder, tmp_path):
    rng = np.random.default_rng(3)
    none = rng.random(600) < 0.3
    table = pl.read_csv(folder / "table.csv").with_columns(
        pl.Series(name, np.where(none, "none", rng.choice(["yes", "no"], 600))) for name in ("tv", "phone", "a, b")
    )
    table.write_csv(tmp_path / "t.csv")
    fit = ("fit", tmp_path / "t.csv", "--target", "answer", "--cv", 2, "--no-compare", "--keep", "tv")
    assert "one fact in 3 columns" in run(*fit)
    grouped = json.loads(
        run(*fit, "--feature-group", "service=tv,phone", "--feature-group", "service=a, b", "--json", columns=300)
    )
    columns = grouped["columns"]
    selected = {name for name, inside in zip(columns["name"], columns["selected"], strict=True) if inside}
    assert {"tv", "phone", "a, b"} <= selected
    for group, words in (
        ("service", "--feature-group is NAME=COLUMN,COLUMN, got 'service'."),
        (
            "s=tv,phonne",
            "--feature-group names the column 'phonne', which the table does not have; did you mean 'phone'?",
        ),
    ):
        assert words in run(*fit, "--feature-group", group, code=2, columns=300)
    boosted = run(*fit[:-2], "--feature-group", "s=tv,phone", "--method", "boost", code=2, columns=300)
    assert "--feature-group is for --method" in boosted


def test_show_and_fit_count_the_same_columns(folder, tmp_path):
    fit = ("fit", folder / "table.csv", "--target", "answer", "--cv", 2, "--no-compare", "--drop", "noise")
    assert "2 columns (1 categorical, 1 numeric); 1 more is not a feature." in run(*fit, "--model", tmp_path / "m.json")
    assert "600 training rows, 2 columns; 1 more is not a feature." in run("show", tmp_path / "m.json")


def test_examples_of_long_texts_show_where_they_differ(folder, tmp_path):
    texts = [f"the same beginning of a long text {k % 3} and its end" for k in range(600)]
    pl.read_csv(folder / "table.csv").with_columns(pl.Series("story", texts)).write_csv(tmp_path / "t.csv")
    line = next(each for each in run("check", tmp_path / "t.csv", columns=160).splitlines() if "story" in each)
    assert len(set(line.split("\u2502")[5].split(","))) == 3
    assert "\u2026" in line


def test_a_card_names_the_model_that_decides(folder, tmp_path):
    rng = np.random.default_rng(5)
    table = pl.read_csv(folder / "table.csv").with_columns(price=rng.integers(2, 9, 600))
    table.write_csv(tmp_path / "t.csv")
    run("fit", tmp_path / "t.csv", "--target", "answer", "--cv", 2, "--no-compare", "--goal", "profit", "--cost", 1,
        "--amount", "price", "--amount-known", "--model", tmp_path / "m.json")  # fmt: skip
    run("export", tmp_path / "m.json", "--to", "card", "--out", tmp_path / "card.md")
    assert "A `BenefitClassifier` of a `ScorecardClassifier`, trained 20" in (tmp_path / "card.md").read_text()
    assert run("show", tmp_path / "m.json").startswith("BenefitClassifier of a ScorecardClassifier, trained 20")
