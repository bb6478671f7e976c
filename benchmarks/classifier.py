# SPDX-License-Identifier: BSD-3-Clause
"""Fit of the classifier, against Khiops's; for a wide sparse table, against reading its file."""

import time
from collections.abc import Callable, Iterator
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import log_loss, roc_auc_score

from bayesieve import SelectiveNaiveBayes, datasets
from bayesieve.papers.peers import KHIOPS, fit_khiops
from benchmarks.labeled_table import TABLES
from benchmarks.report import Row, Section

__all__ = ["run"]

_LEAST_ROWS = 500
_SETS = ("breast_cancer", "breast-w", "pima", "crx", "german", "madelon")
_REPEATS = 3
_MIXED = "mixed 14,000 x 500"
_FORMS: Final[dict[Literal["file", "frame"], str]] = {"frame": "Khiops from a frame", "file": "its core on a file"}

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def run(full: bool) -> Section:
    """Fit on the same rows, both with all processors.

    Khiops twice: its core on a file written before its clock starts, and its scikit-learn classifier from a frame.
    """
    rows, notes = [], []
    for name, (X, y, split) in _problems():
        ours, model = _fit(X, y, split)
        if not KHIOPS.exists:
            notes = [KHIOPS.recipe]
            break
        target = 20.0 if name == _MIXED else 5.0
        predictions = {"ours": (model.predict_proba(X.iloc[split[1]]), model.n_features_)}
        for form, title in _FORMS.items():
            fits = fit_khiops(X, y, [split] * _REPEATS, form)
            theirs = min(fit.seconds for fit in fits)
            rows.append(Row(f"fit, {name}, {title}", ours, theirs, "s", target, gain=True))
            predictions[f"Khiops, {title}"] = (fits[0].probabilities, fits[0].n_columns)
        notes += [f"{name}, {model_name}: {_quality(y[split[1]], *each)}" for model_name, each in predictions.items()]
    rows += _wide()
    return Section("The classifier: seconds to fit", "Khiops, or reading", rows, notes)


def _problems() -> Iterator[tuple[str, tuple[pd.DataFrame, NDArray[np.int64], Split]]]:
    """Yield tables, classes 0 and 1, and training and test rows."""
    X, y = mixed_problem()
    yield _MIXED, (X, y, (np.arange(14_000), np.arange(14_000, len(y))))
    for name in _SETS:
        bunch = TABLES[name]()
        classes = np.unique(bunch.target, return_inverse=True)[1].astype(np.int64)
        if len(classes) < _LEAST_ROWS:
            continue
        order = np.random.default_rng(0).permutation(len(classes))
        cut = len(order) * 7 // 10
        yield f"{name} {cut} x {bunch.data.shape[1]}", (pd.DataFrame(bunch.data), classes, (order[:cut], order[cut:]))


def mixed_problem(seed: int = 55, n: int = 20_000) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Return 300 columns of numbers and 200 of categories: noisy copies of 40 signals, and noise."""
    rng = np.random.default_rng(seed)
    signals = rng.normal(size=(n, 40))
    score = signals @ (rng.normal(size=40) * 0.35) + 0.5 * (np.abs(signals[:, 0]) - 0.8) - 1.0
    y = (score + rng.logistic(size=n) > 0).astype(np.int64)
    numbers = rng.normal(size=(n, 300))
    for j in range(160):
        numbers[:, j] = signals[:, j % 40] + rng.normal(size=n) * (0.4 + 0.4 * (j // 40))
    columns: dict[str, Any] = {f"n{j}": numbers[:, j] for j in range(300)}
    for j in range(200):
        k = 3 + j % 18
        source = signals[:, j % 40] + 0.7 * rng.normal(size=n) if j < 80 else rng.normal(size=n)
        codes = np.searchsorted(np.quantile(source, np.linspace(0, 1, k + 1)[1:-1]), source)
        columns[f"c{j}"] = pd.Categorical(rng.permutation(k)[codes].astype(str))
    return pd.DataFrame(columns), y


def _fit(X: pd.DataFrame, y: NDArray[np.int64], split: Split) -> tuple[float, SelectiveNaiveBayes]:
    train, model = X.iloc[split[0]], SelectiveNaiveBayes(n_jobs=-1)
    return min(_wall(lambda: model.fit(train, y[split[0]])) for _ in range(_REPEATS)), model


def _quality(y: NDArray[np.int64], probabilities: NDArray[np.float64], n_columns: int) -> str:
    loss, area = log_loss(y, probabilities), roc_auc_score(y, probabilities[:, 1])
    return f"log loss {loss:.4f}, AUC {area:.4f}, {n_columns} columns"


def _wide() -> list[Row]:
    """Fit DOROTHEA, 800 x 100,000: at most ten times as long as reading its file."""
    reading = min(_wall(lambda: datasets.load_dorothea("train")) for _ in range(_REPEATS))
    bunch = datasets.load_dorothea("train")
    fitting = min(_wall(lambda: SelectiveNaiveBayes(n_jobs=-1).fit(bunch.data, bunch.target)) for _ in range(_REPEATS))
    return [Row("fit, dorothea 800 x 100,000 (to reading its file)", fitting, reading, "s", 10.0)]


def _wall(task: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    task()
    return time.perf_counter() - begin
