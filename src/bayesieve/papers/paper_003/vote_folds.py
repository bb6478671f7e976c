# SPDX-License-Identifier: BSD-3-Clause
"""One fold of a data set: n-of-k votes for every n, by both likelihoods."""

import warnings
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from bayesieve.estimators import VoteClassifier
from bayesieve.evaluation.data_set import DataSet
from bayesieve.evaluation.labeled_table import LabeledTable, Rows
from bayesieve.exceptions import ClippedSelectionWarning
from bayesieve.papers.paper_001.paper_methods import LEARNERS

__all__ = ["CRITERIA", "run_votes"]

CRITERIA: Final = ("expected", "log")
_INNER: Final = StratifiedKFold(3, shuffle=True, random_state=0)
_FOLLOWER: Final = "naive Bayes"  # the classifier on the selected columns

Record = dict[str, Any]
Accepted = NDArray[np.bool_]


def run_votes(data_set: DataSet, fold: int, k: int) -> Record:
    """Return the columns and the decisions of each likelihood and each n, in training (out of fold) and in test.

    Numbers of rows: positive ones, and for each n those that are accepted, and those of them that are positive.
    """
    data = data_set.data
    assert isinstance(data, LabeledTable)
    train, test = data_set.splits[fold]
    is_positive = data.target.codes == 1
    k = min(k, data.table.n_columns)
    rows = {criterion: [_row(data_set, fold, criterion, n, k) for n in range(1, k + 1)] for criterion in CRITERIA}
    return {
        "k": k,
        "n_columns": data.table.n_columns,
        "n_positive": int(is_positive[test].sum()),
        "n_test": len(test),
        "n_positive_train": int(is_positive[train].sum()),
        "rows": rows,
    }


def _row(data_set: DataSet, fold: int, criterion: str, n: int, k: int) -> Record:
    data = data_set.data
    train, test = data_set.splits[fold]
    is_positive = data.target.codes == 1
    model = _fit(data, train, criterion, n, k)
    order = [data.table.names.index(name) for name in model.path_.order]
    inner = np.zeros(len(train), dtype=bool)
    for first, second in _INNER.split(np.zeros(len(train)), data.target.codes[train]):
        inner[second] = _accepts(_fit(data, train[first], criterion, n, k), data, train[second])
    return {
        "n": n,
        "order": order,
        "votes": _counts(_accepts(model, data, test), is_positive[test]),
        "follower": _counts(_follow(data_set, fold, order), is_positive[test]),
        "inner": _counts(inner, is_positive[train]),
    }


def _fit(data: Any, rows: Rows, criterion: str, n: int, k: int) -> VoteClassifier:
    """Select k columns for n votes, as in paper 001: on training rows, with ten intervals per number."""
    votes = VoteClassifier(n, criterion, n_features=k, threshold=0.5, cv=0, discretizer="equal_frequency", n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClippedSelectionWarning)  # constant columns
        return votes.fit(data.rows(rows), data.labels[rows])


def _accepts(model: VoteClassifier, data: Any, rows: Rows) -> Accepted:
    return np.asarray(model.predict(data.rows(rows)) == data.target.classes[1])


def _follow(data_set: DataSet, fold: int, columns: Sequence[int]) -> Accepted:
    """Return the decisions of naive Bayes on the selected columns."""
    learner, data = LEARNERS[_FOLLOWER], data_set.data
    train, test = data_set.splits[fold]
    picked = data_set.encoding(fold, learner.encoding).pick(columns)
    if picked is None:
        return np.zeros(len(test), dtype=bool)
    model = clone(learner.estimator).fit(picked[0], data.labels[train])
    return np.asarray(model.predict(picked[1]) == data.target.classes[1])


def _counts(accepted: Accepted, is_positive: Accepted) -> list[int]:
    """Return the numbers of accepted positive rows and of accepted rows."""
    return [int((accepted & is_positive).sum()), int(accepted.sum())]
