"""Counts along a threshold, and how well probabilities agree with what happened."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.report.brief import brief

__all__ = ["calibration", "threshold_counts"]

_QUANTILES = 48
_GROUPS = 10


def threshold_counts(chances: NDArray[np.float64], positive: NDArray[np.bool_], own: float | None) -> dict[str, Any]:
    """Return thresholds, and how many positive and negative rows have a larger probability than each.

    Thresholds decrease from 1 to 0; they are quantiles of all rows and of the positive ones, with four digits, and the
    model's own. The counts are exact for what is written.
    """
    levels = np.linspace(0.0, 1.0, _QUANTILES)
    marks = [np.quantile(chances, levels)]
    if positive.any():
        marks.append(np.quantile(chances[positive], levels))
    found = {0.0, 0.5, 1.0, *([] if own is None else [own]), *map(_rounded, np.concatenate(marks).tolist())}
    cuts = np.array(sorted(found, reverse=True))
    of_positive, of_others = np.sort(chances[positive]), np.sort(chances[~positive])
    return {
        "threshold": cuts.tolist(),
        "true": (len(of_positive) - np.searchsorted(of_positive, cuts, side="right")).tolist(),
        "false": (len(of_others) - np.searchsorted(of_others, cuts, side="right")).tolist(),
    }


def _rounded(chance: float) -> float:
    """Return a probability with four digits of itself, or of what it lacks to 1."""
    if chance <= 0.5:
        return max(float(f"{chance:.4g}"), 0.0)
    return min(round(1.0 - float(f"{1.0 - chance:.4g}"), 15), 1.0)


def calibration(chances: NDArray[np.float64], positive: NDArray[np.bool_]) -> dict[str, list[float]]:
    """Return for ten groups of rows, by increasing probability, their mean probability, their rate and their number.

    Groups have the same number of rows but for ties, which stay together.
    """
    edges = np.unique(np.quantile(chances, np.linspace(0.0, 1.0, _GROUPS + 1)[1:-1]))
    group = np.searchsorted(edges, chances, side="left")
    sizes = np.bincount(group, minlength=len(edges) + 1)
    filled = sizes > 0
    means = np.bincount(group, chances, len(sizes))[filled] / sizes[filled]
    rates = np.bincount(group, positive.astype(np.float64), len(sizes))[filled] / sizes[filled]
    return {"predicted": brief(means), "observed": brief(rates), "rows": sizes[filled].tolist()}
