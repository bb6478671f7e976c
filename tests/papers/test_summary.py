"""Paper 004: means, standard errors and verdicts of made-up seeds; the journal that holds them."""

import json

import numpy as np
import pytest

from bayesieve.exceptions import DataError
from bayesieve.papers.paper_004 import indicators_table
from bayesieve.papers.paper_004.paper_claims import judge_both_guides, judge_guided, judge_others
from bayesieve.papers.paper_004.paper_figure import pictures
from bayesieve.papers.paper_004.paper_methods import METHODS
from bayesieve.papers.paper_004.paper_summary import summarize
from bayesieve.papers.paper_004.paper_table import markdown


def record(seed, errors=(), sizes=(), n_series=100):
    """Return a seed in which every row has 20 errors of 100 and 10 columns, except those given."""
    errors, sizes = dict(errors), dict(sizes)
    rows = {
        method.key: {
            "size": sizes.get(method.key, 10),
            "wrong_b": 10,
            "wrong_test": errors.get(method.key, 20),
            "phases": 1,
            "columns": [],
            "curve": [50, 20 + seed, None, 30],
            "redundancy": 0.5,
            "tied": 0.9 if method.criterion == "error" else 0.1,
        }
        for method in METHODS
    }
    counts = {"n_series": n_series, "n_validation": 50, "n_test": 100}
    return {"job": ["table", seed], **counts, "n_columns": 3, "everything": 40, "rows": rows}


def guided(seed, wrong_test=22):
    """Return the searches of a seed, guided by the other half."""
    rows = {
        method.key: {"size": 5, "wrong_b": 10, "wrong_test": wrong_test}
        for method in METHODS
        if method.is_search_of_the_paper
    }
    return {"job": ["guided", seed], "n_series": 100, "n_validation": 50, "n_test": 100, "rows": rows}


def cost(seed, forward):
    seconds = {method.key: forward if method.key.startswith("forward") else 0.1 for method in METHODS if method.printed}
    return {"job": ["cost", seed], "n_series": 100, "n_test": 100, "n_columns": 3, "seconds": seconds}


def scorecard(seed, wrong):
    return {"job": ["scorecard", seed], "n_series": 100, "n_test": 100, "size": 7, "wrong_test": wrong, "seconds": 1.5}


def verdict_of(summary, words):
    rows = [*judge_guided(summary["claims"]), *judge_others(summary)]
    (row,) = [each for each in rows if words in each["claim"]]
    return row["verdict"]


def test_rows_are_means_with_standard_errors():
    values = [11, 13, 18]
    summary = summarize([record(s, {"mi, error": v}, {"mi, error": 10 * v}) for s, v in enumerate(values)])
    row = summary["rows"][0]
    assert row["error"] == pytest.approx(0.14)
    assert row["error_standard_error"] == pytest.approx(np.std(values, ddof=1) / np.sqrt(3) / 100)
    assert row["size"] == pytest.approx(140)
    assert (row["printed_size"], row["printed_error"]) == (422, 0.1387)
    assert summary["all_indicators"]["error"] == pytest.approx(0.4)
    assert summary["all_indicators"]["error_standard_error"] == 0


def test_verdicts():
    rng = np.random.default_rng(0)
    seeds = []
    for seed in range(10):
        errors = {"mi, error": 30 + rng.integers(0, 3), "mrmr, error": 27 + rng.integers(0, 3)}
        errors["backward, error_probability"] = 18 - seed % 2
        errors["forward, error_probability"] = 18 - seed % 3
        seeds.append(record(seed, errors, {"forward, error": 50 + seed, "forward, error_probability": 40}))
    summary = summarize(seeds)
    assert verdict_of(summary, "Wrappers have a lower error") == "holds"
    assert verdict_of(summary, "Error probability always") == "holds in part"  # two of four searches do not differ
    assert verdict_of(summary, "mRMR filter has a higher error") == "does not hold"
    assert verdict_of(summary, "strongly reduces") == "holds"
    assert verdict_of(summary, "best of all") == "does not hold"
    assert verdict_of(summary, "keeps too few") == "does not hold"
    assert verdict_of(summary, "not monotone") == "holds"
    assert verdict_of(summary, "many columns tie") == "holds"
    assert verdict_of(summary, "computational cost") == "cannot be told here"
    assert verdict_of(summarize(seeds[:1]), "Wrappers have a lower error") == "cannot be told here"


def test_claims_are_judged_under_both_readings_of_the_guide():
    wrong = {method.key: 30 for method in METHODS if method.is_filter}
    seeds = [record(s, {key: each + s % 2 for key, each in wrong.items()}) for s in range(4)]
    summary = summarize([*seeds, *(guided(s, 40) for s in range(3))])
    first, *_ = judge_guided(summary["claims"])
    other, *_ = judge_guided(summary["guided_claims"])
    assert (first["verdict"], other["verdict"]) == ("holds", "does not hold")
    assert "4 seeds" in first["n"]
    rows = judge_both_guides(summary)
    assert rows[0] == {
        "method": "forward, error",
        "mean": pytest.approx(-0.2),
        "low": pytest.approx(-0.2),
        "high": pytest.approx(-0.2),
    }
    assert "| forward, error | 5 ± 0 | 0.4000 ± 0.0000 | -0.2000 |" in markdown(summary)


def test_the_cost_of_a_search():
    summary = summarize([record(1), *(cost(s, 0.8 + s / 100) for s in range(3))])
    rows = {each["claim"][:9]: each for each in judge_others(summary)}
    assert rows["Wrappers "]["effect"].startswith("0.8 s at most (forward, error)")
    assert rows["A forward"]["verdict"] == "holds in part"
    assert "8 times the seconds of mRMR" in rows["A forward"]["effect"]
    assert "| mRMR filter | 0.10 |" in markdown(summary)


def test_the_scorecard_is_apart():
    lines = markdown(summarize([record(1), *(scorecard(s, 9 + s) for s in (1, 2))])).splitlines()
    place = lines.index("| **scorecard**, fitted on both halves, 2 seeds | | 7 ± 0 | 0.1050 ± 0.0050 |")
    assert lines[place - 1] == "| *not in the paper:* | | | |"
    assert lines[place - 2].startswith("| all indicators")


def test_markdown_has_one_line_per_method():
    summary = summarize([record(1), record(2, {"mi, error": 30})])
    text = markdown(summary)
    assert "| MI filter | 422, 0.1387 | 10 ± 0 | 0.2500 ± 0.0500 |" in text
    table = text.split("## The paper's conclusions")[0]
    assert sum(line.startswith("| ") for line in table.splitlines()) == 2 + len(METHODS)
    assert "2 simulated data sets" in text
    json.dumps(summary)


def test_picture():
    summary = summarize([record(1), record(3)])
    (curve,) = (row["curve"] for row in summary["rows"] if row["key"] == "mi, error")
    assert [size for size, _ in curve] == [1, 3]  # the sizes of both seeds
    assert [error for _, error in curve] == pytest.approx([0.22, 0.3])
    assert pictures(summary)["paths.svg"].startswith("<svg ")


def test_journal_resumes_after_a_line_that_was_cut_off(tmp_path):
    path = tmp_path / "jobs.jsonl"
    journal = indicators_table(3, 100).journal(tmp_path)
    journal.add(record(1))
    journal.add(record(2))
    written = path.read_text()
    path.write_text(written[:-100])
    again = indicators_table(3, 100).journal(tmp_path)
    assert [("table", 1) in again, ("table", 2) in again] == [True, False]
    again.add(record(2))
    assert path.read_text() == written
    jobs = indicators_table(3, 100).jobs
    assert [each["job"] for each in indicators_table(3, 100).journal(tmp_path).records(jobs)] == [
        ["table", 1],
        ["table", 2],
    ]


@pytest.mark.parametrize("line", ["nonsense", "[1]", '{"job": ["table", 1]}', json.dumps(record(1, n_series=99))])
def test_journal_refuses_other_files(tmp_path, line):
    path = tmp_path / "jobs.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(DataError, match="choose another folder"):
        indicators_table(3, 100).journal(tmp_path)


@pytest.mark.parametrize(
    ("seconds", "verdicts"),
    [
        ([1.0] * 3, ["holds", "holds in part"]),
        ([1.0] * 2, ["cannot be told here"] * 2),
        ([90.0] * 3, ["does not hold", "holds in part"]),
        ([0.15] * 3, ["holds", "holds"]),
    ],
)
def test_the_verdict_on_the_cost_needs_seconds_of_three_seeds(seconds, verdicts):
    n = len(seconds)
    costs = {"n_columns": 700, "seconds": {"mrmr, error": [0.1] * n, "forward, error_probability": seconds}}
    assert [row["verdict"] for row in judge_others({"other_claims": [], "costs": costs})] == verdicts
