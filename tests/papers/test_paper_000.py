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
from bayesieve.papers.paper_000.curve_claims import judge_curves
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
        yield [replicate.run_campaign(seed, n_rows=700) for seed in (1, 2)]


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
    assert len(summary["verdicts"]) >= 6
    text = markdown(summary)
    assert f"${EVERYONE:,.0f}" in text
    assert "| 5 forward | 0.09535 | 0.09536 | 15,484 | 14,048 |" in text
    assert text.count("14,048") == 1
    assert sorted(pictures(summary)) == ["figure_1.svg", "figure_2.svg"]


def test_claims_about_curves():
    def record(train, test):
        points = [
            {"n_columns": k + 1, "mse_train": a, "mse_test": b}
            for k, (a, b) in enumerate(zip(train, test, strict=True))
        ]
        return {"curve": points, "boosted_curve": points}

    falls, minimum, rises, _, overfits = judge_curves([record([3, 2, 1], [3, 1, 2]), record([4, 3, 2], [3, 2, 3.5])])
    assert [falls["verdict"], minimum["verdict"], rises["verdict"]] == ["holds", "holds", "does not hold"]
    assert "falls in 4 of 4 steps" in falls["figures"]
    assert "minimum at 2 columns (1.50000)" in minimum["figures"]
    assert overfits["verdict"] == "does not hold"
    assert "-0.50000 with one forward column, +1.25000 with 3" in overfits["figures"]
    assert judge_curves([record([3, 2, 1], [4, 3, 2])])[-1]["verdict"] == "holds"
    zigzag, late, *_ = judge_curves([record([3, 1, 2], [1, 2, 3])])
    assert zigzag["verdict"] == "holds on the whole, not in every step"
    assert late["verdict"] == "does not hold"


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
    assert summarize([real])["verdicts"] == []


def test_the_donor_table_has_errors_only(records):
    donor = json.loads(json.dumps(records[0]))
    donor["campaign"] = "donor 1"
    money = ("profit_train", "profit_test", "true_profit", "mailed")
    donor["rows"] = {
        key: {name: value for name, value in row.items() if name not in money} for key, row in donor["rows"].items()
    }
    donor["policies"] = {"mse_prior": 0.37}
    summary = summarize([donor])
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
    monkeypatch.setattr(experiment, "run_campaign", lambda seed, n_rows, **how: {**records[0], "n_rows": n_rows})
    arguments = ["reproduce", "000", "--seeds", "1", "--people", "700", "--out", str(tmp_path), "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["complete"]
    assert {path.name for path in tmp_path.iterdir()} >= {"campaigns.jsonl", "table.md"}
    assert "not in BAYESIEVE_DATA" in result.stderr
    other = CliRunner().invoke(app, [*arguments[:5], "900", *arguments[6:]])
    assert other.exit_code == 2
    assert "other settings" in other.stderr
