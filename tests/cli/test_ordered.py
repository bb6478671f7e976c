"""Ordered categories on the command line: ranges are offered, and their order is used where it is given."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from bayesieve import load
from bayesieve.cli.app import app

LEVELS = ["none", "1 - 10%", "11 - 23%", "24 - 36%", "37 - 49%", "50 - 62%"]


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    place = rng.integers(0, len(LEVELS), 600)
    y = rng.random(600) < 1 / (1 + np.exp(2.0 - 0.8 * place))
    table = pd.DataFrame({"share": np.array(LEVELS)[place], "noise": rng.normal(size=600).round(2), "sold": y})
    table.to_csv(tmp_path / "sales.csv", index=False)
    return tmp_path / "sales.csv"


def run(*arguments):
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    return result.exit_code, " ".join(result.output.split())


def test_check_offers_the_order_and_fit_takes_it(file, tmp_path):
    option = f"share={','.join(LEVELS)}"
    code, output = run("check", file, "--target", "sold")
    assert code == 0
    assert "its categories are ranges, such as '1 - 10%', and their order is not used" in output
    assert f"--ordered {shlex.quote(option)} bins them in their order" in output
    fit = ["fit", file, "--target", "sold", "--no-compare", "--cv", "2"]
    assert "their order is not used" in run(*fit)[1]
    options = ["--ordered", option, "--column", "share:monotone=increasing", "--model", tmp_path / "m.json"]
    code, output = run(*fit, *options)
    assert code == 0, output
    assert "their order is not used" not in output
    model = load(tmp_path / "m.json")
    assert model.columns["share"] == {"ordered": LEVELS, "monotone": "increasing"}
    assert [label for group in model.partitions_["share"].groups for label in group] == LEVELS
    code, output = run("predict", tmp_path / "m.json", file, "--out", tmp_path / "p.csv")
    assert code == 0, output
    expected = model.predict_proba(pd.read_csv(file)[["share", "noise"]])[:, 1]
    assert np.allclose(pd.read_csv(tmp_path / "p.csv")["probability_True"], expected)
    assert json.loads((tmp_path / "m.json").read_text())


def test_a_list_without_a_value_is_refused(file):
    fit = ["fit", file, "--target", "sold", "--no-compare"]
    assert (
        "--ordered must be a column and its values, such as size=small,large, got 'share'"
        in run(*fit, "--ordered", "share")[1]
    )
    code, output = run(*fit, "--ordered", "share=none,1 - 10%")
    assert code == 2
    assert "Column 'share' has the value '11 - 23%', which its order does not have" in output
