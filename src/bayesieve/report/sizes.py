"""The path: what each number of columns is worth, to the fit and on rows that it has not seen."""

from collections.abc import Sequence
from statistics import mean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.report.brief import brief
from bayesieve.report.curves import calibration, threshold_counts
from bayesieve.report.honest_rows import HonestRows

__all__ = ["METRICS", "describe_sizes", "fit_scores", "honest_scores"]

METRICS = {
    "log_loss": ("log loss", False),
    "brier": ("Brier score", False),
    "auc": ("area under ROC", True),
    "accuracy": ("accuracy", True),
}
"""Of each metric, its title and whether more of it is better."""

_MOST_CURVES = 8  # classes that have curves of their own


def describe_sizes(model: Any, honest: HonestRows, curved: Sequence[int], own: float | None) -> list[dict[str, Any]]:
    """Return for each number of columns on offer: the columns, scores, confusion, curves and calibration.

    Parameters
    ----------
    model : fitted classifier
        Whose path is told.
    honest : HonestRows
        What models that have not seen the rows believe of them.
    curved : sequence of int
        The classes that have curves.
    own : float or None
        The probability at which the model itself cuts.
    """
    place = model.selection_.positions
    described = []
    for visit in model.selection_.by_size.values():
        chosen = visit.columns == model.path_.order
        believed = honest.probabilities(None if chosen else visit.n_features)
        described.append(
            {
                "n_columns": visit.n_features,
                "columns": [place[name] for name in visit.columns],
                "chosen": chosen,
                "fit": {name: brief(score) for name, score in fit_scores(model, visit.n_features).items()},
                "honest": honest_scores(honest, None if chosen else visit.n_features),
                "confusion": _confusion(honest.target, believed.argmax(axis=1), len(honest.classes)),
                "curves": [_curve(believed, honest.target, c, own) for c in curved[:_MOST_CURVES]],
            }
        )
    return described


def fit_scores(model: Any, size: int) -> dict[str, float | None]:
    """Return the scores of a size on the rows by which it was chosen: they flatter. None of each if none was asked."""
    i = model.cv_results_["n_features"].tolist().index(size)
    names = ("error", "auc", "brier", "log_loss")
    if not all(f"mean_test_{name}" in model.cv_results_ for name in names):
        return dict.fromkeys(METRICS)
    told = {name: float(model.cv_results_[f"mean_test_{name}"][i]) for name in names}
    return {
        "log_loss": -told["log_loss"],
        "brier": -told["brier"],
        "auc": told["auc"],
        "accuracy": 1.0 + told["error"],
    }


def honest_scores(honest: HonestRows, size: int | None) -> dict[str, dict[str, float]]:
    """Return the mean over outer folds and its standard error, folds taken as independent."""
    return {
        name: {"mean": brief(mean(scores)), "error": brief(stdev(scores) / len(scores) ** 0.5)}
        for name, scores in honest.scores(size).items()
    }


def _confusion(target: NDArray[np.intp], predicted: NDArray[np.intp], n_classes: int) -> list[list[int]]:
    """Return how often each class (row) was taken for each (column), by the largest probability."""
    counts = np.bincount(target * n_classes + predicted, minlength=n_classes * n_classes)
    return [list(map(int, row)) for row in counts.reshape(n_classes, n_classes)]


def _curve(believed: NDArray[np.float64], target: NDArray[np.intp], c: int, own: float | None) -> dict[str, Any]:
    positive = target == c
    counts = threshold_counts(believed[:, c], positive, own)
    return {"class": c, **counts, "calibration": calibration(believed[:, c], positive)}
