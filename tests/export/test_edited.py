"""Exports of edited scorecards: SQL and tables of points; ONNX and PMML have them from `mixed_models`."""

import numpy as np
import polars as pl
import pytest
from mixed_models import MODELS, mixed
from sql_databases import close, in_duckdb, in_sqlite

from bayesieve.export import export_sql, scorecard_csv


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", ["edited", "edited points"])
def test_sql(name, n_classes):
    X, y = mixed(n_classes=n_classes)
    X = X.drop(columns="day").assign(day=X["whole"] * 1.5)  # dates have no type in SQLite
    model, rows = MODELS[name].fit(X, y), pl.from_pandas(X)
    expected = model.predict_proba(X)
    for database in (in_sqlite, in_duckdb):
        found = database(export_sql(model, with_exp=True), rows)
        if n_classes == 2:
            assert close(found, ["probability"], expected[:, [model.positive_index_]]) < 1e-12
        else:
            names = [each for each in found if each.startswith("probability")]
            assert close(found, names, expected) < 1e-12
        assert list(found["predicted"]) == model.predict(X).tolist()


@pytest.mark.parametrize("name", ["edited", "edited points"])
def test_points_add_up_to_the_log_odds(name):
    X, y = mixed()
    model = MODELS[name].fit(X, y)
    card = model.scorecard()
    intercept = float(card["points"].iloc[0])
    explanations = model.explain(X)
    by_bin = dict(zip(zip(card["column"], card["bin"], strict=True), card["points"], strict=True))
    for each in explanations[:50]:
        known = [by_bin[term.column, term.bin] for term in each.contributions if (term.column, term.bin) in by_bin]
        assert len(known) == len(each.contributions)
        assert intercept + sum(known) == pytest.approx(each.log_odds, abs=1e-9)
    assert scorecard_csv(model).count("\n") >= len(card)
    assert np.isfinite(card["points"]).all()
