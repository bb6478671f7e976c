# SPDX-License-Identifier: BSD-3-Clause
"""Scores, confusion matrix and curves for each number of columns on the path."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.report.curves import describe_curve
from bayesieve.report.held_out_predictions import HeldOutPredictions
from bayesieve.report.rounding import rounded

__all__ = ["METRICS", "describe_scores", "describe_sizes", "mark_sizes", "optimistic_scores"]

METRICS = {
    "log_loss": ("log loss", False),
    "brier": ("Brier score", False),
    "auc": ("ROC AUC", True),
    "accuracy": ("accuracy", True),
}
"""The title of each metric, and whether higher is better."""

NEARLY_ALL = 0.99  # of the improvement, see mark_sizes
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
    selection = model.selection_
    offered = list(selection.by_size.values()) if selection.fitted is not None else [selection.best]
    n_curves, per_observation = len(offered) * len(curve_classes), predictions.rows_per_observation
    described = []
    for visit in offered:
        selected = visit.columns == model.selection_.best.columns
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
                "held_out": describe_scores(predictions.scores(size)),
                "confusion": _confusion(predictions.target, probabilities.argmax(axis=1), len(predictions.classes)),
                "curves": [
                    describe_curve(probabilities, predictions.target, c, own_threshold, n_curves, per_observation)
                    for c in (curve_classes if selected or n_curves <= _MOST_CURVES else ())
                ],
            }
        )
    return described


def optimistic_scores(model: Any, size: int) -> dict[str, float | None]:
    """Return the scores of a size on rows that took part in the selection; None of each if they were not computed."""
    if not model.selection_.cv_results:  # a model from a file
        return dict.fromkeys(METRICS)
    i = model.cv_results_["n_features"].tolist().index(size)
    names = ("error", "auc", "brier", "log_loss")
    if not all(f"mean_test_{name}" in model.cv_results_ for name in names):
        return dict.fromkeys(METRICS)
    scores = {name: float(model.cv_results_[f"mean_test_{name}"][i]) for name in names}
    return {
        "log_loss": -scores["log_loss"],
        "brier": -scores["brier"] / (2 if len(model.classes_) == 2 else 1),  # the criterion counts both classes
        "auc": scores["auc"],
        "accuracy": 1.0 + scores["error"],
    }


def describe_scores(scores: Mapping[str, tuple[float, float]]) -> dict[str, dict[str, float]]:
    """Return each metric and its standard error in types that JSON has."""
    return {name: {"mean": rounded(value), "standard_error": rounded(error)} for name, (value, error) in scores.items()}


def mark_sizes(sizes: Sequence[dict[str, Any]], baseline: float) -> dict[str, int | None]:
    """Give each size its share of the improvement in log loss, and return the sizes that are marked on the curve.

    Parameters
    ----------
    sizes : sequence of dict
        As in `describe_sizes`; "improvement" is added: how much lower the held-out log loss is than the baseline, as a
        share of the largest such difference of all sizes. None if no size is better than the baseline.
    baseline : float
        The log loss of class frequencies on the same rows.

    Returns
    -------
    marks : dict
        "one_standard_error": the smallest size whose held-out log loss is within one standard error of the lowest;
        "nearly_all": the smallest one with 99 % of the improvement, None if there is no improvement. Both are None if
        there is one size.
    """
    losses = [size["held_out"]["log_loss"]["mean"] for size in sizes]
    best = min(range(len(sizes)), key=losses.__getitem__)
    gain = baseline - losses[best]
    for size, loss in zip(sizes, losses, strict=True):
        size["improvement"] = rounded((baseline - loss) / gain) if gain > 0 else None
    if len(sizes) == 1:
        return {"one_standard_error": None, "nearly_all": None}
    limit = losses[best] + sizes[best]["held_out"]["log_loss"]["standard_error"]
    return {
        "one_standard_error": next(s["n_columns"] for s, loss in zip(sizes, losses, strict=True) if loss <= limit),
        "nearly_all": next((s["n_columns"] for s in sizes if gain > 0 and s["improvement"] >= NEARLY_ALL), None),
    }


def _confusion(target: NDArray[np.intp], predicted: NDArray[np.intp], n_classes: int) -> list[list[int]]:
    """Return the confusion matrix: actual classes are rows, most probable classes are columns."""
    counts = np.bincount(target * n_classes + predicted, minlength=n_classes * n_classes)
    return [list(map(int, row)) for row in counts.reshape(n_classes, n_classes)]
