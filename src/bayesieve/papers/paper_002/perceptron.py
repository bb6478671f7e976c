# SPDX-License-Identifier: BSD-3-Clause
"""ESNB's columns for a multi-layer perceptron, table 25.2.

The paper selects on training and validation rows, trains a perceptron on the training rows, stops it and chooses its
size on the validation rows, and has a test set. Those labels were never published, so each of five folds of training
and validation rows together is the test set once, and the rest is split into training and validation rows in the
proportion of the challenge.
"""

from copy import deepcopy
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

from bayesieve._typing import Floats
from bayesieve.estimators import SelectiveNaiveBayes
from bayesieve.papers.paper_002.challenge import LOADERS, labeled_rows
from bayesieve.papers.paper_002.paper_scores import balanced_error

__all__ = ["SIZES", "run_perceptron"]

SIZES: Final = (1, 5, 10, 25, 50)
_MOST_EPOCHS, _PATIENCE = 400, 40


def run_perceptron(name: str, n_folds: int = 5) -> dict[str, Any]:
    """Return error, area under the curve, columns and hidden neurons of each fold."""
    X, target = labeled_rows(name)
    share = len(LOADERS[name]("valid").target) / len(target)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=1).split(np.zeros((len(target), 1)), target)
    rows = [_fold(X, target, train, test, share) for train, test in folds]
    return {"set": name, "folds": rows}


def _fold(X: Any, target: NDArray[np.int64], train: NDArray[np.intp], test: NDArray[np.intp], share: float) -> Any:
    model = SelectiveNaiveBayes.esnb().fit(X[train], target[train])
    columns = np.flatnonzero(model.support_)
    selected = X[:, columns]
    values = np.asarray(selected.todense() if issparse(selected) else selected, dtype=np.float64)
    first, second = train_test_split(train, test_size=share, stratify=target[train], random_state=1)
    values = StandardScaler().fit(values[first]).transform(values)
    threshold = float(target[first].mean())  # optimal for the balanced error
    tried = []
    for size in SIZES:
        network = _train(size, values, target, first, second)
        labels = (network.predict_proba(values[second])[:, 1] > threshold).astype(np.int64)
        tried.append((balanced_error(target[second], labels), size, network))
    _, size, network = min(tried, key=lambda each: each[:2])
    probability = network.predict_proba(values[test])[:, 1]
    return {
        "ber": balanced_error(target[test], (probability > threshold).astype(np.int64)),
        "esnb_ber": balanced_error(target[test], model.predict(X[test])),
        "auc": float(roc_auc_score(target[test], probability)),
        "n_columns": len(columns),
        "hidden": size,
    }


def _train(
    size: int, values: Floats, target: NDArray[np.int64], first: NDArray[np.intp], second: NDArray[np.intp]
) -> MLPClassifier:
    """Train on the first rows; return the epoch with the lowest loss on the second."""
    network = MLPClassifier((size,), activation="logistic", alpha=0.01, learning_rate_init=0.01, random_state=1)
    best, lowest, since = network, np.inf, 0
    for _ in range(_MOST_EPOCHS):
        network.partial_fit(values[first], target[first], classes=[0, 1])
        loss = log_loss(target[second], network.predict_proba(values[second])[:, 1])
        since += 1
        if loss < lowest:
            best, lowest, since = deepcopy(network), loss, 0
        if since == _PATIENCE:
            break
    return best
