"""The comparison of classifiers: a small run, its resumption, and its tables."""

import json
import os
import signal
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("resource", reason="fits are limited by a facility of Unix")

from benchmarks import quality_fit
from benchmarks.quality import main, page_tables
from benchmarks.quality_exchange import Answer, Problem
from benchmarks.quality_methods import METHODS
from benchmarks.quality_page import ratio_picture, with_tables
from benchmarks.quality_process import FitCutError, fit_apart
from benchmarks.quality_results import SAVED, Result, ResultsFile, calibration_error, measure
from benchmarks.quality_sets import QualitySet, known_sets, quality_sets
from benchmarks.quality_tables import Comparison

RESEARCH = SAVED.parents[1]
EXPLANATION = RESEARCH.parent / "docs" / "explanation"
PAGES = [RESEARCH / "quality.md", EXPLANATION / "quality.md"]

forks = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # a test runner has threads


@pytest.fixture
def problem():
    kinds = pd.Categorical(["a", "b", None, "c"])
    rows = pd.DataFrame({"number": [1.5, np.nan, 3.0, 4.0], "kind": kinds})
    return Problem(rows.iloc[:3], np.array([0, 1, 0]), rows.iloc[3:], {"k": 1})


def small_set(n_rows=90, name="small"):
    return QualitySet(name, n_rows, 2, lambda: (pd.DataFrame(), np.zeros(0, dtype=np.int64)))


def result(fold, method, loss, **more):
    measures = {"log_loss": loss, "auc": 0.5, "brier": 0.25, "calibration": 0.0, "n_columns": 2, "seconds": 1.0}
    return Result("small", fold, method, "1", "done", **(measures | more))


@forks
def test_a_run_is_resumed_and_an_old_version_refitted(tmp_path, capsys):
    file, page = tmp_path / "results.jsonl", tmp_path / "page.md"
    page.write_text("<!-- table: versions -->\nold\n<!-- end of table -->\n")
    arguments = ["--results", str(file), "--sets", "breast_cancer", "--methods", "snb", "lr", "--folds", "1"]
    main([*arguments, "--seconds", "60", "--page", str(page)])
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(line["method"], line["fold"], line["state"]) for line in lines] == [("lr", 0, "done"), ("snb", 0, "done")]
    assert all(0 < line["log_loss"] < 0.3 and line["auc"] > 0.95 and line["seconds"] > 0 for line in lines)
    assert (lines[1]["n_train"], lines[1]["n_test"], lines[0]["n_columns"]) == (379, 190, 30)
    assert "| logistic regression" in capsys.readouterr().out
    assert "- logistic regression: scikit-learn" in page.read_text()
    assert "old" not in page.read_text()

    main([*arguments, "--quiet", "--again", "snb"])
    assert len(file.read_text().splitlines()) == 2  # the same version
    file.write_text("".join(json.dumps(line | {"version": "old"}) + "\n" for line in lines))
    main([*arguments, "--quiet", "--again", "snb"])
    assert [line.split('"version": ')[1][:5] for line in file.read_text().splitlines()] == ['"old"', '"old"', '"baye']


def test_sets_kept_for_the_end_are_asked_for(tmp_path):
    assert not any(each.is_final for each in quality_sets().values())
    with pytest.raises(SystemExit):
        main(["--results", str(tmp_path / "results.jsonl"), "--sets", "mushroom"])


def test_a_problem_is_read_as_it_was_written(problem, tmp_path):
    problem.write(tmp_path)
    read = Problem.read(tmp_path)
    assert read.settings == {"k": 1}
    assert read.target.tolist() == [0, 1, 0]
    assert read.train["number"].tolist()[::2] == [1.5, 3.0]
    assert read.train["kind"].cat.categories.tolist() == ["a", "b"]  # "c" is known from the test rows only
    assert read.train["kind"].isna().tolist() == [False, False, True]
    assert read.test["kind"].tolist() == ["c"]
    assert read.kinds("n", "c") == {"number": "n", "kind": "c"}


@forks
def test_a_fit_is_cut_and_its_error_shown(problem):
    def answer(folder):
        Answer([0.5], 1, None, 0.0).write(folder)

    def loop(folder):
        while True:
            pass

    def fail(folder):
        raise KeyError("a reason")

    def end(folder):
        os.kill(os.getpid(), signal.SIGKILL)

    assert fit_apart(answer, problem, 5).probabilities == [0.5]
    with pytest.raises(FitCutError):
        fit_apart(loop, problem, 1)
    with pytest.raises(RuntimeError, match="a reason"):
        fit_apart(fail, problem, 5)
    with pytest.raises(RuntimeError, match="status -9"):
        fit_apart(end, problem, 5)


def test_splits_are_the_same_in_each_run_and_cover_all_rows():
    y = np.arange(90) % 3 // 2
    splits = small_set().splits(y)
    assert sorted(np.concatenate([split.test for split in splits]).tolist()) == list(range(90))
    again = small_set().splits(y)
    assert all((a.train == b.train).all() for a, b in zip(splits, again, strict=True))
    (last,) = small_set(name="elec2").splits(y)
    assert last.test.tolist() == list(range(60, 90))


def test_calibration_error_by_hand():
    probabilities = np.repeat([0.2, 0.8], 50)
    y = np.r_[np.ones(20), np.zeros(30), np.ones(35), np.zeros(15)].astype(np.int64)
    # Bins: 0.4 observed instead of 0.2, 0.7 instead of 0.8.
    assert calibration_error(y, probabilities) == pytest.approx(0.5 * 0.2 + 0.5 * 0.1)


def test_differences_are_paired_and_cuts_are_shown(tmp_path):
    file = ResultsFile(tmp_path / "results.jsonl")
    for fold, (ours, theirs) in enumerate([(0.1, 0.2), (0.3, 0.4), (0.2, 0.6)]):
        file.append(result(fold, "snb", ours))
        file.append(result(fold, "lr", theirs))
    file.append(Result("small", 0, "ebm", "1", "cut", "after 1 s"))
    comparison = Comparison(file.read().values(), {"small": small_set()}, METHODS)
    difference = comparison.difference(small_set(), ("snb", "lr"), "log_loss")
    assert (difference.mean, difference.error) == pytest.approx((-0.2, 0.1))
    assert "-0.2000 (0.1000)" in comparison.to_text()
    tables = comparison.to_page()
    assert any("cut" in line for line in tables["log loss of each set"].splitlines() if "small" in line)
    assert "Fewer than 1,000 rows" in tables
    assert "1,000 rows and more" not in tables


def test_fewer_folds_are_marked_and_seconds_compared_on_common_folds():
    done = [result(0, "scorecard", 0.1, seconds=2.0), result(1, "scorecard", 0.3, seconds=4.0)]
    done += [result(2, "scorecard", 0.2, seconds=6.0), result(1, "ebm", 0.5, seconds=100.0)]
    tables = Comparison(done, {"small": small_set()}, METHODS).to_page()
    cells = [cell.strip() for cell in tables["log loss of each set"].splitlines()[-1].split("|")]
    assert cells[1:-1] == ["small", "90 × 2", "0.2000", "0.5000 [1]"]
    cells = [cell.strip() for cell in tables["processor seconds"].splitlines()[-2].split("|")]
    assert cells[1:-1] == ["small", "90 × 2", "4.0", "100.0 [1] (× 25)"]


def test_differences_to_each_method_are_means_over_sets_of_a_group():
    sets = {name: small_set(n_rows, name) for name, n_rows in {"small": 90, "ozone-1h": 2536, "sylva": 2000}.items()}
    losses = {"small": (0.2, 0.1), "ozone-1h": (0.2, 0.3), "sylva": (0.1, 0.4)}
    done = [
        replace(result(0, method, loss), set=name)
        for name, pair in losses.items()
        for method, loss in zip(("scorecard", "catboost"), pair, strict=True)
    ]
    table = Comparison(done, sets, METHODS).to_page()["scorecard, minus others"].splitlines()
    heads, cells = ([cell.strip() for cell in table[i].split("|")[2:-1]] for i in (0, 2))
    assert dict(zip(heads, cells, strict=True)) == {
        "all sets without elec2": "+0.0000 (0.1000), 1 of 2",
        "1,000 rows and more, without elec2": "-0.1000, 1 of 1",
        "added later": "-0.1000, 1 of 1",
        "fewer than 1,000 rows": "+0.1000, 0 of 1",
        "kept for the end": "-0.3000, 1 of 1",
    }


def test_few_columns_are_compared_with_as_many():
    losses = {"scorecard": 0.3, "scorecard-best": 0.2, "scorecard-5": 0.5, "snb": 0.4, "snb-5": 0.35}
    done = [result(fold, name, loss + 0.1 * fold * (name == "snb")) for name, loss in losses.items() for fold in (0, 1)]
    done = [replace(each, n_columns=1, n_pairs=2) if each.method == "scorecard" else each for each in done]
    tables = Comparison(done, {"small": small_set()}, METHODS).to_page()
    lines = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in tables["scorecard minus selective naive Bayes"].splitlines()
    ]
    assert lines[0][2:] == ["scorecard", "scorecard, best", "scorecard, 5 columns"]
    assert lines[2][2:] == ["-0.1500 (0.0500)", "-0.2500 (0.0500)", "+0.1500 (0.0000)"]
    assert lines[3] == ["better on", "", "1 of 1", "1 of 1", "0 of 1"]
    assert "| small      |         90 × 2 | 1.0, 2.0 pairs |" in tables["columns and pairs of each set"]
    assert "50%" in tables["columns and pairs of each set"]


@pytest.mark.parametrize("path", PAGES, ids=["research", "documentation"])
def test_the_pages_show_the_saved_results(path):
    page = path.read_text(encoding="utf-8")
    assert page == with_tables(page, page_tables(ResultsFile(SAVED)))
    assert page.count("<!-- table: ") == page.count("<!-- end of table -->") > 0


def test_the_picture_shows_the_saved_results():
    picture = ratio_picture(ResultsFile(SAVED).read().values(), known_sets())
    assert (EXPLANATION / "quality.svg").read_text(encoding="utf-8") == picture


@pytest.mark.parametrize("method", ["scorecard", "scorecard-5", "snb"])
def test_a_saved_result_is_what_a_fit_gives(method, tmp_path):
    data = known_sets()["breast_cancer"]
    X, y = data.load()
    split = data.splits(y)[0]
    Problem(X.iloc[split.train], y[split.train], X.iloc[split.test], METHODS[method].settings).write(tmp_path)
    quality_fit.run(tmp_path)
    answer, saved = Answer.read(tmp_path), ResultsFile(SAVED).read()["breast_cancer", 0, method]
    found = measure(y[split.test], np.array(answer.probabilities))
    assert found == pytest.approx({name: getattr(saved, name) for name in found}, rel=1e-5)
    assert (answer.n_columns, answer.n_pairs) == (saved.n_columns, saved.n_pairs)
