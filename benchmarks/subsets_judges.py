# SPDX-License-Identifier: BSD-3-Clause
"""Judges of chosen columns: the log loss of test rows of a model that is fitted to these columns alone."""

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegressionCV
from sklearn.preprocessing import OneHotEncoder
from threadpoolctl import threadpool_limits

from bayesieve import ScorecardClassifier
from benchmarks.quality_exchange import Problem
from benchmarks.quality_methods import version_of
from benchmarks.subsets_selectors import PEERS

__all__ = ["JUDGES", "TREES", "judge", "judge_version"]

TREES: Final = "boosted trees"
"""The judge of the environment of peers."""
_BINS: Final = 10
_LEAST: Final = 1e-7  # of a probability in the log loss


def judge(folder: Path) -> None:
    """Write the log losses of the subsets of the problem of a folder, ``losses.json``."""
    problem = Problem.read(folder)
    y, subsets = np.asarray(problem.settings["tested"]), problem.settings["subsets"]
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        losses = _JUDGES[problem.settings["judge"]](problem, y, subsets)
    (folder / "losses.json").write_text(json.dumps(losses), encoding="utf-8")


def _scorecard(problem: Problem, y: NDArray[np.int64], subsets: list[list[int]]) -> list[float]:
    losses = []
    for subset in subsets:
        model = ScorecardClassifier(n_features="best", n_jobs=1)
        model.fit(problem.train.iloc[:, subset], problem.target)
        losses.append(_log_loss(model.predict_proba(problem.test.iloc[:, subset]), y))
    return losses


def _regression(problem: Problem, y: NDArray[np.int64], subsets: list[list[int]]) -> list[float]:
    """Fit logistic regression on ten bins of as many rows, and on categories; three folds choose the penalty."""
    blocks = [_indicators(problem.train[name], problem.test[name]) for name in problem.train.columns]
    losses = []
    for subset in subsets:
        train, test = (sparse.hstack([blocks[j][i] for j in subset], format="csr") for i in (0, 1))
        model = LogisticRegressionCV(
            Cs=[0.03, 0.3, 3.0], cv=3, scoring="neg_log_loss", max_iter=200, use_legacy_attributes=False
        )
        losses.append(_log_loss(model.fit(train, problem.target).predict_proba(test), y))
    return losses


def _indicators(train: pd.Series, test: pd.Series) -> tuple[Any, Any]:
    """Return indicators of a column's bins, or of its categories, of training and test rows."""
    if isinstance(train.dtype, pd.CategoricalDtype):
        codes = [each.astype(object).where(each.notna(), "(missing)").astype(str) for each in (train, test)]
    else:
        edges = np.unique(train.quantile(np.arange(1, _BINS) / _BINS).dropna())
        codes = [
            pd.Series(np.where(each.isna(), -1, np.searchsorted(edges, each, side="left"))) for each in (train, test)
        ]
    encoder = OneHotEncoder(min_frequency=5, handle_unknown="infrequent_if_exist")
    return encoder.fit_transform(codes[0].to_frame("c")), encoder.transform(codes[1].to_frame("c"))


def _log_loss(p: NDArray[np.float64], y: NDArray[np.int64]) -> float:
    return float(-np.log(np.clip(p[np.arange(len(y)), y], _LEAST, 1.0)).mean())


_JUDGES: Final[dict[str, Callable[[Problem, NDArray[np.int64], list[list[int]]], list[float]]]] = {
    "logistic regression on bins": _regression,
    "scorecard": _scorecard,
}
JUDGES: Final = (TREES, *_JUDGES)


def judge_version(name: str) -> str:
    """Return the version of the library that judges."""
    if name == TREES:
        return version_of("lightgbm", PEERS)
    return version_of("bayesieve" if name == "scorecard" else "scikit-learn")
