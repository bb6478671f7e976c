"""Outer cross-validation: selection and fit on the training rows of each fold, scores on its test rows."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from bayesieve.estimators._sklearn import pick_rows
from bayesieve.evaluation.measures import roc_area

__all__ = ["OuterEstimate", "OuterFit", "outer_estimate", "outer_fits", "score_probabilities"]


@dataclass(frozen=True)
class OuterFit:
    """A classifier that was fitted without the test rows of a fold, and those rows.

    Attributes
    ----------
    number : int
        Number of the fold, from 0 on.
    model : classifier
        Fitted on the training rows.
    rows : array of int
        Positions of the test rows.
    X : data frame or array
        The test rows.
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
        One score per fold: "accuracy", "brier", "log_loss" and "auc", as scikit-learn defines them.
    selected : dict of str to int
        Number of folds in which each column was selected.
    """

    folds: dict[str, list[float]]
    selected: dict[str, int]

    def mean(self, metric: str) -> float:
        """Return the mean over folds."""
        return mean(self.folds[metric])

    def standard_error(self, metric: str) -> float:
        """Return the standard error of the mean, as if folds were independent."""
        return stdev(self.folds[metric]) / sqrt(len(self.folds[metric]))


def outer_estimate(classifier: Any, X: Any, y: ArrayLike, n_folds: int = 5, random_state: int = 0) -> OuterEstimate:
    """Score a selecting classifier by cross-validation; selection is part of the fit."""
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
    classifier: Any,
    X: Any,
    y: ArrayLike,
    n_folds: int = 5,
    random_state: int = 0,
    *,
    skip: Collection[int] = (),
    **row_values: Any,
) -> Iterator[OuterFit]:
    """Yield one fit per stratified fold, except for folds to skip; ``row_values`` of training rows are given to it."""
    labels = np.asarray(y)
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    for number, (train, test) in enumerate(splitter.split(np.zeros((len(labels), 1)), labels)):
        if number not in skip:
            given = {name: values[train] for name, values in row_values.items()}
            model = clone(classifier).fit(pick_rows(X, train), labels[train], **given)
            yield OuterFit(number, model, test, pick_rows(X, test))


def score_probabilities(truth: Any, probabilities: Any, classes: Any) -> dict[str, float]:
    """Return "accuracy", "brier", "log_loss" and "auc" of some rows, as scikit-learn defines them.

    The Brier score of two classes is the mean squared error of one class's probability; of more, summed over classes.
    """
    indicators = truth[:, None] == classes
    binary = len(classes) == 2
    compared = [1] if binary else list(range(len(classes)))
    return {
        "accuracy": float((classes[probabilities.argmax(axis=1)] == truth).mean()),
        "brier": float(((probabilities - indicators) ** 2).sum(axis=1).mean()) / (2 if binary else 1),
        "log_loss": float(-np.log(np.maximum(probabilities[indicators], np.finfo(np.float64).eps)).mean()),
        "auc": roc_area(indicators.argmax(axis=1), probabilities, compared),
    }
