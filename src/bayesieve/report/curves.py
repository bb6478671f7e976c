"""Threshold curves and calibration curves of one class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.report.rounding import rounded

__all__ = ["calibration", "threshold_counts"]

_QUANTILES = 48
_GROUPS = 10


def threshold_counts(
    probabilities: NDArray[np.float64], positive: NDArray[np.bool_], own_threshold: float | None
) -> dict[str, Any]:
    """Return thresholds, and how many positive and negative rows have a larger probability than each.

    Thresholds decrease from 1 to 0; they are quantiles of all rows and of the positive ones, with four digits, and the
    model's own. The counts are exact for the thresholds as written.
    """
    levels = np.linspace(0.0, 1.0, _QUANTILES)
    marks = [np.quantile(probabilities, levels)]
    if positive.any():
        marks.append(np.quantile(probabilities[positive], levels))
    quantiles = map(_four_digits, np.concatenate(marks).tolist())
    distinct = {0.0, 0.5, 1.0, *([] if own_threshold is None else [own_threshold]), *quantiles}
    thresholds = np.array(sorted(distinct, reverse=True))
    of_positive, of_others = np.sort(probabilities[positive]), np.sort(probabilities[~positive])
    return {
        "threshold": thresholds.tolist(),
        "true_positives": (len(of_positive) - np.searchsorted(of_positive, thresholds, side="right")).tolist(),
        "false_positives": (len(of_others) - np.searchsorted(of_others, thresholds, side="right")).tolist(),
    }


def _four_digits(probability: float) -> float:
    """Return a probability with four digits of itself, or of its complement to 1."""
    if probability <= 0.5:
        return max(float(f"{probability:.4g}"), 0.0)
    return min(round(1.0 - float(f"{1.0 - probability:.4g}"), 15), 1.0)


def calibration(probabilities: NDArray[np.float64], positive: NDArray[np.bool_]) -> dict[str, list[float]]:
    """Return the mean predicted probability, the observed frequency and the size of ten groups of rows.

    Rows are grouped by predicted probability. Groups have the same number of rows, except that ties stay together.
    """
    edges = np.unique(np.quantile(probabilities, np.linspace(0.0, 1.0, _GROUPS + 1)[1:-1]))
    group = np.searchsorted(edges, probabilities, side="left")
    sizes = np.bincount(group, minlength=len(edges) + 1)
    filled = sizes > 0
    means = np.bincount(group, probabilities, len(sizes))[filled] / sizes[filled]
    rates = np.bincount(group, positive.astype(np.float64), len(sizes))[filled] / sizes[filled]
    return {"predicted": rounded(means), "observed": rounded(rates), "n_rows": sizes[filled].tolist()}
