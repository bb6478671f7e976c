"""One case: hostile names, labels and values in SQL, scorecards and reports, which must stay text."""

import csv
import io
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from hostile.damage import rng_of
from hostile.watched import watched

import bayesieve
from bayesieve.exceptions import BayesieveError, ExportError
from bayesieve.export import export_sql, scorecard_csv

try:
    import duckdb
except ModuleNotFoundError:  # SQLite comes with Python
    duckdb = None

TITLE = "document.title='PWNED'"
EVIL = [
    f"</script><script>{TITLE}</script>", f'<img src=x onerror="{TITLE}">', "\"'`;--", "'; DROP TABLE data; --",
    "\\'; SELECT 1; --", "\\", "\\\\", "a\u2028b\u2029c", "\u202eRTL", "😀", "*/ /*", "-- x\nSELECT 2",
    "=cmd|'/C calc'!A0", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "%s{0}${x}", "{{7*7}}", "{% raw %}", "<!--",
    "-->", "]]>", "\x1b[31mred", "\x7f", "\ufeff", "a" * 300, " lead", "trail ", "\u017f", "\u212a", "ß", "SS", "",
    "NULL", "null", "true", "1e5", "0x10", "\x08", "&amp;", "&lt;script&gt;", "bayesieve_s0", "bayesieve_e1", "rowid",
    "ROWID", "probability", "log_odds", "predicted", "data", "\u0000x", "__proto__", "constructor",
    "javascript:alert(1)", "?", ":x", "$1", "[x]", "\n", "a\tb", "\u200b", "é", "e\u0301",
]  # fmt: skip
TABLE = "t\"'x"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def _table(rng, y):
    names = list(dict.fromkeys(str(name) for name in rng.choice(np.array(EVIL, object), 4)))
    columns = {}
    for name in names:
        noise = rng.normal(size=len(y))
        values = [str(each) for each in rng.choice(np.array(EVIL, object), 6)]
        labels = [values[int(2 * c + b) % 6] for c, b in zip(y, rng.integers(0, 2, len(y)), strict=True)]
        texts = pd.Series(np.where(rng.random(len(y)) < 0.9, np.array(labels, object), None), dtype=object)
        kinds = [np.where(noise < -1, np.nan, y + noise), texts, (y == 0) ^ (noise > 1.3), np.round(np.exp(noise * 50))]
        columns[name] = kinds[int(rng.integers(4))]
    return pd.DataFrame(columns)


_MODELS = (
    lambda X: bayesieve.SelectiveNaiveBayes(n_jobs=1, n_features="all"),
    lambda X: bayesieve.ScorecardClassifier(n_jobs=1),
    lambda X: bayesieve.ScorecardClassifier("best", n_jobs=1, n_pairs=[(0, 1)] if X.shape[1] > 1 else 0),
    lambda X: bayesieve.BoostClassifier(n_jobs=1),
    lambda X: bayesieve.VoteClassifier(n_jobs=1),  # two classes only
)


def try_names(seed):
    """Return the text and the outcome of a case."""
    rng = rng_of(seed)
    n_classes = int(rng.integers(2, 4))
    y = rng.integers(0, n_classes, 120)
    X, labels = _table(rng, y), np.array(rng.choice(np.array(EVIL, object), n_classes, replace=False), object)[y]
    with watched() as outcome:
        model = _MODELS[int(rng.integers(len(_MODELS) - (n_classes > 2)))](X).fit(X, labels)
        outcome.word = "fitted"
        _check_sql(outcome.problems, model, X)
        _check_scorecard(outcome.problems, model)
        if rng.random() < 0.3:
            _check_report(outcome.problems, model, X, labels)
    text = f"{list(X.columns)}, labels {sorted(set(labels))}"
    return text.encode("utf-8", "replace").decode(), outcome


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


_KINDS = {"sqlite": ("TEXT", "REAL", "INTEGER"), "duckdb": ("VARCHAR", "DOUBLE", "BOOLEAN")}


def _connect(database):
    if database == "sqlite":
        return sqlite3.connect(":memory:")
    connection = duckdb.connect(":memory:")
    connection.execute("SET threads=1")
    return connection


def _check_sql(problems, model, X):
    try:
        query = export_sql(model, table=TABLE, keys=["row no"])
    except ExportError:  # a sentence: a database treats some names as equal
        return
    used = [name for name in X.columns if name and _quoted(name) in query]  # one without a name is refused
    for database in ("sqlite", *(["duckdb"] if duckdb else [])):
        text, real, flag = _KINDS[database]
        types = [text if X[c].dtype == object else real if X[c].dtype == float else flag for c in used]
        connection = _connect(database)
        fields = ", ".join(f"{_quoted(c)} {kind}" for c, kind in zip(used, types, strict=True))
        connection.execute(f'CREATE TABLE {_quoted(TABLE)} ("row no" INTEGER{", " * bool(used)}{fields})')
        rows = [(i, *map(_plain, row)) for i, row in enumerate(X[used].itertuples(index=False, name=None))]
        marks = ", ".join("?" * (1 + len(used)))
        connection.executemany(f"INSERT INTO {_quoted(TABLE)} VALUES ({marks})", rows)
        _compare(problems, database, connection, query, model, X)
        connection.close()


def _plain(value):
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return None
    return value if isinstance(value, str | bool) else bool(value) if isinstance(value, np.bool_) else float(value)


def _compare(problems, database, connection, query, model, X):
    cursor = connection.execute(query)
    rows, head = cursor.fetchall(), [each[0] for each in cursor.description]
    result = pd.DataFrame(rows, columns=head).sort_values("row no")
    probabilities = model.predict_proba(X)
    expected = probabilities[:, 1:] if probabilities.shape[1] == 2 else probabilities
    found = result[[name for name in head if name.startswith("probability")]].to_numpy(float)
    if found.shape != expected.shape or abs(found - expected).max() > 1e-12:
        problems.append(f"{database}: other probabilities")
    if list(result["predicted"].astype(str)) != [str(label) for label in model.predict(X)]:
        problems.append(f"{database}: other classes")
    if connection.execute(f"SELECT COUNT(*) FROM {_quoted(TABLE)}").fetchone()[0] != len(X):
        problems.append(f"{database}: the table was changed")


def _check_scorecard(problems, model):
    for row in csv.reader(io.StringIO(scorecard_csv(model), newline="")):
        for cell in row:
            if cell.startswith(("=", "@", "\t", "\r")):
                problems.append(f"scorecard: a formula, {cell!r:.40}")


def _check_report(problems, model, X, labels):
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        try:
            bayesieve.Report.from_estimator(model, X, labels).save(str(page))
        except BayesieveError:
            return
        text = page.read_text(encoding="utf-8")
        problems += [f"report: raw {evil}" for evil in EVIL[:2] if evil in text]
        if CHROMIUM and (title := _title(page, folder)) != _between_titles(text):
            problems.append(f"report: a browser has changed its title to {title!r:.60}")


def _title(page, folder):
    """Return what a browser makes of a page's title."""
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/browser", "--dump-dom"]
    done = subprocess.run([CHROMIUM, *options, page.as_uri()], capture_output=True, timeout=120, check=False)
    return _between_titles(done.stdout.decode(errors="replace"))


def _between_titles(page):
    return page.partition("<title>")[2].partition("</title>")[0]
