# SPDX-License-Identifier: BSD-3-Clause
"""The compiled engine against NumPy: the reference engine, and a fast AUC by NumPy."""

import numpy as np
from numpy.typing import NDArray

from bayesieve.models import NaiveBayes
from bayesieve.models.model import RANK_SHIFT
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import MemoryEngine, Moves, ReferenceEngine, Segment, add
from benchmarks.problems import Shape, additions, engine, make_segment
from benchmarks.report import Row, Section
from benchmarks.timing import minima, nanoseconds, seconds

__all__ = ["run"]

_APPLIED = 5
_CRITERIA = ("error", "error_probability", "brier", "log_loss", "auc")
_SEARCH = Shape(2, 8, 100_000, 500)
_STEPS = 20
_N_TIMED = 3  # candidates that NumPy is timed on


def run(full: bool) -> Section:
    """Measure steps, exact confirmation included."""
    shape = Shape(2, 2, 6000, 814)
    segment = make_segment(shape)
    rows = [_against_reference(segment, shape, criterion) for criterion in _CRITERIA]
    rows.append(_auc_search())
    notes = [f"NumPy is timed on {_N_TIMED} candidates per step and scaled"]
    return Section("Against NumPy: ns per (row, candidate) of a step, one thread", "NumPy", rows, notes)


def _against_reference(segment: Segment, shape: Shape, criterion: str) -> Row:
    ours = engine(segment, criterion, _APPLIED)
    reference = ReferenceEngine([segment], NaiveBayes(), CRITERIA[criterion])
    reference.reset(dict.fromkeys(range(_APPLIED), 1.0))
    batch, few = additions(_APPLIED, shape.n_columns), additions(_APPLIED, _APPLIED + _N_TIMED)
    best = minima(
        {"ours": seconds(lambda: ours.score(batch)), "reference": seconds(lambda: reference.score(few))}, repeats=8
    )
    ns = (nanoseconds(best[name], shape.n_rows, len(moves)) for name, moves in (("ours", batch), ("reference", few)))
    return Row(f"{criterion}, {shape}, to the reference engine", *ns, "ns", gain=True)


def _auc_search() -> Row:
    """Return the mean over the steps of a forward search; the two sides must agree."""
    segment = make_segment(_SEARCH)
    ours, numpy_auc = MemoryEngine([segment], NaiveBayes(), CRITERIA["auc"]), SortedClasses(segment)
    candidates, taken = list(range(_SEARCH.n_columns)), []
    for _ in range(_STEPS):
        batch, few = Moves.of([add([j]) for j in candidates]), candidates[:_N_TIMED]
        tasks = {
            "ours": seconds(lambda batch=batch: ours.score(batch)),
            "NumPy": seconds(lambda few=few: [numpy_auc.auc(j) for j in few]),
        }
        best = minima(tasks, repeats=1)
        taken.append((nanoseconds(best["ours"], len(batch)), nanoseconds(best["NumPy"], len(few))))
        winner = candidates[int(np.argmax(ours.score(batch)))]
        if numpy_auc.auc(winner) != ours.apply(add([winner])):
            raise AssertionError("The two sides disagree on the AUC.")
        numpy_auc.apply(winner)
        candidates.remove(winner)
    means = np.mean(taken, axis=0) / _SEARCH.n_rows
    name = f"auc, {_SEARCH}, mean of a search for {_STEPS} columns, to two sorts and searchsorted"
    return Row(name, float(means[0]), float(means[1]), "ns", 15.0, gain=True)


class SortedClasses:
    """AUC of candidate log-odds: sort both classes, and find each positive among the negatives."""

    def __init__(self, segment: Segment) -> None:
        order = np.argsort(segment.target, kind="stable")
        self._n_negative = int((segment.target == 0).sum())
        self._codes = [segment.codes.column(j)[order] for j in range(segment.codes.n_columns)]
        self._tables = segment.tables
        self._log_odds = np.full(len(order), segment.tables.start[1] - segment.tables.start[0])

    def auc(self, column: int) -> float:
        """Return the area with one more column, on the keys of the library."""
        keys = (self._after(column) + (1 << (RANK_SHIFT - 1))) >> RANK_SHIFT
        negative, positive = np.sort(keys[: self._n_negative]), np.sort(keys[self._n_negative :])
        wins = sum(int(np.searchsorted(negative, positive, side).sum()) for side in ("left", "right"))
        return wins / (2 * len(negative) * len(positive))

    def apply(self, column: int) -> None:
        """Add a column."""
        self._log_odds = self._after(column)

    def _after(self, column: int) -> NDArray[np.int64]:
        table = self._tables.column(column)
        shifted: NDArray[np.int64] = self._log_odds + (table[:, 1] - table[:, 0]).take(self._codes[column])
        return shifted
