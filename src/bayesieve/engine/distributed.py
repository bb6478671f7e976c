"""The engine on blocks of rows: the same kernel on each block, and a sum.

Every measure of a pointwise criterion is a sum of integers over rows, so blocks add up to what one process would find,
to the last bit. Estimates add up too, and so do their bounds. A step sends the subset and the moves, and brings back
two numbers a move; the few that could be best are then asked for exactly.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.criteria import Criterion
from bayesieve.engine.base import Segment
from bayesieve.engine.contest import ContestEngine, Rows, Words
from bayesieve.engine.memory import compiled_rows, has_kernels
from bayesieve.engine.moves import Moves
from bayesieve.engine.reference_rows import ReferenceRows
from bayesieve.engine.scattered import Bench, ScatteredSegments, Subset, change_between
from bayesieve.engine.scoring import Scorer
from bayesieve.models import Model

__all__ = ["DistributedEngine"]

Floats = NDArray[np.float64]
Columns = NDArray[np.int32]
Starts = NDArray[np.int64]


class DistributedEngine(ContestEngine):
    """Scores moves on blocks of rows; each block holds its own part of every segment."""

    def __init__(
        self, segments: ScatteredSegments, model: Model, criterion: Criterion, backend: str = "auto", n_threads: int = 1
    ) -> None:
        scorer = Scorer(criterion, segments.masses)
        make = partial(_make_rows, model, criterion, scorer.slopes, backend, n_threads)
        super().__init__(ScatteredRows(segments, make), criterion, scorer)


class ScatteredRows:
    """Rows in blocks, whose measures add up; here is only which columns speak."""

    def __init__(self, segments: ScatteredSegments, make: Any) -> None:
        self._benches = segments.blocks.map(Bench, make).hold()
        self._subset: dict[int, float] = {}
        self._foreseen: tuple[Subset, Moves, Words] | None = None  # the last moves that were measured
        self._state: Words | None = None
        self.can_estimate: bool = self._benches.reduce(_can_estimate, _both)

    def apply(self, columns: Columns, before: Floats, after: Floats, from_nothing: bool) -> None:
        """Note which columns speak now; blocks are told when they are asked."""
        self._state = None if from_nothing else self._expected(columns, before, after)
        if from_nothing:
            self._subset = {}
        for j, weight in zip(columns.tolist(), after.tolist(), strict=True):
            if weight == 0.0:
                self._subset.pop(j, None)
            else:
                self._subset[j] = weight

    def measure_state(self) -> Words:
        """Return the measures of each segment; those of a move that was measured before it was made are known."""
        if self._state is None:
            self._state = self._benches.reduce(_ask, add_words, _state, self._wanted)
        return self._state

    def measure_moves(self, columns: Columns, before: Floats, after: Floats, starts: Starts) -> Words:
        """Return the measures of each segment after each move."""
        words: Words = self._benches.reduce(_ask, add_words, _moves, self._wanted, columns, before, after, starts)
        self._foreseen = (self._wanted, Moves(columns, before, after, starts), words)
        return words

    def estimate(self, columns: Columns, before: Floats, after: Floats, starts: Starts, effort: int) -> Floats:
        """Return the score after each move of one column, and a bound of its error."""
        moves = (columns, before, after, starts, effort)
        return self._benches.reduce(_ask, _add_estimates, _estimates, self._wanted, *moves)

    def snapshot(self) -> Any:
        """Return the columns that speak, in order of entry."""
        return self._wanted

    def restore(self, token: Any) -> None:
        """Let these columns speak."""
        self._subset, self._state = dict(token), None

    def _expected(self, columns: Columns, before: Floats, after: Floats) -> Words | None:
        """Return the measures after a move, if it was among the last that were measured."""
        if self._foreseen is None or self._foreseen[0] != self._wanted:
            return None
        _, moves, words = self._foreseen
        wanted = list(zip(columns.tolist(), before.tolist(), after.tolist(), strict=True))
        places = np.flatnonzero(moves.columns[moves.starts[:-1]] == columns[0]) if len(columns) else []
        found: Words | None = next((words[i] for i in places if [*map(tuple, moves[int(i)])] == wanted), None)
        return found

    @property
    def _wanted(self) -> Subset:
        return tuple(self._subset.items())


class _Standing:
    """Rows, and which columns speak of them."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._present: dict[int, float] | None = {}
        self.can_estimate = rows.can_estimate

    def at(self, wanted: Subset) -> Rows:
        """Return the rows when exactly these columns speak."""
        changes, from_nothing = change_between(self._present, wanted)
        if changes or from_nothing:
            columns, before, after = np.array(changes, dtype=np.float64).reshape(-1, 3).T.copy()
            self._present = None  # unknown, if this is interrupted
            self._rows.apply(columns.astype(np.int32), before, after, from_nothing)
            self._present = dict(wanted)
        return self._rows


def _make_rows(
    model: Model,
    criterion: Criterion,
    slopes: Sequence[Sequence[float]],
    backend: str,
    n_threads: int,
    segments: Sequence[Segment],
) -> _Standing:
    if backend != "reference" and has_kernels(model, criterion):
        return _Standing(compiled_rows(segments, model, criterion, slopes, n_threads))
    return _Standing(ReferenceRows(segments, model, criterion, slopes))


def _ask(bench: Bench, task: Any, *told: Any) -> Any:
    return bench.ask(task, *told)


def _state(standing: _Standing, wanted: Subset) -> Words:
    return standing.at(wanted).measure_state()


def _moves(standing: _Standing, wanted: Subset, *moves: Any) -> Words:
    return standing.at(wanted).measure_moves(*moves)


def _estimates(standing: _Standing, wanted: Subset, *moves: Any) -> Floats:
    return standing.at(wanted).estimate(*moves)


def _can_estimate(bench: Bench) -> bool:
    return bool(bench.ask(lambda standing: standing.can_estimate))


def _both(a: bool, b: bool) -> bool:
    return a and b


def add_words(a: Words, b: Words) -> Words:
    """Add integers of 128 bits."""
    low: Words = a[..., 0] + b[..., 0]
    carry = (low < a[..., 0]).astype(np.uint64)
    return np.stack([low, a[..., 1] + b[..., 1] + carry], axis=-1)


def _add_estimates(a: Floats, b: Floats) -> Floats:
    """Add scores and bounds; what the addition itself may lose goes into the bound."""
    total = a + b
    total[:, 1] = total[:, 1] * (1.0 + 2.0**-50) + np.abs(total[:, 0]) * 2.0**-52
    return total
