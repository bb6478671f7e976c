"""Models in real databases, and fixed changes of tables that may not matter."""

import numpy as np
import polars as pl
import pytest
from draws import draws
from hostile.engines import ENGINES, try_engines
from hostile.metamorphic import CHANGES, try_change
from mariadb_server import in_mariadb, is_installed as has_mariadb, mariadb_server
from postgres_server import in_postgres, is_installed as has_postgres, postgres_server
from sql_databases import in_sqlite

from bayesieve.export import export_sql


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_that_may_not_matter_changes_no_bit(change):
    for seed in range(draws(1, 20)):
        text, outcome = try_change(1000 + seed, change, "ScorecardClassifier")
        assert (outcome.word, outcome.problems) == ("passed", []), text


def test_a_copy_of_a_column_does_not_change_the_order_of_categories():
    for seed in (200033, 300012):
        text, outcome = try_change(seed)
        assert (outcome.word, outcome.problems) == ("passed", []), text


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_has_the_probabilities(engine):
    for seed in range(draws(1, 30)):
        text, outcome = try_engines(1000 + seed, {engine: ENGINES[engine]})
        assert (outcome.word, outcome.problems) == ("passed", []), text


def in_server(run, dialect):
    """Return an engine: a function of a model and rows, given one that returns the rows of a query as texts."""

    def probabilities(model, rows):
        with_key = rows.with_row_index("row key").with_columns(pl.col("row key").cast(pl.Int64))
        names = list(in_sqlite(export_sql(model, keys=["row key"]), with_key))
        found = run(export_sql(model, keys=["row key"], dialect=dialect), with_key)
        columns = [k for k, name in enumerate(names) if name.startswith("probability")]
        found = sorted(found, key=lambda row: int(row[names.index("row key")]))
        return np.array([[float(row[k]) for k in columns] for row in found])

    return probabilities


def attack(dialect, run):
    for seed in range(draws(4, 500)):
        text, outcome = try_engines(2000 + seed, {dialect: in_server(run, dialect)})
        assert not outcome.problems, text


@pytest.mark.slow
@pytest.mark.skipif(not has_mariadb(), reason="MariaDB is missing: apt-get install mariadb-server")
def test_mariadb(tmp_path):
    with mariadb_server(tmp_path) as run:
        attack("mysql", lambda query, frame: in_mariadb(run, query, frame))


@pytest.mark.slow
@pytest.mark.skipif(not has_postgres(), reason="PostgreSQL is missing: apt-get install postgresql")
def test_postgresql():
    with postgres_server() as run:
        attack("postgres", lambda query, frame: in_postgres(run, query, frame))


@pytest.mark.slow
def test_clickhouse():
    session = pytest.importorskip("chdb.session", reason="ClickHouse is missing: pip install chdb").Session()
    types = {"String": "Nullable(String)", "Int64": "Nullable(Int64)", "Float64": "Nullable(Float64)"}

    def run(query, frame):
        made = ", ".join(f"{_name(name)} {types[str(dtype)]}" for name, dtype in frame.schema.items())
        rows = ", ".join("(" + ", ".join(map(_value, row)) + ")" for row in frame.rows())
        session.query(f"CREATE OR REPLACE TABLE data ({made}) ENGINE = Memory")
        session.query(f"INSERT INTO data VALUES {rows}")
        return [line.split("\t") for line in str(session.query(query.rstrip().rstrip(";"), "TSV")).splitlines()]

    session.query("CREATE DATABASE IF NOT EXISTS own ENGINE = Atomic")
    session.query("USE own")
    attack("clickhouse", run)


def _name(name):
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"


def _value(value):
    if isinstance(value, str):
        return f"unhex('{value.encode().hex()}')"
    return "NULL" if value is None else repr(value)
