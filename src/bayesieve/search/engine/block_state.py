# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of rows and their state: kept here, and sent to each block with a question."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np

from bayesieve._typing import Floats
from bayesieve.search.engine.moves import Columns, Moves, Starts
from bayesieve.search.engine.scan_and_confirm import RowScores
from bayesieve.search.engine.scorer import Words
from bayesieve.search.engine.segments import Segment, Segments

__all__ = ["BlockState", "Subset", "SubsetBlocks", "change_between", "move_subset"]

Held = TypeVar("Held", bound=RowScores)
Answer = TypeVar("Answer")


Subset = tuple[tuple[int, float], ...]  # columns and their weights, in order of entry


class BlockState:
    """The rows of one block where they are worked on, and the state that they are in.

    The rows are made once by ``make(segments)`` and kept, but never sent: where a block state arrives, they are made
    again. ``move(rows, present, state)`` takes them from one state (None: unknown) to another. So tasks stay functions
    of block and state, whatever was asked before.
    """

    def __init__(
        self,
        segments: Sequence[Segment],
        make: Callable[[Sequence[Segment]], Any],
        move: Callable[[Any, Any, Any], None],
    ) -> None:
        self._segments = segments
        self._make = make
        self._move = move
        self._lock = Lock()
        self._rows: Any = None
        self._state: Any = None

    def __reduce__(self) -> Any:
        return BlockState, (self._segments, self._make, self._move)

    def ask(self, task: Callable[..., Any], state: Any, *args: Any) -> Any:
        """Return ``task(rows, *args)`` of the rows in a state; one at a time."""
        with self._lock:
            if self._rows is None:
                self._rows = self._make(self._segments)
            present = self._state
            self._state = None  # unknown, if this is interrupted
            self._move(self._rows, present, state)
            self._state = state
            return task(self._rows, *args)


def change_between(present: Mapping[int, float] | None, state: Subset) -> tuple[list[tuple[int, float, float]], bool]:
    """Return the changes from one ordered subset to another, and whether they start from nothing.

    Columns leave, others enter at the end. What cannot be reached in this way, an order of entry for instance, is
    made from nothing; so is everything where the present subset is unknown.
    """
    fresh = [(j, 0.0, weight) for j, weight in state]
    if present is None:
        return fresh, True
    goal = dict(state)
    leaving = [(j, weight, 0.0) for j, weight in present.items() if j not in goal]
    shifted = [(j, present[j], weight) for j, weight in state if j in present and present[j] != weight]
    entering = [(j, 0.0, weight) for j, weight in state if j not in present]
    order = [j for j in present if j in goal] + [j for j, _, _ in entering]
    if order == list(goal) and len(leaving) <= len(goal):
        return [*leaving, *shifted, *entering], False
    return fresh, True


def move_subset(rows: RowScores, present: Subset | None, state: Subset) -> None:
    """Take rows from one subset (None: unknown) to another."""
    changes, from_nothing = change_between(None if present is None else dict(present), state)
    if changes or from_nothing:
        columns, before, after = np.array(changes, dtype=np.float64).reshape(-1, 3).T.copy()
        rows.apply(columns.astype(np.int32), before, after, from_nothing)


class SubsetBlocks(ABC, Generic[Held]):
    """The columns that are selected, for all blocks of rows; how the blocks' answers merge is up to subclasses.

    A block is a `BlockState`: ``make(segments)`` returns the rows that it holds.
    """

    def __init__(self, segments: Segments, make: Callable[..., Held]) -> None:
        self._blocks = segments.blocks.map(BlockState, make, move_subset).hold()
        self._subset: dict[int, float] = {}
        self._foreseen: tuple[Subset, Moves, Words] | None = None  # the last moves that were measured
        self._state: Words | None = None

    def apply(self, columns: Columns, before: Floats, after: Floats, from_nothing: bool) -> None:
        """Note which columns are selected now; blocks learn of it with the next question."""
        self._state = None if from_nothing else self._expected(columns, before, after)
        if from_nothing:
            self._subset = {}
        for j, weight in zip(columns.tolist(), after.tolist(), strict=True):
            if weight == 0.0:
                self._subset.pop(j, None)
            else:
                self._subset[j] = weight

    def measure_state(self) -> Words:
        """Return the measures of each segment; those of a move that was measured before it was made are here."""
        if self._state is None:
            self._state = self._measure(Moves.of([()]))[0]
        return self._state

    def measure_moves(self, columns: Columns, before: Floats, after: Floats, starts: Starts) -> Words:
        """Return the measures of each segment after each move."""
        moves = Moves(columns, before, after, starts)
        words = self._measure(moves)
        self._foreseen = (self._present, moves, words)
        return words

    def snapshot(self) -> Any:
        """Return the selected columns, in order of entry."""
        return self._present

    def restore(self, token: Any) -> None:
        """Select these columns."""
        self._subset = dict(token)
        self._state = None

    def _expected(self, columns: Columns, before: Floats, after: Floats) -> Words | None:
        """Return the measures after a move, if it was among the last that were measured."""
        if self._foreseen is None or self._foreseen[0] != self._present:
            return None
        _, moves, words = self._foreseen
        changes = list(zip(columns.tolist(), before.tolist(), after.tolist(), strict=True))
        alike = np.flatnonzero(moves.widths == len(changes))
        if changes:
            alike = alike[moves.columns[moves.starts[alike]] == columns[0]]
        return next((words[i] for i in alike.tolist() if [*map(tuple, moves[i])] == changes), None)

    @abstractmethod
    def _measure(self, moves: Moves) -> Words:
        """Return the measures of each segment after each move."""

    def _ask(self, task: Callable[..., Answer], merge: Callable[[Answer, Answer], Answer], *args: Any) -> Answer:
        """Return ``task(rows, *args)``, merged, of the rows when the present columns are selected."""
        answer: Answer = self._blocks.reduce(BlockState.ask, merge, task, self._present, *args)
        return answer

    @property
    def _present(self) -> Subset:
        return tuple(self._subset.items())
