# SPDX-License-Identifier: BSD-3-Clause
"""The model beside a floor and a ceiling on the same outer folds: class frequencies, and models that are not read."""

from dataclasses import dataclass, field
from time import process_time
from typing import Any, Final

import numpy as np

from bayesieve._typing import Floats
from bayesieve.evaluation import REFERENCE_MODELS, ReferenceTable, corrected_error, reference_matrix
from bayesieve.report.held_out_predictions import HeldOutPredictions
from bayesieve.report.rounding import rounded
from bayesieve.report.sizes import describe_scores

__all__ = ["FREQUENCIES", "Comparison", "compare_models", "describe_comparison"]

FREQUENCIES: Final = "class frequencies"
_MOST_CELLS: Final = 50_000_000  # of a table as numbers: 400 MB


@dataclass(frozen=True)
class Comparison:
    """Predictions of other models for the rows of each outer fold.

    Attributes
    ----------
    probabilities : dict of str to list of arrays of shape (n_samples, n_classes)
        Class probabilities by model and fold.
    left_out : str
        A sentence if models were left out; otherwise empty.
    """

    probabilities: dict[str, list[Floats]] = field(default_factory=dict)
    left_out: str = ""


def compare_models(model: Any, X: Any, predictions: HeldOutPredictions, seconds: float | None) -> Comparison:
    """Fit logistic regression and gradient boosting without each outer fold, and predict its rows.

    Parameters
    ----------
    model : fitted classifier
        Columns that it had to leave out are left out of the others, too; a pipeline leaves out none.
    X : table
        All rows.
    predictions : HeldOutPredictions
        Of outer folds.
    seconds : float or None
        Processor time; a model that is not done by then is left out. None for no limit, 0 for no comparison.
    """
    if seconds == 0:
        return Comparison()
    if predictions.n_train is not None:
        return Comparison(left_out="Other models are compared in cross-validation only.")
    end = np.inf if seconds is None else process_time() + seconds
    n_cells = len(predictions.target) * X.shape[1]
    if n_cells > _MOST_CELLS:
        return Comparison(left_out=f"No other model was fitted: the table has {n_cells:,} cells.")
    target, weights = predictions.target, predictions.weights
    table = ReferenceTable(
        *reference_matrix(X, getattr(model, "drop", None)), target, len(predictions.classes), weights
    )
    done: dict[str, list[Floats]] = {}
    for name in REFERENCE_MODELS:
        by_fold: list[Floats] = []
        for fold in predictions.folds:
            if process_time() >= end:
                left, limit = " and ".join(list(REFERENCE_MODELS)[len(done) :]), f"{seconds:g} s of processor time"
                return Comparison(done, f"No time was left to compare with {left}: the limit is {limit}.")
            by_fold.append(table.predict(name, predictions.training_rows(fold), fold.rows))
        done[name] = by_fold
    return Comparison(done)


def describe_comparison(predictions: HeldOutPredictions, comparison: Comparison | None) -> dict[str, Any]:
    """Return the scores of all models on the same folds, and how much worse or better the model's log loss is.

    "models" begins with class frequencies. "difference" is the log loss of the model minus that of the other one, mean
    over folds, with the standard error of Nadeau and Bengio's corrected resampled t test; it is None without folds.
    """
    others = {FREQUENCIES: [predictions.frequencies(fold) for fold in predictions.folds]}
    if comparison is not None:
        others |= comparison.probabilities
    own = [fold.probabilities(None) for fold in predictions.folds]
    models = [
        {
            "name": name,
            "scores": describe_scores(predictions.scores_of(probabilities)),
            "difference": None if predictions.n_train is not None else _difference(predictions, own, probabilities),
        }
        for name, probabilities in others.items()
    ]
    return {"models": models, "left_out": "" if comparison is None else comparison.left_out}


def _difference(predictions: HeldOutPredictions, own: list[Floats], others: list[Floats]) -> dict[str, float]:
    n_test, n_rows = np.mean([len(fold.rows) for fold in predictions.folds]), len(predictions.target)
    first, second = (np.array(predictions.fold_scores(each)["log_loss"]) for each in (own, others))
    error = corrected_error(first - second, float(n_test / (n_rows - n_test)))
    return {"mean": rounded((first - second).mean()), "standard_error": rounded(error)}
