# SPDX-License-Identifier: BSD-3-Clause
"""Threshold curves, deciles, calibration and histogram of the predicted probabilities of one class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.report.rounding import rounded
from bayesieve.report.shares import wilson_interval

__all__ = ["calibration", "deciles", "describe_curve", "histogram", "threshold_counts"]

_QUANTILES = 48
_GROUPS = 10
_BARS = 20


def describe_curve(
    probabilities: NDArray[np.float64],
    target: NDArray[np.intp],
    c: int,
    own_threshold: float | None,
    n_curves: int = 1,
    rows_per_observation: float = 1.0,
) -> dict[str, Any]:
    """Return all curves of class c against the others; among many curves, each has fewer thresholds."""
    positive, of_class = target == c, np.ascontiguousarray(probabilities[:, c])
    n_quantiles = int(np.clip(1000 // n_curves, 10, _QUANTILES))
    order = np.argsort(of_class)  # rows in order of their probabilities are divided and sorted faster
    ranked = of_class[order], positive[order]
    edges = _edges(ranked[0])
    return {
        "class": c,
        **threshold_counts(*ranked, own_threshold, n_quantiles),
        "calibration": calibration(of_class, positive, rows_per_observation, edges),
        "deciles": deciles(*ranked),
        "histogram": histogram(*ranked),
    }


def threshold_counts(
    probabilities: NDArray[np.float64],
    positive: NDArray[np.bool_],
    own_threshold: float | None,
    n_quantiles: int = _QUANTILES,
) -> dict[str, Any]:
    """Return thresholds, and how many positive and negative rows have a larger probability than each.

    Thresholds decrease from 1 to 0; they are quantiles of all rows and of the positive ones, with four digits, and the
    model's own. The counts are exact for the thresholds as written.
    """
    levels = np.linspace(0.0, 1.0, n_quantiles)
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


def _edges(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest probability of each of ten groups but the last."""
    return np.unique(np.quantile(probabilities, np.linspace(0.0, 1.0, _GROUPS + 1)[1:-1]))


def calibration(
    probabilities: NDArray[np.float64],
    positive: NDArray[np.bool_],
    rows_per_observation: float = 1.0,
    edges: NDArray[np.float64] | None = None,
) -> dict[str, list[float]]:
    """Return the mean predicted probability, the observed frequency with its interval and the size of ten groups.

    Rows are grouped by predicted probability. Groups have the same number of rows, except that ties stay together.
    Intervals have a coverage of 95 %. ``edges`` between the groups can be given.
    """
    edges = _edges(probabilities) if edges is None else edges
    group = np.searchsorted(edges, probabilities, side="left")
    sizes = np.bincount(group, minlength=len(edges) + 1)
    filled = sizes > 0
    means = np.bincount(group, probabilities, len(sizes))[filled] / sizes[filled]
    n_positive = np.bincount(group, positive.astype(np.float64), len(sizes))[filled]
    low, high = wilson_interval(n_positive, sizes[filled], rows_per_observation)
    return {
        "predicted": rounded(means),
        "observed": rounded(n_positive / sizes[filled]),
        "low": rounded(low),
        "high": rounded(high),
        "n_rows": sizes[filled].tolist(),
    }


def deciles(probabilities: NDArray[np.float64], positive: NDArray[np.bool_]) -> dict[str, list[Any]]:
    """Return size, positive rows and lowest probability of tenths of the rows, the most probable first.

    Rows with the same probability share their positives evenly: which of them comes first is not known.
    """
    order = np.argsort(probabilities)[::-1]
    sorted_probabilities = probabilities[order]
    starts = np.flatnonzero(np.append(True, sorted_probabilities[1:] != sorted_probabilities[:-1]))
    sizes = np.diff(np.append(starts, len(order)))
    shares = np.add.reduceat(positive[order].astype(np.float64), starts) / sizes
    found = np.append(0.0, np.cumsum(np.repeat(shares, sizes)))
    ends = np.rint(np.linspace(0, len(order), _GROUPS + 1)).astype(np.intp)
    ends = np.unique(ends)
    return {
        "n_rows": np.diff(ends).tolist(),
        "n_positive": rounded(np.diff(found[ends])),
        "lowest": rounded(sorted_probabilities[ends[1:] - 1]),
    }


def histogram(probabilities: NDArray[np.float64], positive: NDArray[np.bool_]) -> dict[str, list[int]]:
    """Return the number of positive rows and of others in twenty equal intervals of the predicted probability."""
    place = np.minimum((probabilities * _BARS).astype(np.intp), _BARS - 1)
    return {
        "positive": np.bincount(place[positive], minlength=_BARS).tolist(),
        "others": np.bincount(place[~positive], minlength=_BARS).tolist(),
    }
