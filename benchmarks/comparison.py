# SPDX-License-Identifier: BSD-3-Clause
"""Lines of bayesieve in docs/comparison.md: ``python -m benchmarks.comparison``.

Processor seconds of one thread, from the table as it is given, the best of three runs. Held-out rows are those on which
the other libraries were evaluated.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from sklearn.naive_bayes import BernoulliNB
from threadpoolctl import threadpool_limits

from bayesieve import FilterSelector, MODLDiscretizer, NaiveBayesSelector, ScorecardClassifier, SelectiveNaiveBayes
from benchmarks.classifier import mixed_problem
from benchmarks.filter_problems import discrete_problem, relief_problem
from benchmarks.problems import wrapper_rows
from benchmarks.report import markdown_table
from benchmarks.timing import seconds

_Table = tuple[str, list[str], list[list[str]]]  # title, header, rows
_REPEATS = 3
_INFORMATIVE, _NOISE = 120, 80  # columns of the table of bins


def main() -> None:
    """Print one table per section of the page."""
    with threadpool_limits(1):
        for section in (_wrapper, _classifiers, _bins, _filters):
            title, header, rows = section()
            print("\n".join([f"\n## {title}\n", *markdown_table(header, rows)]), flush=True)


def _time(task: Callable[[], Any]) -> str:
    return f"{min(seconds(task, time.process_time)() for _ in range(_REPEATS)):.3g}"


def _wrapper() -> _Table:
    (X, y), held_out = wrapper_rows()
    rows: list[list[str]] = []
    for n_features, criterion in ((5, "error"), (20, "error"), (20, "log_loss")):
        selector = NaiveBayesSelector(
            criterion=criterion, smoothing=1, discretizer=None, cv=2, n_features=n_features, n_jobs=1
        )
        taken = _time(partial(selector.fit, X, y))
        columns = selector.get_support(indices=True)
        judged = BernoulliNB().fit(X[:, columns], y).predict_proba(held_out[0][:, columns])
        rows.append([f"NaiveBayesSelector, {criterion}", str(len(columns)), taken, *_losses(held_out[1], judged)])
    for model in (SelectiveNaiveBayes(n_jobs=1), ScorecardClassifier(n_jobs=1)):
        taken = _time(partial(model.fit, X, y))
        losses = _losses(held_out[1], model.predict_proba(held_out[0]))
        rows.append([type(model).__name__, str(model.n_features_), taken, *losses])
    return "Wrapper search, 6,000 x 814", ["", "columns", "seconds", "accuracy", "log loss"], rows


def _losses(y: NDArray[np.int64], probabilities: NDArray[np.float64]) -> list[str]:
    return [f"{accuracy_score(y, probabilities.argmax(axis=1)):.3f}", f"{log_loss(y, probabilities):.3f}"]


def _classifiers() -> _Table:
    X, y = mixed_problem()
    train, test = X.iloc[:14_000], X.iloc[14_000:]
    rows: list[list[str]] = []
    for model in (SelectiveNaiveBayes(n_jobs=1), ScorecardClassifier(n_jobs=1)):
        taken = _time(partial(model.fit, train, y[:14_000]))
        positive = model.predict_proba(test)[:, 1]
        figures = [roc_auc_score(y[14_000:], positive), log_loss(y[14_000:], positive)]
        rows.append([type(model).__name__, str(model.n_features_), taken, *(f"{figure:.3f}" for figure in figures)])
    return "Classifiers, 14,000 x 500", ["", "columns", "seconds", "AUC", "log loss"], rows


def _bins() -> _Table:
    tables = {"one column of 100,000 rows": _one_column(), "10,000 x 200": _shifted_columns()}
    rows: list[list[str]] = []
    for name, (X, y) in tables.items():
        discretizer = MODLDiscretizer(n_jobs=1)
        taken = _time(partial(discretizer.fit, X, y))
        cuts = [partition.n_bins - 1 for partition in discretizer.partitions_.values()]
        kept = [sum(n > 0 for n in part) for part in (cuts[:_INFORMATIVE], cuts[_INFORMATIVE:])]
        rows.append([name, taken, str(cuts[0]), *map(str, kept)])
    return "Bins", ["", "seconds", "cuts of the first", "informative kept", "noise kept"], rows


def _one_column() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(44)
    values = rng.random(100_000)
    shares = np.array([0.20, 0.60, 0.35, 0.70, 0.10, 0.50])[np.searchsorted([0.10, 0.25, 0.40, 0.60, 0.85], values)]
    return values.reshape(-1, 1), (rng.random(len(values)) < shares).astype(np.int64)


def _shifted_columns() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return 60 columns with another mean and 60 with another variance in the second class, and noise."""
    rng = np.random.default_rng(45)
    y = (rng.random(10_000) < 0.4).astype(np.int64)
    X = rng.normal(size=(len(y), _INFORMATIVE + _NOISE))
    for j in range(60):
        X[:, j] += y * (0.05 + 0.03 * j)
        X[:, 60 + j] *= 1.0 + y * (0.05 + 0.03 * j)
    return X, y


def _filters() -> _Table:
    X, y = discrete_problem()
    frame = pd.DataFrame(X)
    numbers, labels = relief_problem()
    tasks = [("mutual_info", 60, frame, y, 60), *((name, 50, frame, y, 60) for name in ("mrmr", "jmi", "cmim"))]
    rows: list[list[str]] = []
    for method, n_features, table, target, n_relevant in [*tasks, ("relieff", 10, numbers, labels, 10)]:
        selector = FilterSelector(method, n_features=n_features, n_jobs=1)
        if method != "relieff":
            selector.set_params(discretizer=None)
        taken = _time(partial(selector.fit, table, target))
        found = int((selector.get_support(indices=True) < n_relevant).sum())
        rows.append([method, taken, f"{found} of {n_features}"])
    return "Filters", ["", "seconds", "relevant"], rows


if __name__ == "__main__":
    main()
