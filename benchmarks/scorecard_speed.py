# SPDX-License-Identifier: BSD-3-Clause
"""Processor seconds of the scorecard classifier, on one thread, beside histogram boosting in the same run."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

from bayesieve import ScorecardClassifier
from benchmarks.report import Row, Section

__all__ = ["run"]

_REPEATS = 3


def run(full: bool) -> Section:
    """Measure fits of independent columns, with and without a choice of size and pairs."""
    X, y = _table(10_000, 50)
    wide, target = _table(10_000, 500)
    long, labels = _table(30_000, 23)

    def best(**options: Any) -> Callable[[], Any]:
        return lambda: ScorecardClassifier("best", **options).fit(X, y)

    additive, with_pairs = _seconds(best(n_pairs=0)), _seconds(best())
    auto = _seconds(lambda: ScorecardClassifier(n_pairs=0).fit(X, y))
    rows = [
        Row("10,000 × 50, most accurate, no pairs", additive, 1.0, "s", 0.6),
        Row("the same, few columns, to the most accurate", auto, additive, "s", 3.0),
        Row("pairs of 50 columns, beyond the shapes", max(with_pairs - additive, 0.0), 1.0, "s", 0.3),
    ]
    if full:
        shapes = _seconds(lambda: ScorecardClassifier("best", n_pairs=0).fit(wide, target), 1)
        pairs = _seconds(lambda: ScorecardClassifier("best").fit(wide, target), 1)
        rows.append(Row("pairs of 500 columns, beyond the shapes", max(pairs - shapes, 0.0), 1.0, "s", 3.0))
    boosted = _seconds(lambda: HistGradientBoostingClassifier(early_stopping=True, random_state=0).fit(long, labels))
    ours = _seconds(lambda: ScorecardClassifier("best").fit(long, labels))
    rows.append(Row("30,000 × 23 with pairs, to histogram boosting", ours, boosted, "s", 3.0))
    return Section("Scorecards with joint shapes: processor time of one thread", "yardstick", rows)


def _table(n_rows: int, n_columns: int) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    log_odds = np.sin(2.0 * X[:, 0]) + X[:, 1] - 0.5 * X[:, 2] ** 2 + 0.5 * np.sign(X[:, 3]) + 0.3 * X[:, 4]
    y = (rng.random(n_rows) < 1.0 / (1.0 + np.exp(-log_odds))).astype(int)
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(n_columns)]), y


def _seconds(fit: Callable[[], Any], repeats: int = _REPEATS) -> float:
    fit()  # libraries are loaded at first use
    seconds = []
    for _ in range(repeats):
        began = time.process_time()
        fit()
        seconds.append(time.process_time() - began)
    return min(seconds)
