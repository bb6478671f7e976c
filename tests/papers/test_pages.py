"""The pages of the papers are those of the saved results, and a sample of their figures is computed again."""

import importlib.util
import json
import re
from pathlib import Path

import numpy as np
import pytest
from papers.small_problem import make_small
from real_data import needs_data

from bayesieve import VoteClassifier
from bayesieve.evaluation.data_set import split_data
from bayesieve.papers.bibliography import PAPERS
from bayesieve.papers.paper_000 import paper_claims as paper_000_claims
from bayesieve.papers.paper_000.replicate import run_campaign
from bayesieve.papers.paper_001 import paper_claims as paper_001_claims
from bayesieve.papers.paper_001.experiment import RECALL
from bayesieve.papers.paper_001.paper_methods import BINNED
from bayesieve.papers.paper_001.sets import SETS
from bayesieve.papers.paper_002.challenge import run_challenge
from bayesieve.papers.paper_002.scorecard import run_scorecard
from bayesieve.papers.paper_004 import paper_claims as paper_004_claims, replicate
from bayesieve.papers.paper_004.filters import mutual_information_ranking
from bayesieve.papers.paper_004.problem import make_problem
from bayesieve.papers.paper_004.trace import count_errors
from bayesieve.papers.papers import EXPERIMENTS
from bayesieve.papers.verdict import LEGEND, UNKNOWN

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "papers"


def saved(number):
    return json.loads((PAGES / "results" / f"{number}.json").read_text(encoding="utf-8"))


def tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pages_and_pictures_are_those_of_the_results():
    files = tool("paper_pages").pages()
    assert {path: path.read_text(encoding="utf-8") for path in files} == files, "run `make papers`"
    kept = {*PAGES.glob("[0-9]*.md"), *(PAGES / "pictures").iterdir()}
    assert kept == set(files)


def test_the_rows_of_the_scorecard_can_be_computed_alone(monkeypatch, tmp_path):
    scorecards = tool("paper_scorecards")
    experiment = EXPERIMENTS["004"]({"seeds": 3, "series": 240}, quick=False)
    monkeypatch.setitem(scorecards.EXPERIMENTS, "004", lambda given, quick: experiment)
    monkeypatch.setattr(replicate, "make_problem", lambda seed, n_series, n_threads: make_small(seed))
    kept = saved("004")
    result = scorecards.run_scorecards("004", tmp_path)
    assert result["parts"] == kept["parts"] | {"scorecard": [3, 3]}
    assert len(result["summary"]["scorecard"]["errors"]) == 3
    without = ({name: part for name, part in each["summary"].items() if name != "scorecard"} for each in (result, kept))
    assert next(without) == next(without)
    assert result["complete"]


@pytest.mark.parametrize("number", PAPERS)
def test_a_result_has_its_command_and_is_small(number):
    result = saved(number)
    page = (PAGES / f"{PAPERS[number].page}.md").read_text(encoding="utf-8")
    assert result["command"].startswith(f"bayesieve reproduce {number}")
    assert f"\n{result['command']}\n" in page
    assert ("was not finished" in page) == (not result["complete"])
    assert (PAGES / "results" / f"{number}.json").stat().st_size < 300_000


@pytest.mark.parametrize("number", PAPERS)
def test_every_claim_has_a_verdict_of_the_legend_an_effect_and_its_units(number):
    text = (PAGES / f"{PAPERS[number].page}.md").read_text(encoding="utf-8")
    n_claims = 0
    for table in re.findall(r"^\| claim \| verdict \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE):
        for line in table.splitlines():
            claim, verdict, effect, interval, n = (cell.strip() for cell in line.strip("|").split(" | "))
            word = verdict.replace("*", "").split(":")[0]
            assert word in LEGEND, line
            assert claim, line
            assert effect, line
            assert word == UNKNOWN or n != "–", line
            assert interval == "–" or " to " in interval, line
            n_claims += 1
    assert n_claims > 5


def test_kept_claims_have_the_sentences_of_the_present_source():
    sentences = {
        "000": {claim.sentence for claim in (*paper_000_claims.THEIRS, *paper_000_claims.OURS)},
        "001": {claim.sentence for claim in paper_001_claims.CLAIMS},
        "004": {claim.sentence for claim in paper_004_claims.CLAIMS},
    }
    kept = {number: saved(number)["summary"] for number in sentences}
    simulated = kept["000"]["simulated"]
    assert {each["claim"] for each in (*simulated["claims"], *simulated["our_claims"])} == sentences["000"]
    assert {each["claim"] for each in kept["001"]["claims"]} == sentences["001"]
    for claims in ("claims", "guided_claims"):
        assert {each["claim"] for each in kept["004"][claims]} == sentences["004"]


def test_any_and_all_change_roles_by_log_likelihood():
    rows = {row["set"]: row for row in saved("003")["summary"]["sets"]}["newsgroup"]
    recalls = {each: [recall for recall, _ in rows[each]["follower"]] for each in ("expected", "log")}
    assert recalls["expected"][0] - recalls["expected"][-1] > 0.2
    assert recalls["log"][-1] - recalls["log"][0] > 0.2


@pytest.mark.slow
@needs_data
def test_000_again():
    donor = saved("000")["summary"]["donor"]
    record = run_campaign(donor["campaigns"][0], n_rows=donor["n_rows"])
    for row in donor["rows"]:
        key = row["method"] if row["bins"] == "equal_frequency" else f"{row['method']}, MODL"
        assert row["mse_test_values"][0] == pytest.approx(record["rows"][key]["mse_test"], rel=1e-5)


@pytest.mark.slow
@needs_data
def test_001_again():
    records = [RECALL.run(("sizes", "spect", fold, "CVE"), 10, 50) for fold in range(10)]
    recalls = [
        np.mean(each["recall"]) for record in records for name, each in record["scores"].items() if name != BINNED
    ]
    assert saved("001")["summary"]["figure_2"]["recall"]["spect"]["CVE"] == pytest.approx(np.mean(recalls), rel=1e-5)


@needs_data
def test_002_again():
    record = run_challenge("madelon", "ESNB")
    rows = saved("002")["summary"]["challenge"]
    (row,) = (each for each in rows if (each["set"], each["variant"]) == ("madelon", "ESNB"))
    assert (row["n_columns"], row["ber"]) == (record["n_columns"], pytest.approx(record["ber"], rel=1e-5))


@needs_data
def test_the_scorecard_again():
    """Its constants may change in the last digits; the pages are computed again if more than that changes."""
    folds = run_scorecard("spect")["folds"]
    kept = saved("002")["summary"]["scorecard_folds"]["spect"]
    for measure in ("auc", "log_loss"):
        assert np.mean([fold[measure] for fold in folds]) == pytest.approx(kept[measure], rel=0.02)


@needs_data
@pytest.mark.parametrize("criterion", ["expected", "log"])
def test_003_again(criterion):
    folds = split_data("spect", SETS["spect"].load, 10, 1)
    true = accepted = 0
    for train, test in folds.splits:
        votes = VoteClassifier(3, criterion, n_features=10, threshold=0.5, cv=0, discretizer="equal_frequency")
        positive = votes.fit(folds.data.rows(train), folds.data.labels[train]).predict(folds.data.rows(test)) == 1
        true, accepted = true + (positive & (folds.data.labels[test] == 1)).sum(), accepted + positive.sum()
    (row,) = (each for each in saved("003")["summary"]["sets"] if each["set"] == "spect")
    assert row[criterion]["votes"][2] == pytest.approx([true / 40, true / accepted], rel=1e-5)


def test_004_again():
    summary = saved("004")["summary"]
    problem = make_problem(summary["seeds"][0], summary["n_series"])
    ranking = mutual_information_ranking(problem.train)
    choice = count_errors(problem, (), [(column, 1) for column in ranking]).choose()
    (row,) = (each for each in summary["rows"] if each["key"] == "mi, error")
    assert row["errors"][0] == pytest.approx(choice.wrong_test / len(problem.test.target), rel=1e-5)
