"""Queries in other dialects: parsed by sqlglot in each, and run where a database is here."""

import sys

import numpy as np
import polars as pl
import pytest
import sqlglot
from export.test_sql import close, in_duckdb, in_sqlite, mixed, new_rows

from bayesieve import SelectiveNaiveBayes
from bayesieve.exceptions import ExportError
from bayesieve.export import export_sql

DIALECTS = ["postgres", "bigquery", "snowflake", "tsql", "mysql", "spark", "databricks", "oracle", "redshift", "trino"]


@pytest.fixture(scope="module")
def fitted():
    X, y = mixed()
    X = X.with_columns(pl.col("<b>town</b>").str.replace("emoji 🦊", r"back\slash", literal=True))
    return SelectiveNaiveBayes(keep=X.columns, bins="best").fit(X, y), new_rows(X)  # averaged bins are in test_sql


@pytest.mark.parametrize(("database", "dialect"), [(in_sqlite, "sqlite"), (in_duckdb, "duckdb")])
@pytest.mark.parametrize("with_exp", [True, False])
def test_queries_run_and_agree(fitted, database, dialect, with_exp):
    model, rows = fitted
    found = database(export_sql(model, dialect=dialect, with_exp=with_exp), rows)
    assert close(found, ["probability"], model.predict_proba(rows)[:, 1:]) < 1e-9
    assert list(found["predicted"]) == model.predict(rows).tolist()


@pytest.fixture(scope="module")
def plain(fitted):
    return sqlglot.parse_one(export_sql(fitted[0]), read="duckdb")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_queries_are_parsed_and_keep_every_literal(fitted, plain, dialect):
    model, _ = fitted
    tree = sqlglot.parse_one(export_sql(model, dialect=dialect), read=dialect)

    def texts(query):
        unicode = [each.this for each in query.find_all(sqlglot.exp.National)]
        return sorted([each.this for each in query.find_all(sqlglot.exp.Literal) if each.is_string] + unicode)

    assert [text for text in texts(tree) if text != "17976931348623157e292"] == texts(plain)
    assert "back\\slash" in texts(tree)
    assert {each.name for each in tree.find_all(sqlglot.exp.Column)} == {
        each.name for each in plain.find_all(sqlglot.exp.Column)
    }
    if dialect in ("oracle", "tsql"):
        assert not list(tree.find_all(sqlglot.exp.Boolean))
        assert "CLOB" not in export_sql(model, dialect=dialect)


def test_unknown_dialects_and_a_missing_package_are_told(fitted, monkeypatch):
    with pytest.raises(ExportError, match=r"dialect is 'sqlsrv'; sqlglot has .*tsql"):
        export_sql(fitted[0], dialect="sqlsrv")
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(ImportError, match=r"pip install 'bayesieve\[sql\]'"):
        export_sql(fitted[0], dialect="mysql")


def test_exp_is_the_default(fitted):
    assert "EXP(" in export_sql(fitted[0])
    assert "EXP(" not in export_sql(fitted[0], with_exp=False)


@pytest.mark.parametrize("dialect", [None, "postgres", "sqlite", "mysql", "tsql"])
def test_categories_are_compared_by_their_characters(dialect):
    query = export_sql(words_model(["A", "a", "á"]), dialect=dialect, keys=["k"])
    assert ("BINARY" in query) == (dialect == "mysql")
    assert ("COLLATE Latin1_General_BIN2 IN (N'" in query) == (dialect == "tsql")


@pytest.mark.parametrize(("dialect", "labels"), [("tsql", ["a", "a ", "b"]), ("teradata", ["a", "A", "b"])])
def test_categories_that_a_database_cannot_tell_apart_are_refused(dialect, labels):
    model = words_model(labels)
    export_sql(model)
    with pytest.raises(ExportError, match=rf"of the column 'c' are one in {dialect}; rename one"):
        export_sql(model, dialect=dialect)


def words_model(labels):
    """Return a model of one column in which each label has points of its own."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 600)
    words = np.array(labels)[np.where(rng.random(600) < 0.8, y, rng.integers(0, 3, 600))]
    return SelectiveNaiveBayes(keep=["c"], bins="best", cv=0, n_features=1).fit(pl.DataFrame({"c": words}), y)


def test_oracle_has_numbers_of_its_own(fitted):
    query = export_sql(fitted[0], dialect="oracle")
    assert "CAST('17976931348623157e292' AS BINARY_DOUBLE)" in query
    assert "DOUBLE PRECISION" not in query
