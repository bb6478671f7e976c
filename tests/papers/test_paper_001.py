"""Paper 001: jobs on small sets, summaries of made-up records, and the recall floor."""

import json
from pathlib import Path

import numpy as np
import pytest
from real_data import needs_data
from typer.testing import CliRunner

from bayesieve import Learner, ScorecardClassifier
from bayesieve.cli.app import app
from bayesieve.evaluation.data_set import split_data
from bayesieve.evaluation.measures import MEASURES
from bayesieve.exceptions import ParameterError
from bayesieve.papers.paper_001 import experiment, recall_floor, recall_tables
from bayesieve.papers.paper_001.floor_summary import judge_floor, summarize_floor
from bayesieve.papers.paper_001.paper_claims import CLAIMS, judge_measured, judge_ratio, judge_words, measure
from bayesieve.papers.paper_001.paper_figure import pictures
from bayesieve.papers.paper_001.paper_methods import BINNED, FILTERS, LEARNERS, VOTES
from bayesieve.papers.paper_001.paper_scores import collect
from bayesieve.papers.paper_001.paper_summary import summarize
from bayesieve.papers.paper_001.paper_table import markdown
from bayesieve.papers.paper_001.recall_floor import METHODS, OURS, REFERENCE, run_floor
from bayesieve.papers.paper_001.scorecard import run_scorecard, summarize_scorecard
from bayesieve.papers.paper_001.sets import SETS, WORD_TABLES, load_words
from bayesieve.papers.paper_001.word_tables import RANKINGS

N_FOLDS, N_SIZES = 4, 3
PAGES = Path(__file__).parents[2] / "docs" / "papers"


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
    return [judge_measured(measure(claim, scores))["verdict"] for claim in CLAIMS]


def test_verdicts_follow_the_differences():
    recall, accuracy, wide, *_ = verdicts(made_up(lambda name, metric, each: 0.1 if metric == "recall" else -0.1))
    assert (recall, accuracy, wide) == ("holds", "does not hold", "holds")
    assert verdicts(made_up(lambda name, metric, each: 0.1 * (name == "spect")))[2] == "holds in part"
    assert verdicts(made_up(lambda name, metric, each: -0.1))[2] == "does not hold"
    gain = next(i for i, claim in enumerate(CLAIMS) if "gain more recall" in claim.sentence)
    assert verdicts(made_up(lambda name, metric, each: 0.1 * each.endswith("naive Bayes")))[gain] == "holds"


def test_a_null_that_is_tight_has_a_bound():
    scores = collect(made_up(lambda name, metric, each: 0.0))
    row = judge_measured(measure(CLAIMS[0], scores))
    assert row["verdict"] == "does not hold"
    assert row["bound"].startswith("no difference above 0.00")


def test_a_claim_by_hand():
    records = made_up(lambda name, metric, each: 0.05 if name == "spect" else 0.0, sets=("spect", "pima"))
    scores = collect(records)
    result = measure(CLAIMS[0], scores)
    votes, filters = (
        np.mean([scores.values["recall", "spect", selector, each].mean() for selector in group for each in LEARNERS])
        for group in (VOTES, FILTERS)
    )
    assert result["sets"][0]["difference"] == pytest.approx(votes - filters)
    assert [row["n"] for row in result["sets"]] == [N_FOLDS] * 2


def test_the_gain_against_the_ratio_of_columns_to_rows():
    result = summarize(made_up(lambda name, metric, each: 0.1))
    for i, row in enumerate(result["sets"]):
        row["n_columns"], row["n_rows"] = i + 1, 100
        for vote in VOTES:
            result["figure_2"]["recall"][row["set"]][vote] = 0.7 + (i if i else 1.5) / 100  # two places are swapped
        for each in FILTERS:
            result["figure_2"]["recall"][row["set"]][each] = 0.5
    rows = judge_ratio(result)
    assert [(row["verdict"], row["effect"]) for row in rows] == [("holds", "+0.99")] * 5


def word_record(name, fold, gains):
    rates = {each: {"recall": 0.8, "precision": 0.8} for each in RANKINGS}
    noise = 0.0002 * (fold % 2)
    rates |= {vote: {"recall": 0.8 + gain + noise, "precision": 0.8 - gain + noise} for vote, gain in gains.items()}
    return {"job": ["words", name, fold, ""], "setting": [N_FOLDS, N_SIZES], "data": name, "fold": fold, "rates": rates}


def test_word_tables_are_the_headline():
    gains = {"CVL": 0.1, "DVE": 0.1, "CVE": -0.1, "DVL": -0.1}
    records = [word_record(name, fold, gains) for name in ("a against b", "b against a") for fold in range(4)]
    records += [word_record("c against d", fold, {**gains, "DVL": 0.1}) for fold in range(4)]
    result = summarize(records)
    assert result["words"]["a against b"]["gains"]["CVL"]["recall"]["mean"] == pytest.approx(0.1001)
    found = {row["claim"]: row["verdict"] for row in judge_words(result["words"])}
    assert found["CVL raises the recall of naive Bayes, on each table."] == "holds"
    assert found["DVL lowers the recall of naive Bayes, on each table."] == "holds in part"
    assert found["CVL lowers the precision of naive Bayes, on each table."] == "holds"
    text = markdown(result)
    assert "+0.10 to +0.10 with CVL (higher on 3 of 3 tables)" in text
    assert "-0.10 to +0.10 with DVL (1 of 3)" in text
    assert "| a against b | 0.900 | 0.900 | 0.800 |" in text


@needs_data
def test_the_roles_of_any_and_all_are_reversed_by_log_likelihood():
    # The headline, computed again on one fold of one table.
    saved = json.loads((PAGES / "results" / "001.json").read_text(encoding="utf-8"))["summary"]["words"]
    assert list(saved) == list(WORD_TABLES)
    name = "comp.windows.x against misc.forsale"
    rates = experiment.RECALL.run(("words", name, 0, ""), 10, 50)["rates"]
    filters = np.mean([rates[each]["recall"] for each in RANKINGS])
    assert min(rates["CVL"]["recall"], rates["DVE"]["recall"]) > filters
    assert max(rates["CVE"]["recall"], rates["DVL"]["recall"]) < filters
    for each in saved.values():
        gains = {vote: gain["recall"]["mean"] for vote, gain in each["gains"].items()}
        assert min(gains["CVL"], gains["DVE"]) > 0 > max(gains["CVE"], gains["DVL"])


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
    assert "| spect | S | 22 | 80 | 0.275 | 50.0 % | 22, 80, 0.275, 33 % | categorical |" in text
    assert "The paper's claims" in text
    json.dumps(result)
    only_filters = [each for each in records if each["selector"] in FILTERS]
    assert "claims" not in markdown(summarize(only_filters))
    assert markdown(summarize(records[:1])).strip() == "# Paper 001"
    own = {"recall": 0.9, "precision": 0.8, "accuracy": 0.85, "f1": 0.84}
    rates = {"recall": 0.9, "precision": 0.8, "accepted": 0.5}
    result["scorecard"] = {"spect": {"means": own, "plain": rates, "floor": rates, "size": 3.0}}
    with_scorecard = markdown(result)
    assert f"| **scorecard** |{'  |' * 12} 0.900 |" in with_scorecard
    assert "| spect | 3 | 0.900 | 0.800 | 0.850 | 0.840 |" in with_scorecard


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
    summary = {"sets": [], "floor": result, "scorecard": {}, "words": {}}
    text = markdown(summary)
    assert f"| pima | 100 | {OURS} | 0.960 | 0.800 | 0.300 |" in text
    assert f"{OURS} 1," in text
    assert f"{REFERENCE} 1." in text
    assert summarize_floor([]) is None


def test_the_floor_has_the_rule_of_the_papers_claims():
    names = ["pima", "crx", "german", "vote", "hepatitis", "ionosphere"]
    records = [floor_record(name, 100, (96 + i % 2, 120), (95, 130 + i)) for i, name in enumerate(names)]
    card = {name: {"floor": {"recall": 0.94, "precision": 0.5, "accepted": 0.5}} for name in names}
    rows = judge_floor(summarize_floor(records), card)
    assert [row["verdict"] for row in rows] == [
        "holds",
        "holds",
        "holds",
        "does not hold",
        "does not hold",
        "does not hold",
    ]
    few = judge_floor(summarize_floor(records[:2]), {})
    assert {row["verdict"] for row in few} == {"cannot be told here"}


def test_the_scorecard_of_a_fold_by_hand():
    fold = {"data": "spect", "n_positive": 10, "n_test": 20, "plain": [8, 10], "floor": [10, 16], "size": 3}
    (row,) = summarize_scorecard([fold, {**fold, "plain": [6, 10], "size": 5}]).values()
    assert row["means"] == pytest.approx({"recall": 0.7, "precision": 0.7, "accuracy": 0.7, "f1": 0.7})
    assert row["floor"] == {"recall": 1.0, "precision": 20 / 32, "accepted": 0.8}
    assert row["size"] == 4


def test_the_scorecard_of_a_fold_is_the_estimators():
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.4).astype(int)
    X = rng.normal(size=(300, 3)) + 1.5 * y[:, None] * (np.arange(3) < 2)
    folds = split_data("made up", (X, y), 3, 0)
    counts = run_scorecard(folds, 0, 3)
    train, test = folds.splits[0]
    for name, threshold in (("plain", "bayes"), ("floor", ("recall", 0.95))):
        accepted = ScorecardClassifier(threshold=threshold).fit(X[train], y[train]).predict(X[test]) == 1
        assert counts[name] == [(accepted & (y[test] == 1)).sum(), accepted.sum()]


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
