# SPDX-License-Identifier: BSD-3-Clause
"""A classifier to compare: the encoding of its columns, and the hyperparameters to tune."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from bayesieve.estimators._sklearn import pick_rows
from bayesieve.estimators.refits import named_errors
from bayesieve.evaluation.data_set import NO_VALUES, RowValues
from bayesieve.evaluation.encodings import ENCODINGS, encoding_of
from bayesieve.evaluation.measures import LOSSES, forecast, measure
from bayesieve.evaluation.outer_cv import Split
from bayesieve.exceptions import ParameterError

__all__ = ["Learner", "tune"]


@dataclass(frozen=True)
class Learner:
    """A classifier, a grid of its hyperparameters, and the encoding of its columns.

    Parameters
    ----------
    estimator : classifier
        Cloned before each fit.
    grid : mapping of parameter to values, or None
        Hyperparameters, tuned by inner folds of the training rows of each outer fold, at the largest size, once for all
        sizes.
    encoding : {"auto", "numbers", "bins", "deciles", "likelihoods", "raw"}
        "numbers" imputes numbers by the median and scales them, and one-hot encodes labels; "bins" one-hot encodes MODL
        bins, "deciles" ten equal-frequency intervals per number, and labels; "likelihoods" gives the log-likelihood of
        each value within each class, normal for numbers; "raw" leaves the columns as they are.
        Encodings are learned on the training rows of a fold. "auto" is "raw" for classifiers whose tags allow strings
        and missing values, and "numbers" for others.
    """

    estimator: BaseEstimator
    grid: Mapping[str, Sequence[Any]] | None = None
    encoding: str = "auto"

    def __post_init__(self) -> None:
        if self.encoding == "auto":
            object.__setattr__(self, "encoding", encoding_of(self.estimator))
        if self.encoding not in ENCODINGS:
            raise ParameterError(f"encoding must be 'auto' or one of {', '.join(ENCODINGS)}, got {self.encoding!r}.")
        parameters = self.estimator.get_params()
        if unknown := [name for name in self.grid or {} if name not in parameters]:
            raise ParameterError(f"{type(self.estimator).__name__} has no parameter {unknown[0]!r} to tune.")


def tune(
    learner: Learner, X: Any, y: NDArray[Any], splits: Sequence[Split], metric: str, values: RowValues = NO_VALUES
) -> dict[str, Any]:
    """Return the hyperparameters with the best mean over the inner folds, the first of ties; none without a grid."""
    if not learner.grid:
        return {}
    from sklearn.model_selection import ParameterGrid

    classes, codes = np.unique(y, return_inverse=True)
    choices = list(ParameterGrid(dict(learner.grid)))
    if len(choices) == 1:
        return dict(choices[0])
    totals = np.zeros(len(choices))
    for train, test in splits:
        X_train, X_test = pick_rows(X, train), pick_rows(X, test)
        for i, choice in enumerate(choices):
            with named_errors(learner.estimator, "cannot be fitted and scored"):
                model = values.take(train).fit(clone(learner.estimator).set_params(**choice), X_train, y[train])
                predicted = forecast(model, X_test, classes)
            value = measure(codes[test], predicted, len(classes), weights=values.take(test).weights)[metric]
            totals[i] += -value if metric in LOSSES else value
    return dict(choices[int(np.argmax(totals))])
