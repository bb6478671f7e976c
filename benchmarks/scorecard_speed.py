# SPDX-License-Identifier: BSD-3-Clause
"""Processor seconds of the scorecard classifier, on one thread, and of histogram boosting in the same run."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

from bayesieve import ScorecardClassifier
from benchmarks.report import Row, Section

__all__ = ["run"]

_REPEATS = 3

Labeled = tuple[pd.DataFrame, np.ndarray[Any, Any]]


def run(full: bool) -> Section:
    """Measure fits of independent columns, with and without a choice of size and pairs, and of several classes."""
    X, y = _table(10_000, 50)
    wide, target = _table(10_000, 500)
    long, labels = _table(30_000, 23)

    def best(**options: Any) -> Callable[[], Any]:
        return lambda: ScorecardClassifier("best", **options).fit(X, y)

    additive, with_pairs = _seconds(best(n_pairs=0)), _seconds(best())
    auto = _seconds(lambda: ScorecardClassifier(n_pairs=0).fit(X, y))
    dense, classes = _linear_table(10_000, 50)
    every, every_auto = (_seconds(partial(_fit_without_pairs, size, dense, classes)) for size in ("best", "auto"))
    rows = [
        Row("10,000 × 50, most accurate, no pairs", additive, 1.0, "s", 0.6),
        Row("the same, few columns, to the most accurate", auto, additive, "s", 3.0),
        Row("few columns, to the most accurate, where all 50 have an effect", every_auto, every, "s", 3.0),
        Row("pairs of 50 columns, beyond the shapes", max(with_pairs - additive, 0.0), 1.0, "s", 0.3),
    ]
    if full:
        shapes = _seconds(lambda: ScorecardClassifier("best", n_pairs=0).fit(wide, target), 1)
        pairs = _seconds(lambda: ScorecardClassifier("best").fit(wide, target), 1)
        rows.append(Row("pairs of 500 columns, beyond the shapes", max(pairs - shapes, 0.0), 1.0, "s", 3.0))
        rows += _of_classes()
    boosted = _seconds(lambda: HistGradientBoostingClassifier(early_stopping=True, random_state=0).fit(long, labels))
    ours = _seconds(lambda: ScorecardClassifier("best").fit(long, labels))
    rows.append(Row("30,000 × 23 with pairs, to histogram boosting", ours, boosted, "s", 3.0))
    return Section("Scorecards with joint shapes: processor time of one thread", "yardstick", rows)


def _of_classes() -> list[Row]:
    """Measure fits of more than two classes without pairs."""
    rows = []
    for what, (X, y), largest in (
        ("5,000 × 36, 6 classes", _class_table(), 1.0),
        ("4,000 × 784, 10 classes of images", _images(), 6.0),
        ("16,000 × 16, 26 classes", _letters(), 4.0),
    ):
        sizes = {"few columns": "auto", "most accurate": "best"} if largest == 1.0 else {"few columns": "auto"}
        for words, size in sizes.items():
            seconds = _seconds(partial(_fit_without_pairs, size, X, y), 3 if largest == 1.0 else 1)
            rows.append(Row(f"{what}, {words}", seconds, 1.0, "s", largest))
    return rows


def _fit_without_pairs(size: str, X: pd.DataFrame, y: np.ndarray[Any, Any]) -> ScorecardClassifier:
    return ScorecardClassifier(size, n_pairs=0).fit(X, y)


def _class_table(n_rows: int = 5_000, n_columns: int = 36, n_classes: int = 6) -> Labeled:
    """Return a table whose first twelve columns have linear effects, and of these one per class is curved."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    slopes = 0.5 * rng.normal(size=(n_columns, n_classes)) * (np.arange(n_columns) < 12)[:, None]
    scores = X @ slopes + np.sin(2.0 * X[:, :n_classes])
    return _frame(X), (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)


def _images(n_rows: int = 4_000, n_classes: int = 10) -> Labeled:
    """Return images of 28 × 28 pixels, with four blurred dots whose places depend on the class; borders are 0."""
    rng = np.random.default_rng(0)
    y, (down, right) = rng.integers(0, n_classes, n_rows), np.mgrid[0:28, 0:28]
    dots = rng.uniform(8.0, 20.0, size=(n_classes, 4, 2))[y]
    dots += rng.normal(size=(n_rows, 1, 2)) + 0.8 * rng.normal(size=dots.shape)
    X = np.zeros((n_rows, 28, 28))
    for k in range(4):
        x, z = (dots[:, k, axis, None, None] for axis in (0, 1))
        X += np.exp(-((right - x) ** 2 + (down - z) ** 2) / 4.0)
    X = np.floor(255.0 * np.minimum(X, 1.0))
    X[X < 20.0] = 0.0
    inside = (np.minimum(down, right) >= 4) & (np.maximum(down, right) < 24)
    return _frame((X * inside).reshape(n_rows, -1)), y


def _letters(n_rows: int = 16_000, n_columns: int = 16, n_classes: int = 26) -> Labeled:
    """Return numbers from 0 to 15 around a center for each class."""
    rng = np.random.default_rng(0)
    centers = 2.0 * rng.normal(size=(n_classes, n_columns))
    y = rng.integers(0, n_classes, n_rows)
    return _frame(np.clip(np.rint(centers[y] + 1.5 * rng.normal(size=(n_rows, n_columns)) + 7.5), 0.0, 15.0)), y


def _frame(X: np.ndarray[Any, Any]) -> pd.DataFrame:
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])


def _table(n_rows: int, n_columns: int) -> Labeled:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    log_odds = np.sin(2.0 * X[:, 0]) + X[:, 1] - 0.5 * X[:, 2] ** 2 + 0.5 * np.sign(X[:, 3]) + 0.3 * X[:, 4]
    y = (rng.random(n_rows) < 1.0 / (1.0 + np.exp(-log_odds))).astype(int)
    return _frame(X), y


def _linear_table(n_rows: int, n_columns: int) -> Labeled:
    """Return a table of which every column has an effect, so that the path has all sizes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    log_odds = X @ rng.uniform(0.2, 0.5, n_columns)
    return _frame(X), (log_odds + rng.logistic(size=n_rows) > 0.0).astype(int)


def _seconds(fit: Callable[[], Any], repeats: int = _REPEATS) -> float:
    fit()  # libraries are loaded at first use
    seconds = []
    for _ in range(repeats):
        began = time.process_time()
        fit()
        seconds.append(time.process_time() - began)
    return min(seconds)
