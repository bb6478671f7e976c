"""Outer cross-validation: selection and fit are repeated without each fold, which is then scored."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing

__all__ = ["OuterEstimate", "OuterFit", "outer_estimate", "outer_fits", "score_probabilities"]


@dataclass(frozen=True)
class OuterFit:
    """A classifier that was fitted without the rows of a fold, and those rows.

    Attributes
    ----------
    number : int
        Of the fold, from 0 on.
    model : classifier
        Fitted.
    rows : array of int
        Positions of the rows that it has not seen.
    X : data frame or array
        Those rows.
    """

    number: int
    model: Any
    rows: NDArray[np.intp]
    X: Any


@dataclass(frozen=True)
class OuterEstimate:
    """Scores of each outer fold.

    Attributes
    ----------
    folds : dict of str to list of float
        One score a fold: "accuracy", "brier" (summed over classes), "log_loss" and "auc".
    selected : dict of str to int
        In how many folds each column was selected.
    """

    folds: dict[str, list[float]]
    selected: dict[str, int]

    def mean(self, metric: str) -> float:
        """Return the mean over folds."""
        return mean(self.folds[metric])

    def standard_error(self, metric: str) -> float:
        """Return the standard error of the mean, folds taken as independent."""
        return stdev(self.folds[metric]) / sqrt(len(self.folds[metric]))


def outer_estimate(classifier: Any, X: Any, y: ArrayLike, n_folds: int = 5, random_state: int = 0) -> OuterEstimate:
    """Score a selecting classifier on rows that took no part in its selection or fit."""
    labels = np.asarray(y)
    folds: dict[str, list[float]] = {}
    selected: Counter[str] = Counter()
    for fold in outer_fits(classifier, X, labels, n_folds, random_state):
        selected.update(fold.model.path_.order)
        probabilities = fold.model.predict_proba(fold.X)
        for metric, score in score_probabilities(labels[fold.rows], probabilities, fold.model.classes_).items():
            folds.setdefault(metric, []).append(score)
    return OuterEstimate(folds, dict(selected.most_common()))


def outer_fits(
    classifier: Any, X: Any, y: ArrayLike, n_folds: int = 5, random_state: int = 0, *, skip: Collection[int] = ()
) -> Iterator[OuterFit]:
    """Yield a fit without each fold, but for folds that are known already; classes have their share of every fold."""
    labels = np.asarray(y)
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    for number, (fitting, scored) in enumerate(splitter.split(np.zeros((len(labels), 1)), labels)):
        if number not in skip:
            model = clone(classifier).fit(_safe_indexing(X, fitting), labels[fitting])
            yield OuterFit(number, model, scored, _safe_indexing(X, scored))


def score_probabilities(truth: Any, probabilities: Any, classes: Any) -> dict[str, float]:
    """Return "accuracy", "brier" (summed over classes), "log_loss" and "auc" of some rows."""
    indicators = truth[:, None] == classes
    binary = len(classes) == 2
    ranked = probabilities[:, 1] if binary else probabilities
    how = {} if binary else {"multi_class": "ovr", "average": "weighted", "labels": classes}
    return {
        "accuracy": float((classes[probabilities.argmax(axis=1)] == truth).mean()),
        "brier": float(((probabilities - indicators) ** 2).sum(axis=1).mean()),
        "log_loss": float(-np.log(np.maximum(probabilities[indicators], np.finfo(np.float64).eps)).mean()),
        "auc": float(roc_auc_score(truth == classes[1] if binary else truth, ranked, **how)),
    }
