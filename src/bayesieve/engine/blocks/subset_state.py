"""Blocks of rows, and which columns speak of them: known here, and told to each block when it is asked."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from bayesieve.engine.base import Segment
from bayesieve.engine.blocks.segments import BlockSegments, BlockState, Subset, change_between
from bayesieve.engine.moves import Moves
from bayesieve.engine.scan_and_confirm import Columns, Floats, Rows, Starts, Words

__all__ = ["SubsetBlocks", "SubsetState"]

Held = TypeVar("Held", bound=Rows)
Answer = TypeVar("Answer")


class SubsetState(Generic[Held]):
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


class SubsetBlocks(ABC, Generic[Held]):
    """Which columns speak of all blocks of rows; how the blocks' answers merge is for others to say.

    A block is a `BlockState` of a `SubsetState`: ``make(segments)`` returns the rows that it holds.
    """

    def __init__(self, segments: BlockSegments, make: Callable[..., Held]) -> None:
        self._benches = segments.blocks.map(BlockState, partial(_standing, make)).hold()
        self._subset: dict[int, float] = {}
        self._foreseen: tuple[Subset, Moves, Words] | None = None  # the last moves that were measured
        self._state: Words | None = None

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
            self._state = self._measure(Moves.of([()]))[0]
        return self._state

    def measure_moves(self, columns: Columns, before: Floats, after: Floats, starts: Starts) -> Words:
        """Return the measures of each segment after each move."""
        moves = Moves(columns, before, after, starts)
        words = self._measure(moves)
        self._foreseen = (self._wanted, moves, words)
        return words

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
        alike = np.flatnonzero(moves.widths == len(wanted))
        if wanted:
            alike = alike[moves.columns[moves.starts[alike]] == columns[0]]
        found: Words | None = next((words[i] for i in alike.tolist() if [*map(tuple, moves[i])] == wanted), None)
        return found

    @abstractmethod
    def _measure(self, moves: Moves) -> Words:
        """Return the measures of each segment after each move."""

    def _ask(self, task: Callable[..., Answer], merge: Callable[[Answer, Answer], Answer], *told: Any) -> Answer:
        """Return ``task(rows, *told)``, merged, of the rows when the present columns speak."""
        answer: Answer = self._benches.reduce(BlockState.ask, merge, task, (self._wanted,), *told)
        return answer

    @property
    def _wanted(self) -> Subset:
        return tuple(self._subset.items())


def _standing(make: Callable[..., Held], segments: Sequence[Segment]) -> SubsetState[Held]:
    return SubsetState(make(segments))
