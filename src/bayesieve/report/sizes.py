"""Scores, confusion matrix and curves for each number of columns on the path."""

from collections.abc import Sequence
from statistics import mean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.report.curves import describe_curve
from bayesieve.report.held_out_predictions import HeldOutPredictions
from bayesieve.report.rounding import rounded

__all__ = ["METRICS", "describe_sizes", "held_out_scores", "optimistic_scores"]

METRICS = {
    "log_loss": ("log loss", False),
    "brier": ("Brier score", False),
    "auc": ("ROC AUC", True),
    "accuracy": ("accuracy", True),
}
"""The title of each metric, and whether higher is better."""

_MOST_CURVES = 60  # with more, only the selected size has curves


def describe_sizes(
    model: Any, predictions: HeldOutPredictions, curve_classes: Sequence[int], own_threshold: float | None
) -> list[dict[str, Any]]:
    """Return columns, scores, confusion matrix, curves and calibration for each number of columns on offer.

    Parameters
    ----------
    model : fitted classifier
        The model with the path.
    predictions : HeldOutPredictions
        Predictions for rows by models that were fitted without them.
    curve_classes : sequence of int
        The classes that have curves.
    own_threshold : float or None
        The probability above which the model predicts the positive class.
    """
    place = model.selection_.positions
    n_curves = len(model.selection_.by_size) * len(curve_classes)
    described = []
    for visit in model.selection_.by_size.values():
        selected = visit.columns == model.path_.order
        size = None if selected else visit.n_features
        probabilities = predictions.probabilities(size)
        described.append(
            {
                "n_columns": visit.n_features,
                "columns": [place[name] for name in visit.columns],
                "selected": selected,
                "optimistic": {
                    name: rounded(score) for name, score in optimistic_scores(model, visit.n_features).items()
                },
                "held_out": held_out_scores(predictions, size),
                "confusion": _confusion(predictions.target, probabilities.argmax(axis=1), len(predictions.classes)),
                "curves": [
                    describe_curve(probabilities, predictions.target, c, own_threshold, n_curves)
                    for c in (curve_classes if selected or n_curves <= _MOST_CURVES else ())
                ],
            }
        )
    return described


def optimistic_scores(model: Any, size: int) -> dict[str, float | None]:
    """Return the scores of a size on rows that took part in the selection; None of each if they were not computed."""
    i = model.cv_results_["n_features"].tolist().index(size)
    names = ("error", "auc", "brier", "log_loss")
    if not all(f"mean_test_{name}" in model.cv_results_ for name in names):
        return dict.fromkeys(METRICS)
    scores = {name: float(model.cv_results_[f"mean_test_{name}"][i]) for name in names}
    return {
        "log_loss": -scores["log_loss"],
        "brier": -scores["brier"],
        "auc": scores["auc"],
        "accuracy": 1.0 + scores["error"],
    }


def held_out_scores(predictions: HeldOutPredictions, size: int | None) -> dict[str, dict[str, float]]:
    """Return the mean over folds and its standard error, taking folds as independent."""
    return {
        name: {"mean": rounded(mean(scores)), "standard_error": rounded(stdev(scores) / len(scores) ** 0.5)}
        for name, scores in predictions.scores(size).items()
    }


def _confusion(target: NDArray[np.intp], predicted: NDArray[np.intp], n_classes: int) -> list[list[int]]:
    """Return the confusion matrix: actual classes are rows, most probable classes are columns."""
    counts = np.bincount(target * n_classes + predicted, minlength=n_classes * n_classes)
    return [list(map(int, row)) for row in counts.reshape(n_classes, n_classes)]
