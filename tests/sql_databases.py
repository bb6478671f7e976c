"""Databases that run exported SQL on a frame."""

import sqlite3
from datetime import date, time

import numpy as np
import pytest


def in_sqlite(query, frame):
    base = sqlite3.connect(":memory:")
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in frame.columns)
    base.execute(f"CREATE TABLE data ({names})")
    rows = [[_plain(value) for value in row] for row in frame.rows()]
    base.executemany(f"INSERT INTO data VALUES ({', '.join('?' * frame.width)})", rows)
    found = base.execute(query)
    columns, answer = [each[0] for each in found.description], found.fetchall()
    base.close()
    return dict(zip(columns, zip(*answer, strict=True), strict=True))


def in_duckdb(query, frame):
    duckdb = pytest.importorskip("duckdb")
    base = duckdb.connect()
    base.register("source", frame.to_arrow())
    base.execute("CREATE TABLE data AS SELECT * FROM source")
    found = base.execute(query)
    columns, answer = [each[0] for each in found.description], found.fetchall()
    base.close()
    return dict(zip(columns, zip(*answer, strict=True), strict=True))


def _plain(value):
    return value.isoformat() if isinstance(value, date | time) else value


DATABASES = [in_sqlite, in_duckdb]


def close(found, names, expected):
    return np.abs(np.column_stack([found[name] for name in names]) - expected).max()
