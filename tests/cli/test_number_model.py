"""Commands given a model of a number: predictions, and one sentence from those that are for classifiers."""

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from bayesieve import ScorecardRegressor
from bayesieve.cli.app import app


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    rng, place = np.random.default_rng(0), tmp_path_factory.mktemp("number")
    rows = pl.DataFrame({"key": np.arange(200), "size": rng.normal(size=200), "age": rng.normal(size=200)})
    price = 3.0 * rows["size"].to_numpy() + rng.normal(size=200)
    model = ScorecardRegressor(n_pairs=0, drop="key").fit(rows, price)
    model.save(place / "model.json")
    rows.write_csv(place / "rows.csv")
    rows.with_columns(price=price).write_csv(place / "known.csv")
    return place, model, rows


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "200"})


def test_predictions_and_intervals(files):
    place, model, rows = files
    out = place / "out.csv"
    result = run("predict", place / "model.json", place / "rows.csv", "--key", "key", "--interval", "--out", out)
    assert result.exit_code == 0, result.output
    written = pl.read_csv(out)
    assert written["key"].to_list() == list(range(200))
    np.testing.assert_allclose(written["predicted"], model.predict(rows), rtol=1e-12)
    ends = written.select(written.columns[-2:]).to_numpy()
    np.testing.assert_allclose(ends, model.predict_interval(rows), rtol=1e-12)


@pytest.mark.parametrize(
    "command",
    [
        ("drift", "model.json", "rows.csv"),
        ("evaluate", "model.json", "known.csv"),
        ("explain", "model.json", "rows.csv"),
        ("show", "model.json"),
        ("edit", "model.json"),
        ("export", "model.json", "--to", "sql"),
        ("export", "model.json", "--to", "card"),
        ("export", "model.json", "--to", "scorecard"),
        ("predict", "model.json", "rows.csv", "--budget", "5"),
        ("predict", "model.json", "rows.csv", "--reasons", "2"),
    ],
    ids=" ".join,
)
def test_what_is_for_classifiers_is_refused_in_one_sentence(files, command):
    place, _, _ = files
    result = run(*(place / each if each.endswith((".json", ".csv")) else each for each in command))
    assert result.exit_code not in (0, 1) or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code != 0
    assert "Traceback" not in result.output
    assert "Error: " in result.output
