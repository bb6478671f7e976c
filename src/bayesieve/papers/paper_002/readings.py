# SPDX-License-Identifier: BSD-3-Clause
"""ESNB under each reading of what the paper leaves open: by plain loops, and how many columns each selects."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, issparse

from bayesieve._typing import Floats, Ints
from bayesieve.bins.modl.cells import Cells, PartitionRules, pure_runs
from bayesieve.bins.modl.criterion import BoullePrior
from bayesieve.bins.modl.intervals import find_intervals, find_intervals_numpy, merge_greedily
from bayesieve.bins.modl.tables import Tables
from bayesieve.papers.paper_002.challenge import LOADERS, zero_one

__all__ = ["READINGS", "InformativeColumns", "Reading", "informative_columns", "run_readings", "select_columns"]


@dataclass(frozen=True)
class Reading:
    """How the open points are read.

    Attributes
    ----------
    pseudo_count : float or None
        Added to the counts of each bin and class; None for 1 / (N + 1).
    ties : {"half", "first", "last"}
        Rows of equal score in the lift curve: in between, positives first, or positives last.
    order : {"level", "position", "reverse"}
        Which of two columns of equal area enters: that of the higher MODL level, the first, or the last of the table.
    least_level : float
        A column must have a level above it.
    optimized : bool
        Whether greedy merges are followed by the post-optimization.
    least_gain : float
        The area must grow by more than this.
    """

    pseudo_count: float | None = None
    ties: str = "half"
    order: str = "level"
    least_level: float = 0.0
    optimized: bool = True
    least_gain: float = 0.0


READINGS: Final[dict[str, Reading]] = {
    "as in the library": Reading(),
    "pseudo-count 1 per cell": Reading(pseudo_count=1.0),
    "pseudo-count 1/2 per cell": Reading(pseudo_count=0.5),
    "pseudo-count 0.001 per cell": Reading(pseudo_count=0.001),
    "ties of rows: positives first": Reading(ties="first"),
    "ties of rows: positives last": Reading(ties="last"),
    "ties of columns: first in the table": Reading(order="position"),
    "ties of columns: last in the table": Reading(order="reverse"),
    "level above 0.01": Reading(least_level=0.01),
    "level above 0.02": Reading(least_level=0.02),
    "greedy merges alone": Reading(optimized=False),
    "area must grow by 1e-5": Reading(least_gain=1e-5),
    "pseudo-count 1e-6 per cell": Reading(pseudo_count=1e-6),
    "pseudo-count 1e-6, positives last": Reading(pseudo_count=1e-6, ties="last"),
    "positives last, first in the table": Reading(ties="last", order="position"),
    "positives last, last in the table": Reading(ties="last", order="reverse"),
    "positives last, greedy merges alone": Reading(ties="last", optimized=False),
}


@dataclass(frozen=True)
class InformativeColumns:
    """Columns of more than one bin: their positions, the bin of each row, and their levels."""

    positions: Ints
    codes: list[NDArray[np.int8]]
    levels: Floats


def run_readings(name: str) -> dict[str, Any]:
    """Return the number of columns that ESNB selects from the training rows of a set under each reading."""
    loaded = LOADERS[name]("train")
    target = zero_one(loaded.target)
    columns = {each: informative_columns(loaded.data, target, optimized=each) for each in (True, False)}
    sizes = {title: len(select_columns(columns[each.optimized], target, each)) for title, each in READINGS.items()}
    return {"set": name, "n_informative": len(columns[True].positions), "sizes": sizes}


def informative_columns(X: Any, target: Ints, *, optimized: bool = True) -> InformativeColumns:
    """Return the columns of which the criterion of 2006 makes more than one interval."""
    sparse = csc_matrix(X) if issparse(X) else None
    places = np.arange(X.shape[1]) if sparse is None else np.flatnonzero(np.diff(sparse.indptr))
    kept, codes, levels = [], [], []
    rules = PartitionRules(BoullePrior())
    for j in places.tolist():
        values = X[:, j] if sparse is None else _dense(sparse, j)
        distinct, ids = np.unique(values, return_inverse=True)
        if len(distinct) < 2:
            continue
        table = np.zeros((len(distinct), 2), dtype=np.int64)
        np.add.at(table, (ids, target), 1)
        (found,) = find_intervals(Tables.stack([table]), rules)
        if len(found.cuts) and not optimized:
            (found,) = find_intervals_numpy(Tables.stack([table]), rules, search=_merges_alone)
        if len(found.cuts):
            kept.append(j)
            codes.append(np.searchsorted(found.cuts, ids, side="right").astype(np.int8))
            levels.append(1.0 - found.cost / found.null)
    return InformativeColumns(np.array(kept, dtype=np.int64), codes, np.array(levels))


def _dense(table: csc_matrix, j: int) -> Floats:
    """Return a column of a sparse table."""
    values, part = np.zeros(table.shape[0]), slice(table.indptr[j], table.indptr[j + 1])
    values[table.indices[part]] = table.data[part]
    return values


def select_columns(columns: InformativeColumns, target: Ints, reading: Reading) -> list[int]:
    """Add the column of the largest area under the lift curve of the training rows, while the area grows."""
    usable = np.flatnonzero(columns.levels > reading.least_level)
    keys = {"level": -columns.levels, "position": columns.positions, "reverse": -columns.positions}
    candidates = [int(k) for k in usable[np.argsort(keys[reading.order][usable], kind="stable")]]
    points = {k: _log_odds(columns.codes[k], target, reading.pseudo_count) for k in candidates}
    scores, area, selected = np.zeros(len(target)), 0.5 if reading.ties == "half" else 0.0, list[int]()
    while candidates:
        areas = [_area(scores + points[k], target, reading.ties) for k in candidates]
        best = int(np.argmax(np.round(areas, 12)))
        if areas[best] <= area + reading.least_gain + 1e-12:
            break
        area = areas[best]
        chosen = candidates.pop(best)
        scores = scores + points[chosen]
        selected.append(chosen)
    return [int(columns.positions[k]) for k in selected]


def _log_odds(codes: NDArray[np.int8], target: Ints, pseudo_count: float | None) -> Floats:
    """Return what the bin of each row adds to the log-odds of the positive class."""
    added = 1.0 / (len(target) + 1) if pseudo_count is None else pseudo_count
    n_bins = int(codes.max()) + 1
    counts = np.array([np.bincount(codes[target == c], minlength=n_bins) for c in (0, 1)])
    shares = (counts + added) / (counts.sum(axis=1, keepdims=True) + added * n_bins)
    rounded: Floats = np.round(np.log(shares[1] / shares[0]), 10)
    return rounded[codes]


def _area(scores: Floats, target: Ints, ties: str) -> float:
    """Return the share of pairs of a positive and a negative row in which the positive one has the larger score."""
    rounded = np.round(scores, 8)
    positive, negative = np.sort(rounded[target == 1]), np.sort(rounded[target == 0])
    below, upto = (np.searchsorted(negative, positive, side=side).sum() for side in ("left", "right"))
    pairs = len(positive) * len(negative)
    return float({"half": (below + upto) / 2, "first": upto, "last": below}[ties] / pairs)


def _merges_alone(cells: Cells) -> Ints:
    """Return the cuts of the best state of the greedy merges."""
    return merge_greedily(cells, pure_runs(cells.counts))[0][1:]
