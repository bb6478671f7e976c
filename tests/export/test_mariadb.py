"""Queries of the dialect of MySQL in MariaDB, whose collations take many categories for one."""

import numpy as np
import polars as pl
import pytest
from draws import draws
from mariadb_server import in_mariadb, is_installed, mariadb_server

from bayesieve import SelectiveNaiveBayes
from bayesieve.export import export_sql

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_installed(), reason="MariaDB is missing: apt-get install mariadb-server"),
]
WORDS = ["A", "a", "a ", "á", "i", "\u0131", "ß", "ss", "日本", "'", '"', "per%cent", "", " ", "🦊", "--", "x/*y*/"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with mariadb_server(tmp_path_factory.mktemp("mariadb")) as run:
        yield run


@pytest.mark.parametrize("seed", range(draws(3, 60)))
def test_probabilities_are_those_of_the_model(server, seed):
    rng = np.random.default_rng(seed)
    words = rng.choice(WORDS, 5, replace=False).tolist()
    y = rng.integers(0, 2, 500)
    table = {
        "k": np.arange(500),
        "c": np.array(words)[np.clip(2 * y + rng.integers(0, 3, 500), 0, 4)],
        "n": [None if rng.random() < 0.1 else int(v) for v in (y + rng.integers(0, 3, 500)) * 10**17 + 1],
        "x": y + rng.normal(size=500),
    }
    X = pl.DataFrame(table)
    model = SelectiveNaiveBayes(keep=["c", "n", "x"], drop=["k"], n_features=3, cv=0).fit(X, y)
    unseen = [word for word in WORDS if word not in words]
    rows = pl.concat([X[:60], X[: len(unseen)].with_columns(pl.Series("c", unseen))]).with_columns(
        pl.Series("k", range(60 + len(unseen)))
    )
    found = in_mariadb(server, export_sql(model, keys=["k"], dialect="mysql"), rows)
    by_key = np.array(sorted([int(row[0]), float(row[2])] for row in found))
    assert np.abs(by_key[:, 1] - model.predict_proba(rows)[:, 1]).max() < 1e-9


def test_columns_of_another_character_set(server):
    y = np.arange(300) % 3
    X = pl.DataFrame({"k": np.arange(300), "c": np.array(["e", "é", "É"])[y]})
    model = SelectiveNaiveBayes(keep=["c"], drop=["k"], n_features=1, cv=0).fit(X, y)
    query = export_sql(model, keys=["k"], dialect="mysql")
    for text in ("VARCHAR(9) CHARACTER SET latin1", "CHAR(9) CHARACTER SET utf8mb4", "TEXT CHARACTER SET utf16"):
        found = sorted((int(row[0]), int(row[-1])) for row in in_mariadb(server, query, X, text))
        assert [label for _, label in found] == y.tolist()
