# SPDX-License-Identifier: BSD-3-Clause
"""The scorecard on the sets of the chapter, which it is not part of: as many columns as it chooses."""

import time
import warnings
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from bayesieve import ScorecardClassifier
from bayesieve.exceptions import BayesieveWarning
from bayesieve.papers.paper_002.challenge import LOADERS, labeled_rows, zero_one
from bayesieve.papers.paper_002.folds import SETS, run_folds
from bayesieve.papers.paper_002.paper_scores import balanced_error, balanced_error_spread, score

__all__ = ["run_later_scorecard", "run_scorecard"]

Record = dict[str, Any]


def run_scorecard(name: str) -> Record:
    """Return scores on the validation rows of a challenge set, or on the folds of a UCI set."""
    if name in SETS:
        return run_folds(name, "scorecard", 1)
    train, valid = (LOADERS[name](subset) for subset in ("train", "valid"))
    target = zero_one(valid.target)
    model, seconds = _fit(train.data, zero_one(train.target))
    scores = score(target, model.predict_proba(valid.data)[:, 1], model.predict(valid.data))
    n_positive = int(target.sum())
    return {
        "set": name,
        **scores,
        "ber_spread": balanced_error_spread(scores["ber"], n_positive, len(target) - n_positive),
        "n_columns": int(model.n_features_),
        "n_table": int(train.data.shape[1]),
        "seconds": seconds,
    }


def run_later_scorecard(name: str, n_folds: int = 5) -> Record:
    """Return scores on the folds of table 25.2, those of the perceptron."""
    X, target = labeled_rows(name)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=1).split(np.zeros((len(target), 1)), target)
    return {"set": name, "folds": [_fold(X, target, *split) for split in folds]}


def _fold(X: Any, target: Any, train: Any, test: Any) -> Record:
    model, _ = _fit(X[train], target[train])
    return {
        "ber": balanced_error(target[test], model.predict(X[test])),
        "auc": float(roc_auc_score(target[test], model.predict_proba(X[test])[:, 1])),
        "n_columns": int(model.n_features_),
    }


def _fit(X: Any, target: Any) -> tuple[Any, float]:
    """Fit with the threshold of the lowest balanced error, which is what the challenge measures."""
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BayesieveWarning)
        model = ScorecardClassifier(threshold="ber", n_jobs=1).fit(X, target)
    return model, time.process_time() - began
