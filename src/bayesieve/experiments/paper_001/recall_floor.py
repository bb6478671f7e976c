"""The voting model as a classifier that promises a recall, beside logistic regression that promises the same."""

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
from bayesieve.evaluation.data_folds import DataFolds, stratified_folds
from bayesieve.evaluation.encodings import Numbers
from bayesieve.evaluation.memory_data import MemoryData, Rows
from bayesieve.exceptions import ClippedSelectionWarning, NothingSelectedWarning, UnreachedFloorWarning

__all__ = ["FLOOR", "METHODS", "OURS", "REFERENCE", "run_floor"]

FLOOR: Final = 0.95
OURS: Final = "majority of ten votes"
REFERENCE: Final = "regression on ten mRMR columns"
_N_COLUMNS: Final = 10
_INNER: Final = StratifiedKFold(5, shuffle=True, random_state=0)

Decided = NDArray[np.bool_]


def run_floor(held: DataFolds, fold: int) -> dict[str, Any]:
    """Return for each method how many rows of a fold it accepts, and how many of those are positive."""
    assert isinstance(held.data, MemoryData)
    fitting, scored = held.splits[fold]
    is_positive = held.data.target.codes[scored] == 1
    rows = {}
    for name, decide in METHODS.items():
        with warnings.catch_warnings():
            for kind in (ClippedSelectionWarning, NothingSelectedWarning, UnreachedFloorWarning):
                warnings.simplefilter("ignore", kind)  # fewer columns or positive rows than asked for
            accepted = decide(held.data, fitting, scored)
        rows[name] = {"true": int((accepted & is_positive).sum()), "accepted": int(accepted.sum())}
    return {"n_positive": int(is_positive.sum()), "n_rows": len(scored), "rows": rows}


def _votes(rule: str, n_columns: int | str, data: MemoryData, fitting: Rows, scored: Rows) -> Decided:
    votes = VoteClassifier(rule, n_features=n_columns, threshold=("recall", FLOOR))
    decided = votes.fit(data.rows(fitting), data.labels[fitting]).predict(data.rows(scored))
    return np.asarray(decided == data.target.classes[1])


def _regression(data: MemoryData, fitting: Rows, scored: Rows) -> Decided:
    """Decide by a cut of out-of-fold probabilities; columns are selected and scaled anew for each inner fold."""
    labels = data.target.codes[fitting]
    beliefs = np.empty(len(fitting))
    for learnt, left_out in stratified_folds(_INNER, labels):
        beliefs[left_out] = _probabilities(data, fitting[learnt], fitting[left_out])
    cut = find_threshold(ThresholdRule("recall", FLOOR), beliefs, labels)
    return cut.accepts(_probabilities(data, fitting, scored))


def _probabilities(data: MemoryData, fitting: Rows, scored: Rows) -> NDArray[np.float64]:
    selector = FilterSelector("mrmr", n_features=_N_COLUMNS, discretizer="equal_frequency")
    selector.fit(data.rows(fitting), data.labels[fitting])
    picked = Numbers(data, fitting, scored).pick(np.flatnonzero(selector.support_).tolist())
    if picked is None:
        return np.zeros(len(scored))
    model = LogisticRegression(solver="liblinear").fit(picked[0], data.target.codes[fitting])
    probabilities: NDArray[np.float64] = model.predict_proba(picked[1])[:, 1]
    return probabilities


METHODS: Final[dict[str, Callable[[MemoryData, Rows, Rows], Decided]]] = {
    OURS: partial(_votes, "majority", _N_COLUMNS),
    "any of ten votes": partial(_votes, "any", _N_COLUMNS),
    "all of ten votes": partial(_votes, "all", _N_COLUMNS),
    "any vote, as many as it likes": partial(_votes, "any", "auto"),
    REFERENCE: _regression,
}
