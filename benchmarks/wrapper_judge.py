# SPDX-License-Identifier: BSD-3-Clause
"""A forward search judged by a logistic regression, against the selectors of scikit-learn and mlxtend.

Processor time of one process; with ``--full`` the seconds of all cores of an idle machine.
"""

import os
import time
from collections.abc import Callable
from typing import Any

from sklearn.datasets import make_classification
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression

from bayesieve import WrapperSelector
from benchmarks.report import Row, Section
from benchmarks.timing import seconds

__all__ = ["run"]

_COLUMNS, _FOLDS = 10, 5


def run(full: bool) -> Section:
    """Measure the search for 10 of 50 columns, in turn, and compare the subsets."""
    X, y = make_classification(1000, 50, n_informative=12, n_redundant=8, random_state=0)
    subsets: dict[str, list[int]] = {}
    n_jobs, clock = (-1, time.perf_counter) if full else (1, time.process_time)
    tasks = {name: seconds(_task(subsets, name, X, y, n_jobs), clock) for name in _SEARCHES}
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(3 if full else 1):
        best = {name: min(best[name], task()) for name, task in tasks.items()}
    ours = best.pop("bayesieve")
    rows = [Row(f"to {name}'s SequentialFeatureSelector", ours, each, "s", 1.0) for name, each in best.items()]
    notes = [f"{name}: {'the same' if subset == subsets['bayesieve'] else 'another'} subset, {subset}"
             for name, subset in subsets.items()]  # fmt: skip
    title = f"WrapperSelector with LogisticRegression, 1,000 × 50, {_COLUMNS} columns, {_FOLDS} folds"
    return Section(f"{title}, {os.cpu_count() if full else 1} cores", "yardstick", rows, notes)


def _task(subsets: dict[str, list[int]], name: str, X: Any, y: Any, n_jobs: int) -> Callable[[], None]:
    return lambda: subsets.update({name: sorted(int(j) for j in _SEARCHES[name](X, y, n_jobs))})


def _ours(X: Any, y: Any, n_jobs: int) -> Any:
    selector = WrapperSelector(
        LogisticRegression(), search="forward", scoring="accuracy", n_features=_COLUMNS, cv=_FOLDS, n_jobs=n_jobs
    )
    return selector.fit(X, y).get_support(indices=True)


def _sklearn(X: Any, y: Any, n_jobs: int) -> Any:
    peer = SequentialFeatureSelector(
        LogisticRegression(), n_features_to_select=_COLUMNS, scoring="accuracy", cv=_FOLDS, n_jobs=n_jobs
    )
    return peer.fit(X, y).get_support(indices=True)


def _mlxtend(X: Any, y: Any, n_jobs: int) -> Any:
    from mlxtend.feature_selection import SequentialFeatureSelector as Peer

    peer = Peer(LogisticRegression(), k_features=_COLUMNS, scoring="accuracy", cv=_FOLDS, n_jobs=n_jobs)
    return peer.fit(X, y).k_feature_idx_


_SEARCHES = {"bayesieve": _ours, "scikit-learn": _sklearn, "mlxtend": _mlxtend}
