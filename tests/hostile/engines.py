"""One case: a model, and rows at its bounds and beyond; every engine has the probabilities of ``predict_proba``."""

import json
import pickle
import tempfile
from dataclasses import asdict
from pathlib import Path

import numpy as np
import onnxruntime
import polars as pl
from hostile.damage import rng_of
from hostile.tables import choose
from hostile.watched import watched
from report.page_scripts import NODE, evaluate
from sql_databases import in_duckdb, in_sqlite

import bayesieve
from bayesieve.bins import Intervals
from bayesieve.export import export_onnx, export_sql, onnx_inputs
from bayesieve.report.what_if import NoForm, describe_what_if

BOUND = 1e-9
_WORDS = [
    "A", "a", "á", "i", "\u0131", "ß", "ss", "日本", "'", '"', "per%cent", "none", "NA", "null", "?", "1", "1.0", "🦊",
    "--", "x/*y*/", "=1+1", "</script>", "two words", "$1",
]  # fmt: skip
_MISSING = {"NA", "none", "null", "?", "", " "}
_NAMES = ["age", "größe", "a b", 'quo"te', "select", "%d", "日本", "_", "A;B", "it's"]


def _categories(rng, v):
    words = rng.choice(_WORDS, int(rng.integers(2, 8)), replace=False)
    made = words[np.clip(v * 1.5 + len(words) / 2, 0, len(words) - 1).astype(int)].astype(object)
    made[rng.random(len(v)) < rng.choice([0.0, 0.2])] = None
    return pl.Series(made.tolist(), dtype=pl.String)


def _labels_of_rows(rng, v):
    return pl.Series([f"row {k}" if rng.random() < 0.2 else "xyz"[int(x > 0)] for k, x in enumerate(v)])


def _gaps(rng, v):
    return pl.Series([None if rng.random() < 0.2 else round(float(x), 2) for x in v], dtype=pl.Float64)


COLUMNS = {
    "number": lambda rng, v: pl.Series(v),
    "rounded": lambda rng, v: pl.Series(v.round(1)),
    "gaps": _gaps,
    "whole": lambda rng, v: pl.Series((3 * v).round().astype(int)),
    "large": lambda rng, v: pl.Series((10 * v).round().astype(np.int64) * 10**15 + 1),
    "tiny": lambda rng, v: pl.Series(v * 1e-290),
    "huge": lambda rng, v: pl.Series(v * 1e290),
    "words": _categories,
    "rare labels": _labels_of_rows,
}
MODELS = {
    "ScorecardClassifier": lambda: bayesieve.ScorecardClassifier(keep=[0, 1], n_jobs=1),
    "ScorecardClassifier, best": lambda: bayesieve.ScorecardClassifier("best", n_pairs=[(0, 1)], n_jobs=1),
    "ScorecardClassifier, neutral": lambda: bayesieve.ScorecardClassifier("best", missing="neutral", n_jobs=1),
    "SelectiveNaiveBayes": lambda: bayesieve.SelectiveNaiveBayes(keep=[0, 1], n_jobs=1),
    "SelectiveNaiveBayes, best bins": lambda: bayesieve.SelectiveNaiveBayes(bins="best", keep=[0], cv=0, n_jobs=1),
}


def _in_database(run, dialect=None):
    def probabilities(model, rows):
        with_key = rows.with_row_index("row key").with_columns(pl.col("row key").cast(pl.Int64))
        found = run(export_sql(model, keys=["row key"], dialect=dialect), with_key)
        names = [name for name in found if name.startswith("probability")]
        by_row = np.argsort(np.asarray(found["row key"], dtype=int))
        return np.column_stack([np.asarray(found[name], dtype=float)[by_row] for name in names])

    return probabilities


def _in_onnx(model, rows):
    session = onnxruntime.InferenceSession(export_onnx(model), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(["probabilities"], onnx_inputs(model, rows))[0])


def _in_page(model, rows):
    form = describe_what_if(model, rows, 1, 0.5)
    if NODE is None or isinstance(form, NoForm):
        return None
    cells = rows.select([column.name for column in form.columns]).rows()
    texts = [["" if each is None else each if isinstance(each, str) else repr(each) for each in row] for row in cells]
    data = {"whatIf": asdict(form), "labels": [str(each) for each in model.classes_]}
    call = "rows.map((row) => predict(row.map((text, k) => cellValue(model.columns[k].bins, text))).probabilities)"
    found = np.array(evaluate(["what_if.js"], f"((rows) => {call})({json.dumps(texts)})", data))
    partitions = {table.name: table.partition for table in model.scorecard_.tables}
    known = [set(getattr(partitions[column.name], "_bin_of", ())) for column in form.columns]
    ambiguous = [any(map(_is_ambiguous, row, known)) for row in cells]
    return np.where(np.array(ambiguous)[:, None], model.predict_proba(rows), found)


def _is_ambiguous(text, known):
    """Return whether a reader who enters a text means another: missing values, or a category that is written alike."""
    return (
        isinstance(text, str)
        and text not in known
        and (text in _MISSING or text.strip() in known or {"1", "1.0"} >= {text})
    )


def _in_file(model, rows):
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model.json")
        return bayesieve.load(Path(folder) / "model.json").predict_proba(rows)


def _by_single_rows(model, rows):
    return np.concatenate([model.predict_proba(rows[k : k + 1]) for k in range(min(20, len(rows)))])


ENGINES = {
    "SQLite": _in_database(in_sqlite),
    "DuckDB": _in_database(in_duckdb),
    "ONNX": _in_onnx,
    "page": _in_page,
    "file": _in_file,
    "pickle": lambda model, rows: pickle.loads(pickle.dumps(model)).predict_proba(rows),
    "single rows": _by_single_rows,
}
"""Functions of a model and rows; SQL has the second class alone, or all. None: the engine has no such models."""


def make_case(seed):
    """Return the name of a model, a model, and rows."""
    rng = rng_of(seed)
    n, n_classes = int(rng.choice([60, 150, 400])), int(rng.choice([2, 2, 3]))
    hidden = rng.normal(size=(n, 4))
    names = rng.choice(_NAMES, 4, replace=False).tolist()
    kinds = [choose(rng, COLUMNS) for _ in names]
    X = pl.DataFrame(
        {name: make(rng, hidden[:, k]) for k, (name, (_, make)) in enumerate(zip(names, kinds, strict=True))}
    )
    score = hidden[:, 0] + hidden[:, 1] + 2.0 * (hidden[:, 0] > 0) * (hidden[:, 1] > 0) + rng.logistic(size=n) / 2
    y = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    name, make = choose(rng, MODELS)
    model = make().fit(X, y)
    return f"{name}, {n_classes} classes, {', '.join(kind for kind, _ in kinds)}", model, _rows(rng, X, model)


def _rows(rng, X, model):
    """Return training rows, and rows at the bounds, with extreme, unseen and missing values."""
    columns, partitions = {}, {table.name: table.partition for table in model.scorecard_.tables}
    for name in X.columns:
        partition, values = partitions.get(name), X[name].to_list()
        pool = [None, *values[:20]]
        if X.schema[name] == pl.String:
            pool += [*_WORDS, "never seen", "A ", ""]
        elif isinstance(partition, Intervals):
            is_whole, near = X.schema[name] == pl.Int64, []
            for bound in partition.bounds.tolist():
                # SQLite reads decimal numbers of such exponents as a neighboring one.
                exact = 1e-15 < abs(bound) < 1e15
                ends = [(bound, 9e300), (bound, -9e300)]
                near += [bound, *(np.nextafter(*each) for each in ends)] if exact else [bound * 1.001, bound * 0.999]
            pool += [round(each) for each in near] if is_whole else [float(each) for each in near]
            pool += [2**53 + 1, -(2**53) - 1] if is_whole else [1e300, -1e300, 0.0, 5e-324]
        drawn = [pool[int(k)] for k in rng.integers(0, len(pool), 60)]
        columns[name] = pl.Series([*values[:40], *drawn], dtype=X.schema[name])
    return pl.DataFrame(columns)


def try_engines(seed, engines=None):
    """Return the text and the outcome of a case."""
    text = "a model"
    with watched() as outcome:
        text, model, rows = make_case(seed)
        expected = model.predict_proba(rows)
        for engine, probabilities in (ENGINES if engines is None else engines).items():
            found = probabilities(model, rows)
            if found is None:
                continue
            same = expected[:, 1:] if found.shape[1] < expected.shape[1] else expected
            difference = np.abs(found - same[: len(found)]).max()
            if not difference <= BOUND:
                outcome.problems.append(f"{engine}: probabilities differ by {difference:.2g}")
    return text, outcome
