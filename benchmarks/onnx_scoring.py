# SPDX-License-Identifier: BSD-3-Clause
"""Scores of 100,000 rows: exported models in onnxruntime on one thread, against ``predict_proba`` of the same models.

Processor time of one thread, which other programs of the machine change little. Text is most of the time of tables with
categories: onnxruntime copies each value of an array of Python's.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesieve import BenefitClassifier, BoostSelector, ScorecardClassifier, SelectiveNaiveBayes, VoteClassifier
from bayesieve.export import export_onnx, onnx_inputs
from benchmarks.report import Row, Section
from benchmarks.timing import minima, seconds

__all__ = ["run"]

_TRAINING, _ROWS = 4_000, 100_000
_MODELS: dict[str, Callable[[], Any]] = {
    "ScorecardClassifier": ScorecardClassifier,
    "SelectiveNaiveBayes": SelectiveNaiveBayes,
    "BoostSelector": lambda: BoostSelector(cv=0),
    "VoteClassifier": lambda: VoteClassifier("majority", cv=0),
    "BenefitClassifier": lambda: BenefitClassifier(SelectiveNaiveBayes(), benefit_matrix=[[0.0, 1.0], [2.0, 0.0]]),
}
_TWO_CLASSES = ("BoostSelector", "VoteClassifier", "BenefitClassifier")


def run(full: bool) -> Section:
    """Measure every classifier on numbers and on a mixed table, of two and of three classes."""
    rows, largest = [], 0.0
    for n_classes in (2, 3):
        for n_text in (0, 5):
            X, y = _table(_TRAINING, n_text, n_classes, 0)
            new, _ = _table(_ROWS, n_text, n_classes, 1)
            for name, make in _MODELS.items():
                if n_classes > 2 and name in _TWO_CLASSES:
                    continue
                figures, difference = _measure(make().fit(X, y), new, 3 if full else 1)
                columns = "10 numbers, 5 texts" if n_text else "15 numbers"
                rows.append(Row(f"{name}, {n_classes} classes, {columns}", *figures, "ms", 1.0))
                largest = max(largest, difference)
    notes = [f"largest difference of a probability: {largest:.0e}"]
    return Section("ONNX: scores of 100,000 rows, one thread", "predict_proba", rows, notes)


def _measure(model: Any, X: pd.DataFrame, repeats: int) -> tuple[list[float], float]:
    """Return milliseconds of both, and the largest difference."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(export_onnx(model), options, providers=["CPUExecutionProvider"])
    inputs = onnx_inputs(model, X)
    tasks = {"onnx": lambda: session.run(None, inputs), "python": lambda: model.predict_proba(X)}
    best = minima({name: seconds(task, time.process_time) for name, task in tasks.items()}, repeats)
    difference = np.abs(session.run(["probabilities"], inputs)[0] - model.predict_proba(X)).max()
    return [1e3 * each for each in best.values()], float(difference)


def _table(n_rows: int, n_text: int, n_classes: int, seed: int) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Return 15 columns, some of which are text; some values are missing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_rows)
    numbers = rng.normal(size=(n_rows, 15 - n_text)) + np.outer(y, np.linspace(0.2, 0.6, 15 - n_text))
    numbers[::13, 0] = np.nan
    X = pd.DataFrame(numbers, columns=[f"number {j}" for j in range(numbers.shape[1])])
    texts = np.array([f"category {v}" for v in range(12)], dtype=object)
    for j in range(n_text):
        X[f"text {j}"] = texts[(2 * y + rng.integers(9, size=n_rows)) % 12]
    return X, y
