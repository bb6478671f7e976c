"""The weighing on blocks of rows: integers of the blocks add up, and the descent is told their sums.

A question tells start and weights, and brings back the sums of some columns: one message a step. A block goes from the
weights that it knew to those that it is told.
"""

from collections.abc import Callable, Sequence
from functools import partial
from operator import add
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core
from bayesieve.engine.base import Segment
from bayesieve.engine.contest import Words, add_words
from bayesieve.engine.memory import segment_arrays
from bayesieve.engine.scattered import Bench, ScatteredSegments
from bayesieve.engine.weighing_descent import DescentWeighing, WeighedRows
from bayesieve.engine.weighing_reference import ReferenceWeighedRows
from bayesieve.engine.weighing_slopes import weight_of

__all__ = ["ScatteredWeighing"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Answer = TypeVar("Answer")

_MOST_AHEAD: Final = 64  # columns of a question
_MOST_SHIFTS: Final = 4  # beyond, all weights are set at once


class ScatteredWeighing(DescentWeighing):
    """A descent on rows that are elsewhere."""

    def __init__(self, segments: ScatteredSegments, unit: float, backend: str = "auto", n_threads: int = 1) -> None:
        rows = _ScatteredRows(segments, unit, backend, n_threads)
        super().__init__(rows, segments.tables, segments.masses, unit, _MOST_AHEAD)


class _ScatteredRows:
    """Knows the start and the weights, of which blocks are told when they are asked."""

    def __init__(self, segments: ScatteredSegments, unit: float, backend: str, n_threads: int) -> None:
        total = weight_of(segments.masses, unit)
        self._benches = segments.blocks.map(Bench, partial(_make_block, unit, total, backend, n_threads)).hold()

    def reset(self, start: Ints, weights: Floats) -> None:
        """Believe in this start and these weights."""
        self._start, self._weights = start.copy(), weights.copy()

    def shift_start(self, change: Ints) -> None:
        """Add to the start."""
        self._start = self._start + change

    def shift(self, column: int, before: float, after: float) -> None:
        """Change the weight of a column."""
        self._weights[column] = after

    def sums(self, columns: NDArray[np.int32]) -> Ints:
        """Return the pulls of each code."""
        return self._ask(_sums, add, columns)

    def totals(self) -> Ints:
        """Return the pulls of all rows."""
        return self._ask(_totals, add)

    def losses(self) -> Words:
        """Return the loss of each segment and class."""
        return self._ask(_losses, add_words)

    def _ask(self, task: Callable[..., Answer], merge: Callable[[Answer, Answer], Answer], *told: Any) -> Answer:
        heavy = np.flatnonzero(self._weights)
        state = (self._start, heavy, self._weights[heavy])
        answer: Answer = self._benches.reduce(Bench.ask, merge, task, state, *told)
        return answer


class _Block:
    """Rows, and the start and the weights that they know."""

    def __init__(self, rows: WeighedRows, n_columns: int) -> None:
        self._rows, self._n_columns = rows, n_columns
        self._known: tuple[Ints, Floats] | None = None

    def at(self, start: Ints, heavy: NDArray[np.intp], weights: Floats) -> WeighedRows:
        """Return the rows at this start, with weights for some columns."""
        wanted = np.zeros(self._n_columns)
        wanted[heavy] = weights
        known, self._known = self._known, None  # unknown, if this is interrupted
        changed = np.flatnonzero(known[1] != wanted) if known is not None else heavy
        if known is None or len(changed) > _MOST_SHIFTS:
            self._rows.reset(start, wanted)
        else:
            for j in changed.tolist():
                self._rows.shift(j, float(known[1][j]), float(wanted[j]))
            if (known[0] != start).any():
                self._rows.shift_start(start - known[0])
        self._known = (start.copy(), wanted)
        return self._rows


def _make_block(unit: float, total: float, backend: str, n_threads: int, segments: Sequence[Segment]) -> _Block:
    n_columns = segments[0].n_columns
    if backend != "reference" and core is not None:
        parts = tuple(segment_arrays(segment, [0.0] * segment.n_classes) for segment in segments)
        return _Block(core.WeightGradients(parts, unit, n_threads, total), n_columns)
    return _Block(ReferenceWeighedRows(segments, unit, total), n_columns)


def _sums(rows: WeighedRows, columns: NDArray[np.int32]) -> Ints:
    return rows.sums(columns)


def _totals(rows: WeighedRows) -> Ints:
    return rows.totals()


def _losses(rows: WeighedRows) -> Words:
    return rows.losses()
