# SPDX-License-Identifier: BSD-3-Clause
"""The voting model as a classifier with a minimum recall, and logistic regression with the same."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from bayesieve.decisions.threshold import ThresholdRule, find_threshold
from bayesieve.estimators import FilterSelector, VoteClassifier
from bayesieve.evaluation.data_set import DataSet
from bayesieve.evaluation.encodings import Numbers
from bayesieve.evaluation.labeled_table import LabeledTable, Rows
from bayesieve.exceptions import ClippedSelectionWarning, NothingSelectedWarning, UnreachedFloorWarning

__all__ = ["FLOOR", "METHODS", "OURS", "REFERENCE", "run_floor"]

FLOOR: Final = 0.95
OURS: Final = "majority of ten votes"
REFERENCE: Final = "regression on ten mRMR columns"
_N_COLUMNS: Final = 10
_INNER: Final = StratifiedKFold(5, shuffle=True, random_state=0)

Accepted = NDArray[np.bool_]


def run_floor(data_set: DataSet, fold: int) -> dict[str, Any]:
    """Return the number of rows of a fold that each method accepts, and how many of those are positive."""
    assert isinstance(data_set.data, LabeledTable)
    train, test = data_set.splits[fold]
    is_positive = data_set.data.target.codes[test] == 1
    rows = {}
    for name, decide in METHODS.items():
        with warnings.catch_warnings():
            for kind in (ClippedSelectionWarning, NothingSelectedWarning, UnreachedFloorWarning):
                warnings.simplefilter("ignore", kind)  # sets with few columns or few positive rows
            accepted = decide(data_set.data, train, test)
        rows[name] = {"true": int((accepted & is_positive).sum()), "accepted": int(accepted.sum())}
    return {"n_positive": int(is_positive.sum()), "n_rows": len(test), "rows": rows}


def _votes(rule: str, n_columns: int | str, data: LabeledTable, train: Rows, test: Rows) -> Accepted:
    votes = VoteClassifier(rule, n_features=n_columns, threshold=("recall", FLOOR))
    labels = votes.fit(data.rows(train), data.labels[train]).predict(data.rows(test))
    return np.asarray(labels == data.target.classes[1])


def _regression(data: LabeledTable, train: Rows, test: Rows) -> Accepted:
    """Decide by a threshold on out-of-fold probabilities; selection and scaling are repeated in each inner fold."""
    labels = data.target.codes[train]
    probabilities = np.empty(len(train))
    for inner_train, inner_test in _INNER.split(np.zeros(len(labels)), labels):
        probabilities[inner_test] = _probabilities(data, train[inner_train], train[inner_test])
    threshold = find_threshold(ThresholdRule("recall", FLOOR), probabilities, labels)
    return threshold.accepts(_probabilities(data, train, test))


def _probabilities(data: LabeledTable, train: Rows, test: Rows) -> NDArray[np.float64]:
    selector = FilterSelector("mrmr", n_features=_N_COLUMNS, discretizer="equal_frequency")
    selector.fit(data.rows(train), data.labels[train])
    picked = Numbers(data, train, test).pick(np.flatnonzero(selector.support_).tolist())
    if picked is None:
        return np.zeros(len(test))
    model = LogisticRegression(solver="liblinear").fit(picked[0], data.target.codes[train])
    probabilities: NDArray[np.float64] = model.predict_proba(picked[1])[:, 1]
    return probabilities


METHODS: Final[dict[str, Callable[[LabeledTable, Rows, Rows], Accepted]]] = {
    OURS: partial(_votes, "majority", _N_COLUMNS),
    "any of ten votes": partial(_votes, "any", _N_COLUMNS),
    "all of ten votes": partial(_votes, "all", _N_COLUMNS),
    "any vote, automatic number of columns": partial(_votes, "any", "auto"),
    REFERENCE: _regression,
}
