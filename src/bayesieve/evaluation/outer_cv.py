# SPDX-License-Identifier: BSD-3-Clause
"""Outer cross-validation: selection and fit on the training rows of each fold, scores on its test rows."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from bayesieve.estimators._sklearn import pick_rows
from bayesieve.evaluation.measures import roc_area
from bayesieve.evaluation.outer_splits import Split, fit_rows, outer_splits

__all__ = ["OuterFit", "outer_fits", "score_probabilities"]


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


def outer_fits(
    classifier: Any,
    X: Any,
    y: ArrayLike,
    folds: int | Sequence[Split] = 5,
    random_state: int = 0,
    *,
    skip: Collection[int] = (),
    **row_values: Any,
) -> Iterator[OuterFit]:
    """Yield one fit per fold, except for folds to skip; ``row_values`` of training rows are given to it.

    Folds are given as training and test rows, or are stratified, with the rows of each of ``groups`` in one fold.
    """
    labels = np.asarray(y)
    splits = outer_splits(labels, folds, row_values.get("groups"), random_state) if isinstance(folds, int) else folds
    for number, (train, test) in enumerate(splits):
        if number not in skip:
            given = {name: np.asarray(values)[train] for name, values in row_values.items()}
            model = fit_rows(clone(classifier), pick_rows(X, train), labels[train], given)
            yield OuterFit(number, model, test, pick_rows(X, test))


def score_probabilities(truth: Any, probabilities: Any, classes: Any, weights: Any = None) -> dict[str, float]:
    """Return "accuracy", "brier", "log_loss" and "auc" of some rows, as scikit-learn defines them.

    The Brier score of two classes is the mean squared error of one class's probability; of more, summed over classes.
    """
    indicators = truth[:, None] == classes
    binary, tiny = len(classes) == 2, np.finfo(np.float64).eps
    compared = [1] if binary else list(range(len(classes)))
    w = np.ones(len(truth)) if weights is None else np.asarray(weights, dtype=np.float64)
    return {
        "accuracy": float(np.average(classes[probabilities.argmax(axis=1)] == truth, weights=weights)),
        "brier": float(np.average(((probabilities - indicators) ** 2).sum(axis=1), weights=weights))
        / (2 if binary else 1),
        "log_loss": float(-np.average(np.log(np.maximum(probabilities[indicators], tiny)), weights=weights)),
        "auc": roc_area(indicators.argmax(axis=1), probabilities, compared, w),
    }
