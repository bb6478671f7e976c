"""Blocks of rows, and which columns speak of them: known here, and told to each block when it is asked."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Generic, TypeVar

import numpy as np

from bayesieve.engine.base import Segment
from bayesieve.engine.contest import Columns, Floats, Rows, Starts, Words
from bayesieve.engine.moves import Moves
from bayesieve.engine.scattered import Bench, ScatteredSegments, Subset, change_between

__all__ = ["Standing", "StandingBlocks"]

Held = TypeVar("Held", bound=Rows)
Answer = TypeVar("Answer")

_MOST_KNOWN = 64  # measures that are kept


class Standing(Generic[Held]):
    """Rows of a block, and which columns speak of them now."""

    def __init__(self, rows: Held) -> None:
        self._rows = rows
        self._present: dict[int, float] | None = {}

    def at(self, wanted: Subset) -> Held:
        """Return the rows when exactly these columns speak."""
        changes, from_nothing = change_between(self._present, wanted)
        if changes or from_nothing:
            columns, before, after = np.array(changes, dtype=np.float64).reshape(-1, 3).T.copy()
            self._present = None  # unknown, if this is interrupted
            self._rows.apply(columns.astype(np.int32), before, after, from_nothing)
            self._present = dict(wanted)
        return self._rows


class StandingBlocks(Generic[Held]):
    """Which columns speak of all blocks of rows; how the blocks' answers merge is for others to say.

    A block is a `Bench` of a `Standing`: ``make(segments)`` returns the rows that it holds.
    """

    def __init__(self, segments: ScatteredSegments, make: Callable[..., Held]) -> None:
        self._benches = segments.blocks.map(Bench, partial(_standing, make)).hold()
        self._subset: dict[int, float] = {}
        self._known: dict[Subset, Words] = {}

    def apply(self, columns: Columns, before: Floats, after: Floats, from_nothing: bool) -> None:
        """Note which columns speak now; blocks are told when they are asked."""
        self._subset = _changed({} if from_nothing else self._subset, columns, after)

    def measure_state(self) -> Words:
        """Return the measures of each segment; blocks are not asked again for what a move was said to bring."""
        if self._wanted not in self._known:
            nothing = Moves.of([()])
            self._known = {self._wanted: self._measure(nothing)[0]}
        return self._known[self._wanted]

    def measure_moves(self, columns: Columns, before: Floats, after: Floats, starts: Starts) -> Words:
        """Return the measures of each segment after each move."""
        moves = Moves(columns, before, after, starts)
        words = self._measure(moves)
        if len(moves) <= _MOST_KNOWN:
            ends = [slice(*pair) for pair in pairwise(starts)]
            subsets = [_changed(self._subset, columns[each], after[each]) for each in ends]
            self._known = {tuple(subset.items()): each for subset, each in zip(subsets, words, strict=True)}
        return words

    def snapshot(self) -> Any:
        """Return the columns that speak, in order of entry."""
        return self._wanted

    def restore(self, token: Any) -> None:
        """Let these columns speak."""
        self._subset = dict(token)

    def _measure(self, moves: Moves) -> Words:
        raise NotImplementedError

    def _ask(self, task: Callable[..., Answer], merge: Callable[[Answer, Answer], Answer], *told: Any) -> Answer:
        """Return ``task(rows, *told)``, merged, of the rows when the present columns speak."""
        answer: Answer = self._benches.reduce(_ask, merge, task, self._wanted, *told)
        return answer

    @property
    def _wanted(self) -> Subset:
        return tuple(self._subset.items())


def _changed(subset: dict[int, float], columns: Columns, after: Floats) -> dict[int, float]:
    changed = dict(subset)
    for j, weight in zip(columns.tolist(), after.tolist(), strict=True):
        if weight == 0.0:
            changed.pop(j, None)
        else:
            changed[j] = weight
    return changed


def _standing(make: Callable[..., Held], segments: Sequence[Segment]) -> Standing[Held]:
    return Standing(make(segments))


def _ask(bench: Bench, task: Callable[..., Any], wanted: Subset, *told: Any) -> Any:
    return bench.ask(_at, task, wanted, *told)


def _at(standing: Standing[Any], task: Callable[..., Any], wanted: Subset, *told: Any) -> Any:
    return task(standing.at(wanted), *told)
