# SPDX-License-Identifier: BSD-3-Clause
"""Curves of one class's predicted probabilities: thresholds, deciles, calibration, histogram; intervals of shares."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.report.formats import rounded

__all__ = [
    "CalibrationGroups",
    "ClassCurves",
    "Deciles",
    "Histogram",
    "calibration",
    "deciles",
    "describe_curves",
    "histogram",
    "rows_per_group",
    "threshold_counts",
    "wilson_interval",
]

_QUANTILES = 48
_GROUPS = 10
_BARS = 20
_Z = 1.959964  # 97.5 % of a normal distribution are below


@dataclass(frozen=True)
class CalibrationGroups:
    """Ten groups of rows by predicted probability: its mean, the observed frequency with its interval, and the size."""

    predicted: list[float]
    observed: list[float]
    low: list[float]
    high: list[float]
    n_rows: list[int]


@dataclass(frozen=True)
class Deciles:
    """Rows, positive rows and lowest probability of tenths of the rows, the most probable first."""

    n_rows: list[int]
    n_positive: list[float]
    lowest: list[float]


@dataclass(frozen=True)
class Histogram:
    """Positive rows and others in twenty equal intervals of the predicted probability."""

    positive: list[int]
    others: list[int]


@dataclass(frozen=True)
class ClassCurves:
    """All curves of one class against the others: rows above each threshold, calibration, deciles, histogram."""

    class_: int
    threshold: list[float]
    true_positives: list[int]
    false_positives: list[int]
    calibration: CalibrationGroups
    deciles: Deciles
    histogram: Histogram


def describe_curves(
    probabilities: NDArray[np.float64],
    target: NDArray[np.intp],
    c: int,
    own_threshold: float | None,
    n_curves: int = 1,
    rows_per_observation: float = 1.0,
) -> ClassCurves:
    """Return all curves of class c against the others; among many curves, each has fewer thresholds."""
    positive = target == c
    of_class = np.ascontiguousarray(probabilities[:, c])
    n_quantiles = int(np.clip(1000 // n_curves, 10, _QUANTILES))
    order = np.argsort(of_class)  # rows in order of their probabilities are divided and sorted faster
    ranked = of_class[order], positive[order]
    edges = _edges(ranked[0])
    return ClassCurves(
        c,
        *threshold_counts(*ranked, own_threshold, n_quantiles),
        calibration(of_class, positive, rows_per_observation, edges),
        deciles(*ranked),
        histogram(*ranked),
    )


def threshold_counts(
    probabilities: NDArray[np.float64],
    positive: NDArray[np.bool_],
    own_threshold: float | None,
    n_quantiles: int = _QUANTILES,
) -> tuple[list[float], list[int], list[int]]:
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
    true_positives = len(of_positive) - np.searchsorted(of_positive, thresholds, side="right")
    false_positives = len(of_others) - np.searchsorted(of_others, thresholds, side="right")
    return thresholds.tolist(), true_positives.tolist(), false_positives.tolist()


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
) -> CalibrationGroups:
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
    return CalibrationGroups(
        rounded(means), rounded(n_positive / sizes[filled]), rounded(low), rounded(high), sizes[filled].tolist()
    )


def deciles(probabilities: NDArray[np.float64], positive: NDArray[np.bool_]) -> Deciles:
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
    lowest = sorted_probabilities[ends[1:] - 1]
    return Deciles(np.diff(ends).tolist(), rounded(np.diff(found[ends])), rounded(lowest))


def histogram(probabilities: NDArray[np.float64], positive: NDArray[np.bool_]) -> Histogram:
    """Return the number of positive rows and of others in twenty equal intervals of the predicted probability."""
    place = np.minimum((probabilities * _BARS).astype(np.intp), _BARS - 1)
    return Histogram(
        np.bincount(place[positive], minlength=_BARS).tolist(), np.bincount(place[~positive], minlength=_BARS).tolist()
    )


def rows_per_group(groups: NDArray[Any]) -> float:
    """Return the size of the group of a row, mean over rows: 1 if every row is a group of its own.

    If the rows of a group were all alike, the variance of a share of rows would be larger by this factor than that of
    independent rows; it is never larger by more.
    """
    sizes = np.unique(groups, return_counts=True)[1].astype(np.float64)
    return float((sizes**2).sum() / sizes.sum())


def wilson_interval(n_positive: Any, n_rows: Any, rows_per_observation: float = 1.0) -> tuple[Floats, Floats]:
    """Return the ends of the 95 % intervals of shares by Wilson's score method; 0 and 1 without any row.

    Rows that are not independent count as fewer observations.
    """
    k, n = (np.asarray(each, dtype=np.float64) / rows_per_observation for each in (n_positive, n_rows))
    share = np.divide(k, n, out=np.full(np.broadcast(k, n).shape, 0.5), where=n > 0)
    scale = n + _Z**2
    center = (n * share + _Z**2 / 2) / scale
    half = _Z * np.sqrt(n * share * (1 - share) + _Z**2 / 4) / scale
    return np.maximum(center - half, 0.0), np.minimum(center + half, 1.0)
