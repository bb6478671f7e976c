# SPDX-License-Identifier: BSD-3-Clause
"""Probabilities of one row and of a hundred, as behind a web service, against scikit-learn on the same table.

Processor time of one thread. The table has 120 columns of numbers and 55 of categories; the yardstick scales the
numbers, encodes the categories and predicts by logistic regression, or is Gaussian naive Bayes for an array of numbers.
"""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from bayesieve import BenefitClassifier, ScorecardClassifier, SelectiveNaiveBayes, VoteClassifier, load
from benchmarks.classifier import mixed_problem
from benchmarks.report import Row, Section
from benchmarks.timing import minima, seconds

__all__ = ["run"]

_TRAINING, _NUMBERS, _CATEGORIES = 3_000, 120, 55
_MODELS: dict[str, Callable[[], Any]] = {
    "SelectiveNaiveBayes": SelectiveNaiveBayes,
    "ScorecardClassifier": ScorecardClassifier,
    "VoteClassifier": lambda: VoteClassifier("majority", cv=0),
    "BenefitClassifier": lambda: BenefitClassifier(SelectiveNaiveBayes(), benefit_matrix=[[0.0, 1.0], [2.0, 0.0]]),
}


def run(full: bool) -> Section:
    """Measure every classifier on a data frame, and one on other tables, from a file, and with reasons."""
    X, y = mixed_problem(n=_TRAINING + 100)
    X = X[[*X.columns[:_NUMBERS], *X.columns[300 : 300 + _CATEGORIES]]]
    train, new, y, repeats = X[:_TRAINING], X[_TRAINING:], y[:_TRAINING], 30 if full else 10
    models = {name: make().fit(train, y) for name, make in _MODELS.items()}
    bayes, pipeline = models["SelectiveNaiveBayes"], _pipeline(X.columns.tolist()).fit(train, y)
    arrays = [each.iloc[:, :_NUMBERS].to_numpy() for each in (train, new)]
    of_numbers, gaussian = (model.fit(arrays[0], y) for model in (SelectiveNaiveBayes(), GaussianNB()))
    rows = []
    for n in (1, 100):
        some = new[:n]
        tables = {"text": some.astype(dict.fromkeys(X.columns[_NUMBERS:], "str")), "polars": pl.from_pandas(some)}
        tasks = {f"{name}, pandas": partial(model.predict_proba, some) for name, model in models.items()}
        tasks |= {f"SelectiveNaiveBayes, {key}": partial(bayes.predict_proba, table) for key, table in tables.items()}
        tasks["SelectiveNaiveBayes, from a file"] = partial(_saved_and_loaded(bayes).predict_proba, some)
        tasks["SelectiveNaiveBayes, explain"] = partial(bayes.explain, some)
        rows += _rows(n, tasks, partial(pipeline.predict_proba, some), repeats)
        tasks = {"SelectiveNaiveBayes, NumPy (to GaussianNB)": partial(of_numbers.predict_proba, arrays[1][:n])}
        rows += _rows(n, tasks, partial(gaussian.predict_proba, arrays[1][:n]), repeats)
    return Section("Few rows: predict_proba of 120 numbers and 55 categories, one thread", "scikit-learn", rows)


def _rows(n: int, tasks: dict[str, Callable[[], Any]], yardstick: Callable[[], Any], repeats: int) -> list[Row]:
    best = minima({name: seconds(task) for name, task in {"yardstick": yardstick, **tasks}.items()}, repeats)
    rows, target = "1 row" if n == 1 else f"{n} rows", None if len(tasks) == 1 else 1.0
    return [Row(f"{rows}, {name}", 1e3 * best[name], 1e3 * best["yardstick"], "ms", target) for name in tasks]


def _saved_and_loaded(model: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model.json")
        return load(Path(folder) / "model.json")


def _pipeline(names: list[str]) -> Any:
    """Return a logistic regression of scaled numbers and indicators of categories."""
    encoder = OneHotEncoder(handle_unknown="ignore")
    return make_pipeline(
        make_column_transformer((StandardScaler(), names[:_NUMBERS]), (encoder, names[_NUMBERS:])),
        LogisticRegression(max_iter=1000),
    )
