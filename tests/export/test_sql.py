"""Queries run in SQLite and DuckDB give what the model predicts."""

import csv
import io
import re
import sqlite3
from dataclasses import replace
from datetime import datetime, time, timedelta

import numpy as np
import polars as pl
import pytest
from pair_models import make_model, with_pairs
from sklearn.base import clone
from sql_databases import DATABASES, close, in_duckdb, in_sqlite

from bayesieve import ScorecardClassifier, SelectiveNaiveBayes
from bayesieve.bins import Groups, Intervals
from bayesieve.data import Scale
from bayesieve.exceptions import ExportError
from bayesieve.export import export_sql, scorecard_csv
from bayesieve.export.sql import points_case
from bayesieve.models import PairTable, VoteModel

ODD = [
    "'; DROP TABLE data; --",
    'say "hi"',
    "<script>alert(1)</script>",
    "emoji 🦊",
    "new\nline",
    "per%cent",
    "back\\slash",
    "select",
]


def mixed(n_rows=400, n_classes=2, seed=0):
    """Return a table with odd names and values, of every type that a database has, and its target."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_rows)
    amount = (y + rng.normal(scale=0.8, size=n_rows)).round(2)
    known = rng.random(n_rows) > 0.1
    moment = [datetime(2020, 1, 1) + timedelta(hours=int(h)) for h in rng.integers(2000, size=n_rows) + 700 * y]
    town = np.array(ODD, dtype=object)[(2 * y + rng.integers(4, size=n_rows)) % len(ODD)]
    columns = {
        'na"me; DROP TABLE data': [float(a) if k else None for a, k in zip(amount, known, strict=True)],
        "<b>town</b>": [t if k else None for t, k in zip(town.tolist(), known[::-1].tolist(), strict=True)],
        "when": moment,
        "day": [m.date() for m in moment],
        "clock": [time(int(h) % 24, 30) for h in 8 * y + rng.integers(8, size=n_rows)],
        "whole": y * 2 + rng.integers(4, size=n_rows),
        "flag": rng.random(n_rows) < 0.3 + 0.4 * (y == 1),
    }
    return pl.DataFrame(columns), np.array(["no", "yes's", 'may"be', "never"])[y]


def new_rows(frame):
    """Add rows with values that are unseen in training, and missing ones."""
    strange = frame.head(3).with_columns(
        pl.lit("never seen").alias("<b>town</b>"), pl.lit(1e9).alias(frame.columns[0]), pl.lit(None).alias("flag")
    )
    empty = frame.tail(2).clear(2)
    return pl.concat([frame, strange.cast(frame.schema), empty])


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("with_exp", [False, True])
@pytest.mark.parametrize("settings", [{}, {"bins": "best", "weights": "none"}, {"weights": "averaged"}])
def test_two_classes(database, with_exp, settings):
    X, y = mixed()
    model = SelectiveNaiveBayes(keep=X.columns, **settings).fit(X, y)
    rows = new_rows(X)
    found = database(export_sql(model, with_exp=with_exp), rows)
    assert close(found, ["probability"], model.predict_proba(rows)[:, 1:]) < 1e-9
    log_odds = [decision.log_odds for decision in model.explain(rows, ("yes's", "no"))]
    assert close(found, ["log_odds"], np.array(log_odds)[:, None]) < 1e-9
    assert list(found["predicted"]) == model.predict(rows).tolist()
    assert set(found) == {*model.feature_weights_, "log_odds", "probability", "predicted"}


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("threshold", [("recall", 0.9), 0.3, "f1"])
def test_thresholds_decide_as_the_model_does(database, threshold):
    X, y = mixed(seed=1)
    model = SelectiveNaiveBayes(threshold=threshold).fit(X, y)
    found = database(export_sql(model, keys=["whole"]), X)
    assert list(found["predicted"]) == model.predict(X).tolist()
    assert set(found) == {"whole", "log_odds", "probability", "predicted"}


@pytest.mark.parametrize("database", DATABASES)
def test_whole_numbers_are_predicted_as_such(database):
    X, y = mixed(seed=1)
    model = SelectiveNaiveBayes().fit(X, np.where(np.asarray(y) == "no", 1, 2))
    found = [*database(export_sql(model), X)["predicted"]]
    assert list(map(repr, found)) == list(map(repr, model.predict(X).tolist()))


@pytest.mark.slow
@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("with_exp", [False, True])
@pytest.mark.parametrize(
    "estimator", [SelectiveNaiveBayes(), ScorecardClassifier()], ids=lambda each: type(each).__name__
)
def test_more_classes(database, with_exp, estimator):
    X, y = mixed(600, 4)
    model = clone(estimator).fit(X, y)
    found = database(export_sql(model, with_exp=with_exp), new_rows(X))
    expected = model.predict_proba(new_rows(X))
    assert close(found, [f"probability_{label}" for label in model.classes_], expected) < 1e-9
    assert list(found["predicted"]) == model.predict(new_rows(X)).tolist()


@pytest.mark.parametrize("database", DATABASES)
def test_extreme_evidence_neither_overflows_nor_loses_the_class(database):
    y = np.repeat(["a", "b"], 300)
    X = pl.DataFrame({f"x{j}": (y == "b") * 1.0 + np.arange(600) / 1e4 for j in range(60)})
    model = SelectiveNaiveBayes(weights="none", bins="best", keep=X.columns, smoothing=1e-12).fit(X, y)
    found = database(export_sql(model), X)
    assert max(found["log_odds"]) > 1000
    assert close(found, ["probability"], model.predict_proba(X)[:, 1:]) < 1e-9


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("names", [["bayesieve_s0", "BAYESIEVE_s1"], ["bayesieve_e0", "bayesieve_e1", "bayesieve0_s1"]])
@pytest.mark.parametrize("with_exp", [False, True])
def test_columns_with_the_names_of_the_query_itself(database, names, with_exp):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    X = pl.DataFrame({name: rng.normal(size=200) + 2 * y for name in names})
    model = SelectiveNaiveBayes(keep=names).fit(X, y)
    for keys in ((), names[:1]):
        found = database(export_sql(model, keys=keys, with_exp=with_exp), X)
        assert close(found, ["probability"], model.predict_proba(X)[:, 1:]) < 1e-9


def test_a_table_with_a_name_of_the_query_itself():
    model = fitted(np.arange(100) % 2)
    assert "WITH bayesieve0_stage_0 AS" in export_sql(model, table="bayesieve_stage_0")


def test_nan_is_missing_in_duckdb():
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=300)
    x = np.where(rng.random(300) < 0.3 + 0.3 * y, np.nan, rng.normal(size=300) + y)
    X = pl.DataFrame({"x": x, "group": rng.integers(3, size=300) + y})
    model = SelectiveNaiveBayes(keep="x").fit(X, y)
    found = in_duckdb(export_sql(model), X)
    assert close(found, ["probability"], model.predict_proba(X)[:, 1:]) < 1e-9


def test_a_thousand_columns_are_not_too_deep():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    X = pl.DataFrame({f"x{j}": rng.normal(size=60) + y for j in range(1200)})
    model = SelectiveNaiveBayes(bins="best", weights="none", keep=X.columns, cv=0).fit(X, y)
    found = in_sqlite(export_sql(model, keys=["x0"]), X)
    assert close(found, ["probability"], model.predict_proba(X)[:, 1:]) < 1e-9


def fitted(column, y=None):
    y = np.arange(100) % 2 if y is None else y
    return SelectiveNaiveBayes(bins="best", weights="none", keep=[0]).fit(pl.DataFrame({"x": column, "z": y}), y)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ([timedelta(i % 2) for i in range(100)], "'x' holds durations"),
        ([f"a\0{i % 2}" for i in range(100)], "zero byte"),
        ([f"{i % 2}\\" for i in range(100)], "a backslash before a quote or at its end"),
        ([f"{i % 2}\\'; DROP TABLE data; --" for i in range(100)], "a backslash before a quote or at its end"),
    ],
)
def test_what_sql_cannot_express_is_refused_by_name(column, words):
    with pytest.raises(ExportError, match=words):
        export_sql(fitted(column))


@pytest.mark.parametrize(("name", "words"), [("", "an empty name"), ('a\\"b', "a backslash before a quote")])
def test_names_that_sql_cannot_express_are_refused(name, words):
    y = np.arange(100) % 2
    model = SelectiveNaiveBayes(keep=[0]).fit(pl.DataFrame({name: y}), y)
    with pytest.raises(ExportError, match=words):
        export_sql(model)
    with pytest.raises(ExportError, match=words):
        export_sql(fitted(y), table=name)


def test_a_query_with_backslashes_says_so():
    assert "A backslash is a character" in export_sql(fitted([f"a\\{i % 2}" for i in range(100)]))
    assert "A backslash" not in export_sql(fitted([f"a{i % 2}" for i in range(100)]))


def test_names_that_a_database_takes_for_the_same_are_refused():
    X, y = mixed()
    doubled = X.with_columns(pl.col("whole").alias("WHOLE"))
    model = SelectiveNaiveBayes(keep=["whole", "WHOLE"]).fit(doubled, y)
    with pytest.raises(ExportError, match="'whole' and 'WHOLE' of the model have the same name in a database"):
        export_sql(model)
    with pytest.raises(ExportError, match="'Predicted' and 'predicted'"):
        export_sql(SelectiveNaiveBayes().fit(X, y), keys=["Predicted"])


def test_a_calibrated_model_is_refused():
    X, y = mixed()
    with pytest.raises(ExportError, match="with calibration cannot be exported"):
        export_sql(SelectiveNaiveBayes(calibration="beta").fit(X, y))


def test_a_model_whose_columns_do_not_add_up_is_refused():
    X, y = mixed()
    model = SelectiveNaiveBayes().fit(X, y)
    card = model.scorecard_
    model.scorecard_ = VoteModel(card.classes, card.start, card.tables, card.class_mass, laplace=False)
    with pytest.raises(ExportError, match="not a sum over columns"):
        export_sql(model)


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("with_exp", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_pairs(database, with_exp, n_classes):
    X, _, _, model = make_model(n_classes, names=(("age", "region"), ("noise", "income"), ("region", "income")))
    rows = pl.from_pandas(X)
    strange = rows.head(3).with_columns(pl.lit("abroad").alias("region"), pl.lit(None).cast(float).alias("noise"))
    rows = pl.concat([rows, strange])
    found = database(export_sql(model, with_exp=with_exp), rows)
    expected = model.predict_proba(rows)
    names = ["probability"] if n_classes == 2 else [f"probability_{label}" for label in model.classes_]
    assert close(found, names, expected[:, -len(names) :]) < 1e-9
    assert list(found["predicted"]) == model.predict(rows).tolist()
    assert set(X.columns) <= set(found)


@pytest.mark.parametrize("database", DATABASES)
def test_pairs_of_dates_and_odd_names(database):
    """Each cell of a pair of a number with missing values and a date has points of its own."""
    X, y = mixed()
    model = SelectiveNaiveBayes(weights="none", bins="best", keep=[X.columns[0], "when", "<b>town</b>"]).fit(X, y)
    tables = {each.name: each for each in model.scorecard_.tables}
    pairs = []
    for names in ((X.columns[0], "when"), ("<b>town</b>", X.columns[0])):
        bins = tuple(tables[name].partition for name in names)
        shape = bins[0].n_bins, bins[1].n_bins, 2
        table = np.zeros((shape[0] + 1, shape[1] + 1, 2), dtype=np.int64)
        table[:-1, :-1] = np.rint(np.random.default_rng(0).normal(size=shape) * 2**40)
        pairs.append(PairTable(names, bins, table, np.ones(shape)))
    model = with_pairs(model, pairs)
    rows = new_rows(X)
    found = database(export_sql(model), rows)
    assert close(found, ["probability"], model.predict_proba(rows)[:, 1:]) < 1e-9


def test_the_scorecard_as_csv_has_the_cells_of_pairs():
    _, _, _, model = make_model()
    rows = list(csv.DictReader(io.StringIO(scorecard_csv(model))))
    frame = model.scorecard()
    assert [row["column"] for row in rows] == frame["column"].tolist()
    cells = [row for row in rows if row["column"] == "age × region"]
    assert [row["bin"] for row in cells[:2]] == ["<= 30 × north, east", "<= 30 × south"]
    assert [float(row["points"]) for row in rows] == pytest.approx(frame["points"].tolist(), abs=1e-11)
    assert [int(row["count"]) for row in rows] == frame["count"].tolist()
    assert np.allclose([float(row["rate"]) for row in rows], frame["rate"], rtol=1e-5)
    assert max(len(row[name]) for row in rows for name in ("share", "rate")) <= 12


@pytest.mark.parametrize(
    ("partition", "words"),
    [
        (Intervals(np.array([0.0]), False, special=(5.0,), scale=Scale.date), "dates or times with a bin of their own"),
        (Groups(((1.0,), (2.0,)), False, scale=Scale.time), "groups of dates or times"),
    ],
)
def test_bins_of_dates_that_standard_sql_cannot_express_are_refused_by_name(partition, words):
    with pytest.raises(ExportError, match=f"Column 'when' has {words}, which standard SQL cannot express"):
        points_case("x", "when", partition, [0.5] * (partition.n_bins + 1))


@pytest.fixture(scope="module")
def ages():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    age = np.where(rng.random(300) < 0.1, np.nan, (40 + 5 * y + 5 * rng.normal(size=300)).round(2))
    X = pl.DataFrame({"age": age, "count": (y * 2 + rng.integers(0, 4, 300)) * 10**17 + 1}).fill_nan(None)
    return SelectiveNaiveBayes(n_features=2, cv=0).fit(X, y), X


@pytest.mark.parametrize("database", DATABASES)
def test_a_table_without_a_column_is_refused(ages, database):
    model, X = ages
    with pytest.raises(Exception, match=r"no such column: \w+\.age|does not have a column named \"age\""):
        database(export_sql(model, keys=["count"]), X.rename({"age": "alter"}))
    with pytest.raises(Exception, match=r"no such column: \w+\.id|does not have a column named \"id\""):
        database(export_sql(model, keys=["id"]), X)


def test_numbers_that_sqlite_has_as_text_are_numbers_and_other_text_is_missing(ages):
    model, X = ages
    query = export_sql(model, keys=["count"])
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE data (age TEXT, count TEXT)")  # as .import makes them
    texts = [("" if a is None else str(a), str(c)) for a, c in X.rows()]
    base.executemany("INSERT INTO data VALUES (?, ?)", [*texts, ("n/a", texts[0][1]), ("12 years", texts[0][1])])
    found = np.array([row[2] for row in base.execute(query)])
    absent = model.predict_proba(pl.DataFrame({"age": [None], "count": X["count"][:1]}))[0, 1]
    expected = [*model.predict_proba(X)[:, 1], absent, absent]
    assert np.abs(found - expected).max() < 1e-9


@pytest.mark.parametrize("database", DATABASES)
def test_integers_that_floats_do_not_have_are_read_as_in_a_fit(ages, database):
    model, _ = ages
    bounds = [int(bound) + shift for bound in model.partitions_["count"].bounds for shift in (-1, 0, 1)]
    rows = pl.DataFrame({"age": [40.0] * len(bounds), "count": bounds})
    found = database(export_sql(model, keys=["count"]), rows)
    assert close(found, ["probability"], model.predict_proba(rows)[:, 1:]) < 1e-9


def test_names_of_any_length_differ_in_databases_that_cut_them(ages):
    _, X = ages
    names = ["x" * 70 + "a", "x" * 70 + "b"]
    y = (X["count"] > 3 * 10**17).cast(int)
    model = SelectiveNaiveBayes(n_features=2, keep=names, cv=0).fit(
        X.rename(dict(zip(X.columns, names, strict=True))), y
    )
    query = export_sql(model, keys=[names[0]])
    assert {f'AS "bayesieve_column_{k}"' in query for k in (0, 1)} == {True}


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("with_exp", [False, True])
@pytest.mark.parametrize("threshold", ["bayes", 0.3, ("recall", 0.9)])
def test_log_odds_and_probability_are_those_of_the_positive_class(database, with_exp, threshold):
    X, y = mixed(300)
    model = ScorecardClassifier(cv=2, n_pairs=0, pos_label="no", threshold=threshold).fit(X, y)
    assert model.classes_.tolist() == ["no", "yes's"]
    query = export_sql(model, with_exp=with_exp)
    assert query.startswith("-- Log-odds of 'no' against \"yes's\", and the probability of 'no'.")
    found = database(query, X)
    assert close(found, ["probability"], model.predict_proba(X)[:, :1]) < 1e-9
    log_odds = [decision.log_odds for decision in model.explain(X, ("no", "yes's"))]
    assert close(found, ["log_odds"], np.array(log_odds)[:, None]) < 1e-9
    assert list(found["predicted"]) == model.predict(X).tolist()


def test_points_are_written_as_on_the_card():
    X, y = mixed(600)
    model = ScorecardClassifier(cv=2).fit(X.select(X.columns[0], "whole", "<b>town</b>"), y)
    query = export_sql(model)
    shown = {f"{each:.10g}" for each in np.asarray(model.scorecard()["points"])[1:].tolist()}
    written = set(re.findall(r"(?:THEN|ELSE) (-?[\d.]+)e0$", query, re.M))
    assert shown <= {f"{float(each):.10g}" for each in written}
    assert all(len(each.partition(".")[2]) <= 2 for each in written)


@pytest.mark.parametrize("positive", ["no", "yes's"])
def test_rows_at_the_threshold_are_decided_as_by_the_model(positive, monkeypatch):
    X, y = mixed(400)
    model = ScorecardClassifier(cv=2, n_pairs=0, pos_label=positive, threshold=("recall", 0.9)).fit(X, y)
    rows, other, threshold = X.head(200), model.classes_[1 - model.positive_index_], model.threshold_
    log_odds = [round(decision.log_odds * 2**40) for decision in model.explain(rows, (positive, other))]
    for cut in set(log_odds[:12]):
        at_row = replace(threshold, cut=cut)
        monkeypatch.setattr(ScorecardClassifier, "threshold_", property(lambda self, found=at_row: found))
        expected = [positive if each > cut else other for each in log_odds]
        assert list(in_duckdb(export_sql(model), rows)["predicted"]) == expected
