"""Paper 001: jobs on small sets, summaries of made-up records, and the recall floor."""

import json

import numpy as np
import pytest
from real_data import needs_data
from typer.testing import CliRunner

from bayesieve import Learner
from bayesieve.cli.app import app
from bayesieve.evaluation.data_set import split_data
from bayesieve.evaluation.measures import MEASURES
from bayesieve.exceptions import ParameterError
from bayesieve.papers.paper_001 import experiment, recall_floor, recall_tables
from bayesieve.papers.paper_001.floor_summary import summarize_floor
from bayesieve.papers.paper_001.paper_claims import CLAIMS, check
from bayesieve.papers.paper_001.paper_figure import pictures
from bayesieve.papers.paper_001.paper_methods import BINNED, FILTERS, LEARNERS, VOTES
from bayesieve.papers.paper_001.paper_scores import collect
from bayesieve.papers.paper_001.paper_summary import summarize
from bayesieve.papers.paper_001.paper_table import markdown
from bayesieve.papers.paper_001.recall_floor import METHODS, OURS, REFERENCE, run_floor
from bayesieve.papers.paper_001.sets import SETS, load_words

N_FOLDS, N_SIZES = 4, 3


def record(name, fold, selector, values):
    """Return a made-up record; ``values(metric, classifier)`` returns a score."""
    scores = {each: {metric: [values(metric, each)] * N_SIZES for metric in MEASURES} for each in LEARNERS}
    sizes = list(range(1, N_SIZES + 1))
    return {
        "job": ["sizes", name, fold, selector],
        "setting": [N_FOLDS, N_SIZES],
        "data": name,
        "fold": fold,
        "selector": selector,
        "n_columns": 22,
        "n_rows": 80,
        "n_positive": 40,
        "n_train": 60,
        "n_test": 20,
        "sizes": sizes,
        "n_features": sizes,
        "order": [0, 1, 2],
        "subsets": None,
        "scores": scores,
    }


def made_up(gain, sets=tuple(SETS)):
    """Return records in which votes gain over filters on each set, with noise per fold."""
    rng = np.random.default_rng(0)
    noise = {(name, fold): rng.normal(scale=0.002) for name in sets for fold in range(N_FOLDS)}
    base = {name: 0.6 + i / 100 for i, name in enumerate(sets)}
    return [
        record(
            name,
            fold,
            selector,
            lambda metric, each, where=(name, fold), is_vote=selector in VOTES, i=i: (
                base[where[0]] + is_vote * (gain(where[0], metric, each) + noise[where]) + (i % 3) / 1000
            ),
        )
        for name in sets
        for fold in range(N_FOLDS)
        for i, selector in enumerate((*FILTERS, *VOTES))
    ]


def verdicts(records):
    scores = collect(records)
    return {claim.sentence: check(claim, scores)["verdict"] for claim in CLAIMS}


def test_verdicts_follow_the_differences():
    result = verdicts(made_up(lambda name, metric, each: 0.1 if metric == "recall" else -0.1))
    assert result["Voting selectors improve recall (figure 2)."] == "holds"
    assert result["Voting selectors improve accuracy (figure 2)."] == "does not hold: the opposite"
    wide = next(claim.sentence for claim in CLAIMS if claim.sets)
    assert result[wide] == "holds"
    assert verdicts(made_up(lambda name, metric, each: 0.1 * (name == "spect")))[wide] == "holds on 1 of 2"
    assert verdicts(made_up(lambda name, metric, each: -0.1))[wide] == "does not hold: the opposite"
    assert "undecided" in verdicts(made_up(lambda name, metric, each: 0.0))[wide]
    best = verdicts(made_up(lambda name, metric, each: 0.1 * each.endswith("naive Bayes")))
    gain = next(claim.sentence for claim in CLAIMS if "gain more recall" in claim.sentence)
    assert best[gain] == "holds"


def test_a_claim_by_hand():
    records = made_up(lambda name, metric, each: 0.05 if name == "spect" else 0.0, sets=("spect", "pima"))
    scores = collect(records)
    result = check(CLAIMS[0], scores)
    votes, filters = (
        np.mean([scores.values["recall", "spect", selector, each].mean() for selector in group for each in LEARNERS])
        for group in (VOTES, FILTERS)
    )
    assert result["sets"][0]["difference"] == pytest.approx(votes - filters)
    assert result["n_sets"] == 2
    assert result["n_better"] == 1


def test_figures_are_means_and_unfinished_sets_are_left_out():
    records = made_up(lambda name, metric, each: 0.1, sets=("spect", "pima", "vote"))
    result = summarize(records[:-1])  # one fold of the last set is not done
    assert [row["set"] for row in result["sets"]] == ["spect", "pima"]
    mine = [each for each in records if each["data"] == "spect" and each["selector"] == "CVE"]
    mean = np.mean([each["scores"][learner]["recall"] for each in mine for learner in LEARNERS if learner != BINNED])
    assert result["figure_2"]["recall"]["spect"]["CVE"] == pytest.approx(mean)
    assert result["figure_4"]["recall"]["CVE"][0] <= result["figure_3"]["recall"]["linear SVM"]["CVE"]
    assert result["same_order"] == {"first": "MIR", "second": "CER", "n_same": 8, "n_folds": 8}
    assert result["stability"]["CVE"] == {"kuncheva": 1, "jaccard": 1}
    text = markdown(result)
    assert "| spect | S | 22 | 80 | 50.0 % | 22, 80, 33 % |" in text
    assert "The paper's claims" in text
    json.dumps(result)
    only_filters = [each for each in records if each["selector"] in FILTERS]
    assert "claims" not in markdown(summarize(only_filters))
    assert markdown(summarize(records[:1])).strip() == "# Paper 001"


def test_pictures():
    drawn = pictures(summarize(made_up(lambda name, metric, each: 0.1, sets=("spect", "pima"))))
    assert sorted(drawn) == ["figure_2.svg", "figure_3.svg", "figure_4.svg"]
    assert drawn["figure_2.svg"].count("<rect ") == 1 + 12 + 3 * 2 * 12  # background, legend, bars
    assert ">S</text>" in drawn["figure_2.svg"]
    assert pictures(summarize([])) == {}


def floor_record(name, n_positive, ours, other):
    """Return a record of a fold; ``ours`` and ``other`` are numbers of positive and of accepted rows."""
    counts = dict(zip(METHODS, (ours, ours, ours, ours, other), strict=True))
    rows = {method: {"true": true, "accepted": accepted} for method, (true, accepted) in counts.items()}
    return {"job": ["floor", name, 0, ""], "data": name, "n_positive": n_positive, "n_rows": 200, "rows": rows}


def test_recall_floors_by_hand():
    records = [
        floor_record("pima", 60, (58, 80), (54, 90)),
        floor_record("pima", 40, (38, 40), (40, 90)),
        floor_record("spect", 4, (1, 4), (4, 8)),
    ]
    result = summarize_floor(records)
    pima = result["sets"][0]
    assert pima[OURS] == {"recall": 96 / 100, "precision": 96 / 120, "accepted": 120 / 400}
    assert (result["mean_recall"][OURS], result["mean_recall"][REFERENCE]) == (
        0.96,
        0.94,
    )  # spect has too few positive rows to count
    assert (result["n_large"], result["n_higher"]) == (1, 1)
    summary = {"sets": [], "floor": result}
    assert f"| pima | 100 | {OURS} | 0.960 | 0.800 | 0.300 |" in markdown(summary)
    assert result["verdict"].startswith("the floor is met on average, at a higher precision")
    assert "on at least half" in result["verdict"]
    missed = summarize_floor([floor_record("pima", 100, (90, 180), (95, 100))])
    assert missed["verdict"].startswith("the floor is missed")
    assert "on fewer than half" in missed["verdict"]
    assert summarize_floor([]) is None


def test_nothing_is_concluded_of_a_floor_from_sets_with_few_positive_rows():
    result = summarize_floor([floor_record("spect", 4, (1, 2), (4, 40))])
    assert result["verdict"] == "undecided: no set has 100 positive rows"
    text = markdown({"sets": [], "floor": result})
    assert "Mean recall" not in text
    assert (
        "The precision of the majority is higher on 1 of 1 sets: **undecided: no set has 100 positive rows**." in text
    )


def test_regression_meets_the_recall_floor(monkeypatch):
    monkeypatch.setattr(recall_floor, "METHODS", {REFERENCE: METHODS[REFERENCE]})
    rng = np.random.default_rng(0)
    y = (rng.random(1500) < 0.3).astype(int)
    X = rng.normal(size=(1500, 6)) + 1.5 * y[:, None] * (np.arange(6) < 2)
    folds = split_data("made up", (X, y), 5, 0)
    records = [run_floor(folds, fold) for fold in range(5)]
    recall = sum(fold["rows"][REFERENCE]["true"] for fold in records) / sum(fold["n_positive"] for fold in records)
    assert 0.92 < recall < 0.98  # two standard errors are 0.02
    assert sum(fold["rows"][REFERENCE]["accepted"] for fold in records) < 1100


@needs_data
def test_jobs():
    jobs = recall_tables(3, 5, ["spect", "vote"]).jobs
    sizes = [job for job in jobs if job[0] == "sizes"]
    assert {job[3] for job in sizes} >= set(FILTERS)
    assert len(sizes) == 2 * 3 * len({job[3] for job in sizes})
    with pytest.raises(ParameterError, match="There is no data set 'iris'"):
        recall_tables(3, 5, ["iris"])


@needs_data
def test_words_are_those_of_the_paper():
    words = load_words()
    assert words.data.shape == (SETS["newsgroup"].n_rows, SETS["newsgroup"].n_columns)
    assert words.target.mean() == pytest.approx(0.49, abs=0.01)
    assert set(np.unique(words.data)) == {0, 1}
    counts = words.data.sum(axis=0)
    assert counts.min() == 57
    assert "graphics" in words.feature_names
    assert "the" not in words.feature_names


@needs_data
def test_command(tmp_path, monkeypatch):
    untuned = {name: Learner(each.estimator, None, each.encoding) for name, each in LEARNERS.items()}
    monkeypatch.setattr(experiment, "LEARNERS", untuned)
    experiment._task.cache_clear()
    arguments = ["reproduce", "001", "--sets", "spect", "--cv", "2", "--sizes", "2", "--n-jobs", "1"]
    result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path), "--json"])
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert summary["complete"]
    assert summary["same_order"]["n_same"] == 2
    lines = (tmp_path / "jobs.jsonl").read_text().splitlines()
    (tmp_path / "jobs.jsonl").write_text("\n".join(lines[:3]) + "\n" + lines[3][:40])
    again = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path), "--json"])
    experiment._task.cache_clear()
    assert json.loads(again.stdout) == summary
