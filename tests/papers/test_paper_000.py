"""Paper 000: the table on small campaigns, its summary against hand-made records, and the real files in small."""

import json

import numpy as np
import pandas as pd
import pytest
from real_data import needs_data
from sklearn.linear_model import LinearRegression
from sklearn.utils import Bunch
from typer.testing import CliRunner

from bayesieve.cli.app import app
from bayesieve.datasets.donors import HAND_SELECTED
from bayesieve.papers.paper_000 import campaign as campaigns, experiment, replicate
from bayesieve.papers.paper_000.curve_counts import count_curves, gap_growths
from bayesieve.papers.paper_000.paper_claims import OURS, THEIRS, judge_campaigns, judge_library, judge_published
from bayesieve.papers.paper_000.paper_figure import pictures
from bayesieve.papers.paper_000.paper_methods import METHODS
from bayesieve.papers.paper_000.paper_summary import summarize
from bayesieve.papers.paper_000.paper_table import markdown
from bayesieve.papers.paper_000.printed import EVERYONE, PRINTED

pytestmark = pytest.mark.filterwarnings("ignore::bayesieve.exceptions.BayesieveWarning")

COST = 0.68


def small_mailing(seed, n=700):
    """A mailing that depends on two quantities, one of them with many noisy copies."""
    rng = np.random.default_rng(seed)
    frequency, size = rng.normal(size=(2, n))
    columns = {name: np.round(frequency + 0.3 * rng.normal(size=n), 1) for name in HAND_SELECTED}
    columns |= {f"COPY{k}": np.round(frequency + 0.3 * rng.normal(size=n), 1) for k in range(18)}
    columns |= {"LASTGIFT": np.exp(1 + 0.5 * size).round(), "AVGGIFT": np.exp(1 + 0.5 * size).round(2)}
    p = 1 / (1 + np.exp(1.7 - 1.2 * frequency + 0.5 * size))
    gifts = np.exp(1 + 0.5 * size)
    y = (rng.random(n) < p).astype(np.int64)
    return Bunch(
        data=pd.DataFrame(columns), target=y, amounts=np.where(y == 1, gifts, 0.0), probabilities=p,
        expected_amounts=gifts, cost=COST,
    )  # fmt: skip


@pytest.fixture(autouse=True)
def small_campaigns(monkeypatch):
    monkeypatch.setattr(campaigns, "make_donors", lambda n_rows, seed: small_mailing(seed))
    monkeypatch.setattr(experiment, "missing_real_files", lambda download: "kdd98 is not in BAYESIEVE_DATA.")
    monkeypatch.setattr(experiment, "has_donor_file", lambda: False)


@pytest.fixture(scope="module")
def records():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(campaigns, "make_donors", lambda n_rows, seed: small_mailing(seed))
        yield [replicate.run_job(("table", seed), n_rows=700) for seed in (1, 2)]


def test_a_record_has_errors_and_profits(records):
    record = records[0]
    assert list(record["rows"]) == [method.key for method in METHODS]
    train, test = small_mailing(1), small_mailing(1_000_001)
    gave = train.target == 1
    gifts = train.data[campaigns.AMOUNT_COLUMNS].to_numpy()
    regression = LinearRegression().fit(gifts[gave], train.amounts[gave])
    expected = regression.predict(test.data[campaigns.AMOUNT_COLUMNS].to_numpy()).clip(min=0)
    campaign = campaigns.simulated_campaign(1, 700)
    model = METHODS[0].fit(campaign, {}, 1)
    p = model.predict_proba(test.data)[:, 1]
    mailed = p * expected > COST
    row = record["rows"]["20 forward"]
    assert row["mse_test"] == pytest.approx(np.mean((p - test.target) ** 2 + ((1 - test.target) - (1 - p)) ** 2))
    assert row["profit_test"] == pytest.approx(test.amounts[mailed].sum() - COST * mailed.sum())
    value = test.probabilities * test.expected_amounts
    assert row["true_profit"] == pytest.approx((value - COST)[mailed].sum())
    assert record["policies"]["true_best"] == pytest.approx(np.maximum(value - COST, 0).sum())
    assert record["policies"]["everyone"] == pytest.approx((test.amounts - COST).sum())
    assert record["curve"][-1]["mse_test"] == row["mse_test"]
    assert [point["n_columns"] for point in record["curve"]] == list(range(1, 21))


def test_redundant_columns_do_harm_as_in_the_paper(records):
    for record in records:
        rows = record["rows"]
        assert rows["all columns"]["mse_test"] > rows["forward, size by folds, MODL"]["mse_test"]
        assert rows["all columns"]["mse_test"] > rows["SelectiveNaiveBayes, MODL"]["mse_test"]
        calibrated = rows["forward, size by folds, calibrated, MODL"]
        assert rows["all columns"]["calibration"] > 10 * calibrated["calibration"]


def test_equal_frequency_bins_keep_all_columns(records):
    n_columns = len(small_mailing(1).data.columns)
    for record in records:
        rows = record["rows"]
        assert rows["all columns"]["n_columns"] == n_columns
        assert rows["7 hand-selected"]["n_columns"] == 7
        errors = [point["mse_train"] for point in record["boosted_curve"]]
        assert rows["5 boosted"]["mse_train"] == pytest.approx(errors[4])
        assert len(errors) == 20


def test_summary_is_plain_and_simulated_rows_have_no_figures_of_the_paper(records):
    summary = summarize(records)
    assert summary == json.loads(json.dumps(summary))
    rows = {(row["method"], row["bins"]): row for row in summary["simulated"]["rows"]}
    assert {name for name, bins in rows if bins == "equal_frequency"} == set(PRINTED)
    both = [record["rows"]["5 forward"]["true_profit"] for record in records]
    assert rows["5 forward", "equal_frequency"]["true_profit"] == pytest.approx(np.mean(both))
    gaps = [
        (record["rows"]["SelectiveNaiveBayes, MODL"]["true_profit"] - record["policies"]["true_everyone"])
        / (record["policies"]["true_best"] - record["policies"]["true_everyone"])
        for record in records
    ]
    assert rows["SelectiveNaiveBayes", "modl"]["gap_closed"] == pytest.approx(np.mean(gaps))
    assert summary["real"] is summary["donor"] is None
    assert len(summary["simulated"]["claims"]) == len(THEIRS)
    assert len(summary["simulated"]["our_claims"]) == len(OURS)
    text = markdown(summary)
    assert f"${EVERYONE:,.0f}" in text
    assert "| 5 forward | 0.09535 | 0.09536 | 15,484 | 14,048 |" in text
    assert text.count("14,048") == 1
    assert sorted(pictures(summary)) == ["figure_1.svg", "figure_2.svg"]


def curve_record(train, test):
    points = [
        {"n_columns": k + 1, "mse_train": a, "mse_test": b} for k, (a, b) in enumerate(zip(train, test, strict=True))
    ]
    return {"curve": points, "boosted_curve": points}


def test_curves_are_counted():
    records = [curve_record([3, 2, 1], [3, 1, 2]), curve_record([4, 3, 5], [3, 2, 3.5])]
    assert count_curves(records, "curve", -1) == {"n_true": 3, "n_steps": 4, "places": [2, 2]}
    assert count_curves(records, "boosted_curve", 1)["n_true"] == 1
    assert gap_growths(records) == [1.0, pytest.approx(-0.5)]


def verdicts_of(rows):
    return {row["claim"]: (row["verdict"], row["effect"]) for row in rows}


def test_a_single_campaign_decides_nothing(records):
    rows = judge_campaigns(summarize(records[:1]), "simulated", "campaigns")
    assert {row["verdict"] for row in rows} == {"cannot be told here"}


def test_claims_on_campaigns(records):
    summary = summarize(records)
    counts = summary["simulated"]["counts"]
    counts["forward"] = {"n_true": 20, "n_steps": 20, "places": [4] * 6}
    counts["boosted"] = {"n_true": 18, "n_steps": 20, "places": [1] * 6}
    summary["paths"]["simulated"] = {
        "gap_growths": [0.002, 0.0021, 0.0019],
        "rankings": {
            "10 forward": {"auc": [0.65] * 3, "error": [0.05] * 3, "mse": [0.1] * 3},
            "all columns": {"auc": [0.6, 0.61, 0.6], "error": [0.3, 0.301, 0.3], "mse": [0.6] * 3},
        },
        "sizes": {},
    }
    found = verdicts_of(judge_campaigns(summary, "simulated", "campaigns"))
    by_words = {
        words: next(each for claim, each in found.items() if words in claim)
        for words in (
            "decreases with every",
            "minimum after",
            "increases with every",
            "at first",
            "overfit",
            "ranking",
            "0-1",
        )
    }
    assert {words: each[0] for words, each in by_words.items()} == {
        "decreases with every": "holds", "minimum after": "holds", "increases with every": "holds in part",
        "at first": "does not hold", "overfit": "does not hold", "ranking": "holds", "0-1": "does not hold",
    }  # fmt: skip
    assert "minimum at 4 columns, in the paper at 4" in by_words["minimum after"][1]


def test_the_published_targets_decide_three_sentences():
    targets = {"n_people": 96_367, "n_gifts": 4873, "everyone_cents": 1_056_008, "smallest": 0.32, "largest": 500.0}
    summary = {"targets": {**targets, "below_1": 1, "above_200": 3}, "real": None, "printed": {"everyone": EVERYONE}}
    rows = judge_published(summary)
    assert [(row["verdict"], row["effect"]) for row in rows[:3]] == [
        ("holds", "$10,560.08"),
        ("holds", "5.06 %"),
        ("does not hold", "$0.32 to $500; 4 gifts lie outside of $1 to $200"),
    ]
    assert {row["verdict"] for row in rows[3:]} == {"cannot be told here"}
    assert len(judge_published({**summary, "targets": None})) == 2


@needs_data
def test_the_targets_are_those_of_the_archive():
    record = replicate.run_job(("targets", "kdd98"), n_rows=1)
    assert (record["n_people"], record["n_gifts"], record["everyone_cents"]) == (96_367, 4873, 1_056_008)
    assert (record["smallest"], record["largest"]) == (0.32, 500)


def test_paths_and_scorecard_are_jobs_of_their_own(records):
    path = replicate.run_job(("paths", 1), n_rows=700)
    assert path["curve"] == records[0]["curve"]
    mse = path["rankings"]["all columns"]["mse"]
    assert mse == pytest.approx(records[0]["rows"]["all columns"]["mse_test"])
    assert path["sizes"]["5"]["n_columns"] == 5
    row = replicate.run_job(("scorecard", 1), n_rows=700)
    summary = summarize([*records, path, row])
    assert summary["scorecard"]["simulated"]["true_profit"] == row["row"]["true_profit"]
    lines = markdown(summary).splitlines()
    (place,) = (i for i, line in enumerate(lines) if line.startswith("| **scorecard**, 1 campaign |"))
    assert lines[place - 1].startswith("| *not in the paper:* |")
    assert any(line.startswith("| SelectiveNaiveBayes, 5 columns, 1 campaign |") for line in lines)


def test_the_scorecard_is_compared_on_the_same_campaigns():
    table = {
        "campaigns": ["donor 1", "donor 2", "donor 3", "donor 4"],
        "rows": [{"method": "SelectiveNaiveBayes", "mse_test_values": [0.4, 0.5, 0.6, 0.9]}],
        "our_claims": [],
    }
    card = {"campaigns": ["donor 4", "donor 2", "donor 1"], "mse_test_values": [0.6, 0.2, 0.1]}
    summary = {"donor": table, "paths": {}, "scorecard": {"donor": card}}
    (row,) = judge_library(summary, "donor", "halves")
    assert (row["verdict"], row["n"], row["effect"]) == ("holds", "3 halves", "+0.30000")


def test_the_real_campaign_has_no_truth(records):
    real = json.loads(json.dumps(records[0]))
    real["campaign"] = "kdd98"
    for row in real["rows"].values():
        row["true_profit"] = None
    real["policies"] = {"everyone": 10560.0, "true_everyone": None, "mse_prior": 0.096}
    real["rows"]["10 forward"]["profit_test"] = 14443.0
    summary = summarize([real, *records])
    row = summary["real"]["rows"][1]
    assert "true_profit" not in row
    assert "gap_closed" not in row
    text = markdown(summary)
    assert "## Table 3 on KDD Cup 1998\n\nA letter to everyone earns $10,560." in text
    assert " | 0.09537, 14,443 |" in text  # the paper's figures, next to ours
    assert "| **holds** | $14,443 against $14,712 |" in text
    assert summarize([real])["simulated"] is None


def test_the_donor_table_has_errors_only(records):
    donor = json.loads(json.dumps(records[0]))
    donor["campaign"] = "donor 1"
    money = ("profit_train", "profit_test", "true_profit", "mailed")
    donor["rows"] = {
        key: {name: value for name, value in row.items() if name not in money} for key, row in donor["rows"].items()
    }
    donor["policies"] = {"mse_prior": 0.37}
    summary = summarize([donor, {**donor, "campaign": "donor 2"}, {**donor, "campaign": "donor 3"}])
    assert "profit t" not in markdown(summary).split("## The donor table")[1]  # no profit train, no profit test
    assert summary["donor"]["rows"][0]["mse_test"] == pytest.approx(donor["rows"]["20 forward"]["mse_test"])


@needs_data
def test_halves_of_the_donor_table():
    campaign = campaigns.donor_campaign(1)
    assert [len(each.target) for each in (campaign.train, campaign.test)] == [9686, 9686]
    assert campaign.train.target.mean() == pytest.approx(0.25, abs=1e-3)
    assert campaign.train.amounts is None


def test_the_real_files_get_the_derived_column(monkeypatch):
    def load(subset):
        mailing = small_mailing(len(subset))
        mailing.data = mailing.data.drop(columns="PGIFT").assign(NGIFTALL=4.0, NUMPROM=8.0)
        return Bunch(data=mailing.data, target=mailing.target, amounts=mailing.amounts, cost=COST)

    monkeypatch.setattr(campaigns, "load_kdd98", load)
    campaign = campaigns.real_campaign()
    assert (campaign.test.data["PGIFT"] == 0.5).all()
    assert campaign.test.true_value is None


def test_from_the_command_line(tmp_path, records, monkeypatch):
    monkeypatch.setattr(experiment, "has_targets", lambda: False)
    rankings = {name: {"auc": 0.6, "error": 0.1, "mse": 0.2} for name in ("10 forward", "all columns")}
    path = {"n_test": 700, "curve": records[0]["curve"], "rankings": rankings, "sizes": {}}
    card = {"n_test": 700, "row": {"n_columns": 3, "mse_test": 0.1, "true_profit": 1.0}, "policies": {}}
    for kind, record in (("table", records[0]), ("paths", path), ("scorecard", card)):
        monkeypatch.setitem(replicate.JOBS, kind, lambda *job, record=record, **how: dict(record))
    arguments = ["reproduce", "000", "--seeds", "1", "--people", "700", "--out", str(tmp_path), "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["complete"]
    assert {path.name for path in tmp_path.iterdir()} >= {"campaigns.jsonl", "table.md"}
    assert "not in BAYESIEVE_DATA" in result.stderr
    other = CliRunner().invoke(app, [*arguments[:5], "900", *arguments[6:]])
    assert other.exit_code == 2
    assert "other settings" in other.stderr
