# SPDX-License-Identifier: BSD-3-Clause
"""Scores of predicted probabilities on one set of rows, with standard errors."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.evaluation import score_probabilities
from bayesieve.evaluation.measures import roc_area

__all__ = ["scores_with_errors"]


def scores_with_errors(
    classes: NDArray[Any], probabilities: Floats, codes: NDArray[np.intp]
) -> dict[str, tuple[float, float]]:
    """Return each metric and its standard error, taking rows as independent.

    Empty if a class has no rows, as there is no area then.
    """
    counts = np.bincount(codes, minlength=len(classes))
    if not counts.all():
        return {}
    scores = score_probabilities(classes[codes], probabilities, classes)
    n_rows = len(codes)
    of_class = np.maximum(probabilities[np.arange(n_rows), codes], np.finfo(np.float64).eps)
    squares = ((probabilities - (codes[:, None] == np.arange(len(classes)))) ** 2).sum(axis=1)
    spread = {
        "log_loss": float(np.log(of_class).std() / n_rows**0.5),
        "brier": float(squares.std() / n_rows**0.5 * scores["brier"] / max(squares.mean(), 1e-300)),
        "accuracy": float((scores["accuracy"] * (1 - scores["accuracy"]) / n_rows) ** 0.5),
        "auc": _area_error(probabilities, codes, counts),
    }
    return {name: (scores[name], spread[name]) for name in spread}


def _area_error(probabilities: Floats, codes: NDArray[np.intp], counts: NDArray[np.intp]) -> float:
    """Return the standard error of the area; of more than two classes, an upper bound of it.

    The area of more classes is a mean of areas of one class against the others; the errors of these would add up to
    their mean if they were fully correlated.
    """
    n_rows = len(codes)
    classes = [1] if len(counts) == 2 else list(range(len(counts)))
    areas = [roc_area(codes, probabilities, [c], np.ones(n_rows)) for c in classes]
    errors = [_binary_error(area, n_rows - counts[c], counts[c]) for c, area in zip(classes, areas, strict=True)]
    return float(np.average(errors, weights=counts[classes]))


def _binary_error(area: float, n_first: int, n_second: int) -> float:
    """Return the standard error of an area under the ROC curve (Hanley and McNeil, 1982)."""
    first, second = area / (2 - area), 2 * area**2 / (1 + area)
    variance = area * (1 - area) + (n_second - 1) * (first - area**2) + (n_first - 1) * (second - area**2)
    return float((max(variance, 0.0) / (n_first * n_second)) ** 0.5)
