# SPDX-License-Identifier: BSD-3-Clause
"""Measures of predicted classes and probabilities, some with standard errors."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats

__all__ = [
    "LOSSES",
    "MEASURES",
    "Forecast",
    "decision_shares",
    "forecast",
    "measure",
    "paired_errors",
    "roc_area",
    "score_probabilities",
    "scores_with_errors",
]

Codes = NDArray[np.integer[Any]]
MEASURES: Final = ("accuracy", "precision", "recall", "f1", "auc", "log_loss", "brier")
LOSSES: Final = ("log_loss", "brier")  # smaller is better


@dataclass(frozen=True)
class Forecast:
    """The predictions of a classifier for some rows.

    Attributes
    ----------
    labels : int array of shape (n_samples,)
        Codes of the predicted classes.
    ranking : float array of shape (n_samples, n_classes), or None
        Scores that rank rows per class: probabilities, or values of a decision function.
    probabilities : float array of shape (n_samples, n_classes), or None
        None for a classifier without probabilities.
    """

    labels: Codes
    ranking: Floats | None
    probabilities: Floats | None


def forecast(classifier: Any, X: Any, classes: NDArray[Any]) -> Forecast:
    """Return the predictions of a fitted classifier, with one column per class of the data set."""
    places = np.searchsorted(classes, classifier.classes_)
    labels = np.searchsorted(classes, classifier.predict(X))
    if hasattr(classifier, "predict_proba"):
        probabilities = np.zeros((len(labels), len(classes)))
        probabilities[:, places] = classifier.predict_proba(X)
        return Forecast(labels, probabilities, probabilities)
    if not hasattr(classifier, "decision_function"):
        return Forecast(labels, None, None)
    values = np.asarray(classifier.decision_function(X))
    ranking = np.full((len(labels), len(classes)), -np.inf)
    ranking[:, places] = values if values.ndim == 2 else np.column_stack([-values, values])
    return Forecast(labels, ranking, None)


def measure(
    truth: Codes, forecast: Forecast, n_classes: int, positive: int = 1, weights: Floats | None = None
) -> dict[str, float]:
    """Return every measure, NaN where it is not defined.

    Precision, recall and F1 are those of the positive class of two, or means over more classes, 0 for a class that was
    never predicted. The area under the ROC curve of more classes is the mean over classes of one against the rest,
    weighted by their rows. The Brier score of more than two classes is summed over the classes. A row of weight 2
    counts as two rows.
    """
    w = np.ones(len(truth)) if weights is None else weights
    classes = [positive] if n_classes == 2 else range(n_classes)
    rates = np.array([_rates(truth == c, forecast.labels == c, w) for c in classes])
    precision, recall, f1 = rates.mean(axis=0).tolist()
    values = {
        "accuracy": float(np.average(truth == forecast.labels, weights=weights)),
        "precision": precision,
        "recall": recall,
        "f1": f1,
    }
    values["auc"] = np.nan if forecast.ranking is None else roc_area(truth, forecast.ranking, list(classes), w)
    values["log_loss"] = values["brier"] = np.nan
    if forecast.probabilities is not None:
        indicators = truth[:, None] == np.arange(n_classes)
        of_truth = forecast.probabilities[np.arange(len(truth)), truth]
        tiny = np.finfo(np.float64).eps
        values["log_loss"] = float(-np.average(np.log(np.clip(of_truth, tiny, 1 - tiny)), weights=weights))
        squared = float(np.average(((forecast.probabilities - indicators) ** 2).sum(axis=1), weights=weights))
        values["brier"] = squared / 2 if n_classes == 2 else squared  # as in scikit-learn
    return values


def _rates(is_true: NDArray[np.bool_], is_predicted: NDArray[np.bool_], w: Floats) -> tuple[float, float, float]:
    hits, true, predicted = (float(w[each].sum()) for each in (is_true & is_predicted, is_true, is_predicted))
    return _ratio(hits, predicted), _ratio(hits, true), _ratio(2 * hits, true + predicted)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def roc_area(truth: Codes, ranking: Floats, classes: list[int], w: Floats) -> float:
    """Return the proportion of pairs in the right order, from the sum of the ranks of one class; ties count half."""
    areas, weights = [], []
    for c in classes:
        inside = truth == c
        within, without = float(w[inside].sum()), float(w[~inside].sum())
        if not within or not without:
            return float("nan")
        places = np.unique(ranking[:, c], return_inverse=True)[1].ravel()
        of_others = np.bincount(places, w * ~inside)
        below = np.cumsum(of_others) - of_others / 2
        areas.append(float((w[inside] * below[places[inside]]).sum() / (within * without)))
        weights.append(within)
    return float(np.average(areas, weights=weights))


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


def decision_shares(positive: NDArray[np.bool_], acted: NDArray[np.bool_]) -> dict[str, tuple[float, float]]:
    """Return recall and precision with standard errors, taking rows as independent; not that of no row."""
    shares = {}
    for name, rows in (("recall", positive), ("precision", acted)):
        if n_rows := int(rows.sum()):
            share = float((positive & acted).sum() / n_rows)
            shares[name] = (share, (share * (1.0 - share) / n_rows) ** 0.5)
    return shares


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


def paired_errors(
    first: Floats, second: Floats, codes: NDArray[np.intp], classes: NDArray[Any]
) -> dict[str, tuple[float, float]]:
    """Return how much the scores of two models differ on the same rows, first minus second, and the standard errors.

    Errors are those of differences of rows: of "log_loss", of "accuracy" and, for "auc", of the ranks that each row has
    among those of the other classes (DeLong, DeLong and Clarke-Pearson, 1988); of more than two classes, of the area of
    each against the rest as it is weighted in their mean.
    """
    n_rows, n_classes = first.shape
    tiny, own = np.finfo(np.float64).eps, (np.arange(n_rows), codes)
    losses = np.log(np.maximum(second[own], tiny)) - np.log(np.maximum(first[own], tiny))
    hits = (first.argmax(axis=1) == codes) * 1.0 - (second.argmax(axis=1) == codes)
    shares, parts = np.bincount(codes, minlength=n_classes) / n_rows, np.zeros(n_rows)
    compared = [1] if n_classes == 2 else list(range(n_classes))
    for c in compared:
        inside = codes == c
        ranks = _ranks_among_others(first[:, c], inside) - _ranks_among_others(second[:, c], inside)
        centered = np.where(inside, ranks - ranks[inside].mean(), ranks - ranks[~inside].mean())
        weight = shares[c] / shares[compared].sum()
        parts += weight * centered / np.where(inside, shares[c], 1.0 - shares[c])
    scores = [score_probabilities(classes[codes], each, classes) for each in (first, second)]
    spread = {"log_loss": losses.std(), "accuracy": hits.std(), "auc": float((parts**2).mean() ** 0.5)}
    return {name: (scores[0][name] - scores[1][name], float(each / n_rows**0.5)) for name, each in spread.items()}


def _ranks_among_others(ranking: Floats, inside: NDArray[np.bool_]) -> Floats:
    """Return, for a row inside, the share of rows outside with a lower value; for others, of those inside above.

    Ties count half.
    """
    inner, outer = np.sort(ranking[inside]), np.sort(ranking[~inside])
    below = (np.searchsorted(outer, ranking, "left") + np.searchsorted(outer, ranking, "right")) / (2 * len(outer))
    above = 1.0 - (np.searchsorted(inner, ranking, "left") + np.searchsorted(inner, ranking, "right")) / (
        2 * len(inner)
    )
    return np.where(inside, below, above)
