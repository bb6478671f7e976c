"""Paper 000: the table on small campaigns, its summary against hand-made records, and the real files in small."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.utils import Bunch
from typer.testing import CliRunner

from bayesieve.cli.app import app
from bayesieve.datasets.donor_parameters import HAND_SELECTED
from bayesieve.experiments.paper_000 import campaign as campaigns, experiment, replicate
from bayesieve.experiments.paper_000.paper_methods import METHODS
from bayesieve.experiments.paper_000.paper_summary import summarize
from bayesieve.experiments.paper_000.paper_table import markdown
from bayesieve.experiments.paper_000.printed import EVERYONE, PRINTED

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
    monkeypatch.setattr(experiment, "has_real_files", lambda: False)


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
        assert rows["all columns"]["mse_test"] > rows["forward, size by folds"]["mse_test"]
        assert rows["all columns"]["mse_test"] > rows["SelectiveNaiveBayes"]["mse_test"]
        assert rows["all columns"]["calibration"] > 10 * rows["forward, size by folds, calibrated"]["calibration"]


def test_summary_is_plain_and_keeps_the_papers_figures(records):
    summary = summarize(records)
    assert summary == json.loads(json.dumps(summary))
    rows = {row["method"]: row for row in summary["simulated"]["rows"]}
    assert list(rows)[:6] == list(PRINTED)
    assert rows["5 forward"]["printed"]["profit_test"] == 14048
    assert "mse_test" not in rows["5 boosted"] or rows["5 boosted"]["n_columns"] == 5
    both = [record["rows"]["5 forward"]["true_profit"] for record in records]
    assert rows["5 forward"]["true_profit"] == pytest.approx(np.mean(both))
    gaps = [
        (record["rows"]["SelectiveNaiveBayes"]["true_profit"] - record["policies"]["true_everyone"])
        / (record["policies"]["true_best"] - record["policies"]["true_everyone"])
        for record in records
    ]
    assert rows["SelectiveNaiveBayes"]["gap_closed"] == pytest.approx(np.mean(gaps))
    assert summary["real"] is None
    assert len(summary["verdicts"]) >= 6
    text = markdown(summary)
    assert f"${EVERYONE:,.0f}" in text
    assert "| 5 forward | 0.09535, 0.09536 | 15,484, 14,048 | 5.0 |" in text
    assert "are not present" in text


def test_the_real_campaign_has_no_truth(records):
    real = json.loads(json.dumps(records[0]))
    real["campaign"] = "kdd98"
    for row in real["rows"].values():
        row["true_profit"] = None
    real["policies"] = {"everyone": 10560.0, "true_everyone": None, "mse_prior": 0.096}
    summary = summarize([real, *records])
    row = summary["real"]["rows"][1]
    assert "true_profit" not in row
    assert "gap_closed" not in row
    assert "## KDD Cup 1998\n\nA letter to everyone earns $10,560." in markdown(summary)
    assert summarize([real])["simulated"] is None
    assert "### Claims" not in markdown(summarize([real]))


def test_the_real_files_get_the_derived_column(monkeypatch):
    def load(subset):
        mailing = small_mailing(len(subset))
        mailing.data = mailing.data.drop(columns="PGIFT").assign(NGIFTALL=4.0, NUMPROM=8.0)
        return Bunch(data=mailing.data, target=mailing.target, amounts=mailing.amounts, cost=COST)

    monkeypatch.setattr(campaigns, "load_kdd98", load)
    campaign = campaigns.real_campaign()
    assert (campaign.test.data["PGIFT"] == 0.5).all()
    assert campaign.test.true_value is None


def test_from_the_command_line(tmp_path):
    arguments = ["reproduce", "000", "--seeds", "1", "--people", "700", "--out", str(tmp_path), "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["complete"]
    assert {path.name for path in tmp_path.iterdir()} >= {"campaigns.jsonl", "table.md"}
    assert "not in BAYESIEVE_DATA" in result.stderr
    other = CliRunner().invoke(app, [*arguments[:5], "900", *arguments[6:]])
    assert other.exit_code == 2
    assert "other settings" in other.stderr
