"""How good beliefs and decisions are on rows that took no part in anything."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

__all__ = ["LOSSES", "MEASURES", "Forecast", "measure"]

Floats = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]

MEASURES: Final = ("accuracy", "precision", "recall", "f1", "auc", "log_loss", "brier")
LOSSES: Final = ("log_loss", "brier")  # smaller is better


@dataclass(frozen=True)
class Forecast:
    """What a classifier says of some rows.

    Attributes
    ----------
    decided : int array of shape (n_rows,)
        Codes of the classes decided on.
    ranking : float array of shape (n_rows, n_classes), or None
        Larger for what is believed more: probabilities, or values of a decision function.
    probabilities : float array of shape (n_rows, n_classes), or None
        None of a classifier that has none.
    """

    decided: Codes
    ranking: Floats | None
    probabilities: Floats | None


def measure(truth: Codes, forecast: Forecast, n_classes: int, positive: int = 1) -> dict[str, float]:
    """Return every measure, NaN where it is not defined.

    Precision, recall and F1 are those of the positive one of two classes, or means over more classes, 0 where nothing
    was decided for. The area under the ROC curve of more classes is the mean over classes, weighted by their rows, of
    one against the rest. The Brier score is summed over the classes.
    """
    classes = [positive] if n_classes == 2 else range(n_classes)
    shares = np.array([_shares(truth == c, forecast.decided == c) for c in classes])
    precision, recall, f1 = shares.mean(axis=0).tolist()
    found = {"accuracy": float(np.mean(truth == forecast.decided)), "precision": precision, "recall": recall, "f1": f1}
    found["auc"] = np.nan if forecast.ranking is None else _area(truth, forecast.ranking, list(classes))
    found["log_loss"] = found["brier"] = np.nan
    if forecast.probabilities is not None:
        indicators = truth[:, None] == np.arange(n_classes)
        given = forecast.probabilities[np.arange(len(truth)), truth]
        tiny = np.finfo(np.float64).eps
        found["log_loss"] = float(-np.log(np.clip(given, tiny, 1 - tiny)).mean())
        found["brier"] = float(((forecast.probabilities - indicators) ** 2).sum(axis=1).mean())
    return found


def _shares(is_true: NDArray[np.bool_], is_decided: NDArray[np.bool_]) -> tuple[float, float, float]:
    hits, n_true, n_decided = (int(np.count_nonzero(each)) for each in (is_true & is_decided, is_true, is_decided))
    return hits / max(n_decided, 1), hits / max(n_true, 1), 2 * hits / max(n_true + n_decided, 1)


def _area(truth: Codes, ranking: Floats, classes: list[int]) -> float:
    """Return the share of pairs in the right order, from the sum of the ranks of one class; ties count half."""
    areas, weights = [], []
    for c in classes:
        n_inside = int(np.count_nonzero(truth == c))
        n_outside = len(truth) - n_inside
        if not n_inside or not n_outside:
            return float("nan")
        ranks = rankdata(ranking[:, c])[truth == c].sum()
        areas.append((ranks - n_inside * (n_inside + 1) / 2) / (n_inside * n_outside))
        weights.append(n_inside)
    return float(np.average(areas, weights=weights))
