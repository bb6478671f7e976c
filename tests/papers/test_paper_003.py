"""Paper 003: votes of one fold against enumeration, the summary of hand-made records, and the drawings."""

import json
from itertools import product

import numpy as np
import pytest

from bayesieve.evaluation.data_set import split_data
from bayesieve.papers.paper_003.drawings import EXAMPLE, draw_vote_table, vote_table
from bayesieve.papers.paper_003.paper_claims import headline, judge_filters, judge_rule, judge_selection
from bayesieve.papers.paper_003.paper_figure import pictures
from bayesieve.papers.paper_003.paper_summary import summarize
from bayesieve.papers.paper_003.paper_table import markdown
from bayesieve.papers.paper_003.vote_floor import choose_n
from bayesieve.papers.paper_003.vote_folds import run_votes


def test_the_table_is_the_sum_over_all_patterns():
    table = vote_table(EXAMPLE, 3)
    for j in range(4):
        for k in range(5):
            enumerated = sum(
                np.prod([p if vote else 1 - p for p, vote in zip(EXAMPLE[:k], votes, strict=True)])
                for votes in product((0, 1), repeat=k)
                if sum(votes) >= j
            )
            assert table[j][k] == pytest.approx(enumerated)
    assert f">{table[3][4]:.4g}</text>" in draw_vote_table()


@pytest.fixture(scope="module")
def record():
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.4).astype(int)
    X = (rng.random((400, 6)) < 0.3 + 0.3 * y[:, None]).astype(int)
    return run_votes(split_data("made up", (X, y), 4, 0), 0, 4)


def test_more_votes_accept_fewer_rows(record):
    assert record["k"] == 4
    for rows in record["rows"].values():
        assert [row["n"] for row in rows] == [1, 2, 3, 4]
        accepted = [row["votes"][1] for row in rows]
        assert accepted == sorted(accepted, reverse=True)
        assert accepted[0] > accepted[-1]
        assert all(len(set(row["order"])) == 4 for row in rows)


def hand_made(name, fold, recall):
    """Ten positive rows of twenty; ``recall`` of them are accepted at n = 1, 2, and so on, and as many others."""
    rows = [
        {"n": n, "order": [n, 7], "votes": [r, r], "follower": [5, 10], "inner": [10 * r, 20 * r]}
        for n, r in enumerate(recall, 1)
    ]
    log = [{**row, "order": [row["n"], 8]} for row in rows]
    counts = {"k": len(rows), "n_columns": 9, "n_positive": 10, "n_test": 20, "n_positive_train": 100}
    return {
        "job": ["votes", name, fold, ""], "setting": [2, 3], "data": name, "fold": fold,
        **counts, "rows": {"expected": rows, "log": log},
    }  # fmt: skip


def test_summary():
    records = [hand_made(name, fold, (10, 6, 0)) for name in ("spect", "vote") for fold in (0, 1)]
    summary = summarize([*records, hand_made("pima", 0, (1, 1, 1))])  # a fold of pima is missing
    assert summary == json.loads(json.dumps(summary))
    assert [row["set"] for row in summary["sets"]] == ["spect", "vote"]
    assert summary["sets"][0]["expected"]["votes"] == [[1.0, 1.0], [0.6, 1.0], [0.0, None]]
    assert summary["likelihoods"][0] | {"jaccard": None} == {
        "n": 1, "n_folds": 4, "same_first": 4, "same_order": 0, "n_chosen": 4, "same_subset": 0, "jaccard": None,
    }  # fmt: skip
    assert summary["likelihoods"][0]["jaccard"] == pytest.approx(1 / 3)
    text = markdown(summary)
    assert "| spect | expected | 1.00 / 1.00 | 0.60 / 1.00 | 0.00 / – |" in text
    assert "| spect | 20 | 1: 2 | 1.000 / 1.000 |" in text
    assert sorted(pictures(summary)) == ["graphical_model.svg", "rates.svg", "vote_table.svg"]


def rates_of(name, votes, follower, **others):
    """Return a set with rates by n, the same by both likelihoods unless ``log`` is given."""
    expected = {"votes": votes, "follower": follower}
    return {"set": name, "n_positive": 900, "expected": expected, "log": others.get("log", expected)}


def test_all_votes_that_accept_no_row_have_no_precision():
    votes = [[1.0, 0.4], [0.5, 0.8], [0.0, None]]
    summary = {"sets": [rates_of(f"set {i}", votes, votes) for i in range(6)]}
    any_, all_, more, between = judge_rule(summary)
    verdicts = [row["verdict"] for row in (any_, all_, more, between)]
    assert verdicts == ["holds", "cannot be told here", "holds", "holds"]
    assert "accept no row on any set" in all_["effect"]
    accepting = [*votes[:2], [0.1, 0.7]]
    sets = [rates_of(f"set {i}", each, each) for i, each in enumerate([votes, *[accepting] * 6])]
    _, all_, _, _ = judge_rule({"sets": sets})
    assert (all_["verdict"], all_["n"]) == ("does not hold", "6")
    assert all_["effect"] == "0 of 6 sets on which they accept a row, of 7"


def test_the_selection_is_judged_by_the_classifier_that_follows():
    flat, falling = [[0.7, 0.7], [0.7, 0.7]], [[0.97, 0.82], [0.66, 0.99]]
    reversed_ = {"votes": flat, "follower": falling[::-1]}
    sets = [rates_of(name, flat, flat) for name in ("spect", "vote", "pima")]
    summary = {"sets": [*sets, rates_of("newsgroup", flat, falling, log=reversed_)]}
    verdicts = [row["verdict"] + row["bound"] for row in judge_selection(summary)]
    words, others = verdicts[::2], verdicts[1::2]
    assert words == ["holds", "does not holdthe opposite", "holds", "does not holdthe opposite"]
    assert all(each.startswith("does not hold") for each in others)
    lines = headline(summary)
    assert lines[0] == "## What we found"
    assert "has a recall of 0.97 by expected and of 0.66 by log likelihood" in lines[2]
    assert headline({"sets": sets}) == []


def test_filters_that_differ_on_few_sets_decide_nothing():
    alike = [{"same_order": 0, "n_folds": 9, "same_subset": 0, "n_chosen": 9}]

    def verdict(n_sets, p):
        filters = {each: {"p_value": p} for each in ("accuracy", "recall", "precision", "f1")}
        return judge_filters({"likelihoods": alike, "filters": {"n_sets": n_sets, **filters}})[1]["verdict"]

    assert [verdict(11, 0.5), verdict(2, 0.5), verdict(11, 0.01)] == ["holds", "cannot be told here", "does not hold"]


def test_the_scorecard_has_a_column_of_its_own():
    records = [hand_made("spect", fold, (10, 6, 0)) for fold in (0, 1)]
    fold = {"job": ["scorecard", "spect", 0, ""], "setting": [2, 3], "data": "spect", "n_positive": 10, "n_test": 20}
    records += [{**fold, "fold": i, "plain": [8, 10], "floor": [10, 16], "size": 3} for i in (0, 1)]
    text = markdown(summarize(records))
    assert "| spect | expected | 0.50 / 0.50 | 0.50 / 0.50 | 0.50 / 0.50 | 0.80 / 0.80 |" in text
    assert "| spect | 20 | 1: 2 | 1.000 / 1.000 | 0.600 / 1.000 | 1.000 / 1.000 | 1.000 / 0.625 |" in text


def test_the_choice_of_n_is_the_most_precise_above_the_floor():
    rows = [{"n": n, "inner": inner} for n, inner in ((1, [100, 400]), (2, [96, 200]), (3, [90, 100]))]
    assert choose_n(rows, 100) == 2
    assert choose_n(rows[2:], 100) == 1
