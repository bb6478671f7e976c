"""A classifier as it is compared: how it takes columns, and which of its parameters are tuned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils import _safe_indexing

from bayesieve.data import RawBlocks
from bayesieve.evaluation.encodings import ENCODINGS, encoding_of
from bayesieve.evaluation.measures import LOSSES, Forecast, measure
from bayesieve.evaluation.scattered_data import forecast_blocks
from bayesieve.exceptions import ParameterError

__all__ = ["Learner", "Split", "forecast", "tune"]

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True)
class Learner:
    """A classifier, the values of its parameters to choose from, and the form in which it takes columns.

    Parameters
    ----------
    estimator : classifier
        It is cloned for each fit.
    grid : mapping of parameter to values, or None
        Tuned by inner folds of each outer fold's fitting rows, at the largest size, once for all sizes.
    encoding : {"auto", "numbers", "bins", "tenths", "raw"}
        "numbers" scales numbers, with the median for a missing one, and makes each label an indicator; "bins" makes
        each MODL bin an indicator, "tenths" each label and each of ten intervals with equally many rows; "raw" gives
        the columns as they are. All is learnt on the fitting rows of a fold.
        "auto" is "raw" for classifiers that say they read categories and missing values, and "numbers" for others.
    """

    estimator: Any
    grid: Mapping[str, Sequence[Any]] | None = None
    encoding: str = "auto"

    def __post_init__(self) -> None:
        if self.encoding == "auto":
            object.__setattr__(self, "encoding", encoding_of(self.estimator))
        if self.encoding not in ENCODINGS:
            raise ParameterError(f"encoding must be 'auto' or one of {', '.join(ENCODINGS)}, got {self.encoding!r}.")
        known = self.estimator.get_params()
        if unknown := [name for name in self.grid or {} if name not in known]:
            raise ParameterError(f"{type(self.estimator).__name__} has no parameter {unknown[0]!r} to tune.")


def forecast(classifier: Any, X: Any, classes: NDArray[Any]) -> Forecast:
    """Return what a fitted classifier says, with a column for each class, those that it never saw included."""
    if isinstance(X, RawBlocks):
        return forecast_blocks(classifier, X, classes)
    known = np.searchsorted(classes, classifier.classes_)
    decided = np.searchsorted(classes, classifier.predict(X))
    if hasattr(classifier, "predict_proba"):
        probabilities = np.zeros((len(decided), len(classes)))
        probabilities[:, known] = classifier.predict_proba(X)
        return Forecast(decided, probabilities, probabilities)
    if not hasattr(classifier, "decision_function"):
        return Forecast(decided, None, None)
    values = np.asarray(classifier.decision_function(X))
    ranking = np.full((len(decided), len(classes)), -np.inf)
    ranking[:, known] = values if values.ndim == 2 else np.column_stack([-values, values])
    return Forecast(decided, ranking, None)


def tune(learner: Learner, X: Any, y: NDArray[Any], splits: Sequence[Split], metric: str) -> dict[str, Any]:
    """Return the parameters with the best mean over the inner folds, the first of equals; none if there is no grid."""
    if not learner.grid:
        return {}
    classes, codes = np.unique(y, return_inverse=True)
    choices = list(ParameterGrid(dict(learner.grid)))
    if isinstance(X, RawBlocks):
        raise ParameterError("A grid of parameters is tuned on rows in this process; for rows in blocks give none.")
    if len(choices) == 1:
        return dict(choices[0])
    totals = np.zeros(len(choices))
    for fitting, scored in splits:
        X_fitting, X_scored = _safe_indexing(X, fitting), _safe_indexing(X, scored)
        for i, choice in enumerate(choices):
            model = clone(learner.estimator).set_params(**choice).fit(X_fitting, y[fitting])
            found = measure(codes[scored], forecast(model, X_scored, classes), len(classes))[metric]
            totals[i] += -found if metric in LOSSES else found
    return dict(choices[int(np.argmax(totals))])
