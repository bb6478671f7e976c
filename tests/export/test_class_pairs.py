"""A scorecard of three classes with fitted pairs of numbers and categories: all that reads it agrees with it."""

import numpy as np
import onnxruntime
import pandas as pd
import polars as pl
import pytest
from sql_databases import DATABASES, close

import bayesieve
from bayesieve import Report, ScorecardClassifier
from bayesieve.export import export_onnx, export_sql, onnx_inputs

PAIRS = [("age", "income"), ("age", "town")]


def table(n_rows=600, seed=0):
    """Return numbers, some of them missing, a category, and classes by products of them."""
    rng = np.random.default_rng(seed)
    age, income = rng.normal(size=(2, n_rows)).round(2)
    town = rng.choice(["York", "it's", "<b>Łódź</b>"], n_rows)
    scores = np.stack([1.5 * age * income, np.where(town == "York", age, -age), 0.5 * income], axis=1)
    y = np.array(["low", "mid's", "top"])[(scores + rng.gumbel(size=scores.shape)).argmax(axis=1)]
    income[rng.random(n_rows) < 0.1] = np.nan
    return pd.DataFrame({"age": age, "income": income, "town": town, "noise": rng.normal(size=n_rows).round(2)}), y


def new_rows():
    X = table(80, seed=1)[0]
    X.loc[:3, "age"], X.loc[2:5, "town"], X.loc[4:7, "income"] = [np.nan, 1e300, -1e300, 0.0], None, np.nan
    X.loc[6, "town"] = "never seen"
    return X


@pytest.fixture(scope="module")
def model():
    model = ScorecardClassifier("best", n_pairs=PAIRS).fit(*table())
    assert sorted(model.pairs_) == PAIRS
    assert all(np.ptp(pair.table[..., q]) > 0 for pair in model.scorecard_.pairs for q in range(3))
    return model


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("with_exp", [False, True])
def test_sql(model, database, with_exp):
    rows = new_rows()
    found = database(export_sql(model, with_exp=with_exp), pl.from_pandas(rows, nan_to_null=True))
    names = [f"probability_{label}" for label in model.classes_]
    assert close(found, names, model.predict_proba(rows)) < 1e-9
    assert list(found["predicted"]) == model.predict(rows).tolist()


def test_onnx(model):
    rows = new_rows()
    session = onnxruntime.InferenceSession(export_onnx(model), providers=["CPUExecutionProvider"])
    label, probabilities = session.run(["label", "probabilities"], onnx_inputs(model, rows))
    assert np.abs(probabilities - model.predict_proba(rows)).max() < 1e-12
    assert label.tolist() == model.predict(rows).tolist()


def test_explanations_against_every_other_class_add_up(model):
    rows, n = table(20, seed=3)[0], 600.0
    p = model.predict_proba(rows)
    raw = np.log((p * (n + 0.5) - 0.5 / 3) / n)  # before the pseudo-count
    for a, first in enumerate(model.classes_):
        for b, second in enumerate(model.classes_):
            if a == b:
                continue
            for i, row in enumerate(model.explain(rows, (first, second))):
                terms = {term.column: term.log_odds for term in row.contributions}
                assert row.log_odds == pytest.approx(raw[i, a] - raw[i, b], abs=1e-5)
                assert row.prior + sum(terms.values()) == pytest.approx(row.log_odds, abs=1e-9)
                assert {"age × income", "age × town"} <= set(terms)


def test_scorecard_and_model_file(model, tmp_path):
    model.save(tmp_path / "model.json")
    loaded, rows = bayesieve.load(tmp_path / "model.json"), new_rows()
    assert np.array_equal(loaded.predict_proba(rows), model.predict_proba(rows))
    assert loaded.pairs_ == model.pairs_
    assert str(loaded.scorecard_) == str(model.scorecard_)
    known = rows[20:21]
    assert loaded.explain(known)[0].log_odds == model.explain(known)[0].log_odds


def test_the_report_has_a_heat_map_per_class(model):
    report = Report.from_fitted(model, *table(300, seed=2))
    pairs = {tuple(sorted(report.summary["columns"]["name"][j] for j in each["columns"])): each
             for each in report.summary["pairs"]}  # fmt: skip
    assert set(pairs) == set(PAIRS)
    for pair in model.scorecard_.pairs:
        shown = pairs[pair.names]
        assert [each["class"] for each in shown["classes"]] == [0, 1, 2]
    assert "<b>Łódź</b>" not in report.html
