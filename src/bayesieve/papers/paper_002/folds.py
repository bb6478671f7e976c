# SPDX-License-Identifier: BSD-3-Clause
"""The second table: one record per method and UCI set, with ten folds."""

import time
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import Bunch

from bayesieve import ScorecardClassifier, datasets
from bayesieve.data import read_table
from bayesieve.exceptions import ClippedSelectionWarning
from bayesieve.papers.paper_002.paper_scores import score
from bayesieve.papers.paper_002.variants import VARIANTS
from bayesieve.papers.peers import PEERS, fit_khiops

__all__ = ["KHIOPS_ROW", "METHODS", "SETS", "run_folds", "take_rows"]

SETS: Final[dict[str, Callable[[], Bunch]]] = {
    "breast-w": datasets.load_breast_w,
    "pima": datasets.load_pima,
    "heart-statlog": datasets.load_heart_statlog,
    "spect": lambda: datasets.load_spect("all"),
    "vote": datasets.load_vote,
    "horse-colic": datasets.load_horse_colic,
    "crx": datasets.load_crx,
    "german": datasets.load_german,
    "hepatitis": datasets.load_hepatitis,
    "ionosphere": datasets.load_ionosphere,
}
OWN: Final[dict[str, Callable[[], Any]]] = {**VARIANTS, "scorecard": lambda: ScorecardClassifier(n_jobs=1)}
KHIOPS_ROW: Final = "Khiops"
METHODS: Final = (*VARIANTS, *PEERS, KHIOPS_ROW)

Splits = list[tuple[NDArray[np.intp], NDArray[np.intp]]]


def run_folds(name: str, method: str, repeat: int, n_folds: int = 10) -> dict[str, Any]:
    """Return the scores of a method on each fold of a set; the folds depend on the repeat only."""
    bunch = SETS[name]()
    target = np.asarray(bunch.target, dtype=np.int64)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=repeat)
    splits: Splits = list(folds.split(np.zeros((len(target), 1)), target))
    rows = _khiops(bunch.data, target, splits) if method == KHIOPS_ROW else _ours(method, bunch.data, target, splits)
    return {"set": name, "method": method, "repeat": repeat, "n_rows": len(target), "folds": rows}


def _khiops(X: Any, target: NDArray[np.int64], splits: Splits) -> list[dict[str, Any]]:
    fits = fit_khiops(X, target, splits)
    return [
        {**_scores(target[test], fit.probabilities), "n_columns": fit.n_columns, "seconds": fit.seconds}
        for fit, (_, test) in zip(fits, splits, strict=True)
    ]


def _ours(method: str, X: Any, target: NDArray[np.int64], splits: Splits) -> list[dict[str, Any]]:
    rows = []
    for train, test in splits:
        X_train, X_test = take_rows(X, train), take_rows(X, test)
        model = OWN[method]() if method in OWN else PEERS[method](X_train)
        began = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ClippedSelectionWarning)  # fewer than 20 informative columns
            model.fit(X_train, target[train])
        seconds = time.process_time() - began
        scores = _scores(target[test], model.predict_proba(X_test), model.predict(X_test))
        n_columns = getattr(model, "n_features_", read_table(X).n_columns)
        rows.append({**scores, "n_columns": int(n_columns), "seconds": seconds})
    return rows


def _scores(
    target: NDArray[np.int64], probabilities: NDArray[np.float64], decision: NDArray[np.int64] | None = None
) -> dict[str, float]:
    labels = probabilities.argmax(axis=1) if decision is None else decision
    return score(target, probabilities[:, 1], labels)


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of a table or an array."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
