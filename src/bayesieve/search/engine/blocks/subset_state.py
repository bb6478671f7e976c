# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of rows, and the selected columns: kept here, and sent to each block with a question."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from bayesieve._typing import Floats
from bayesieve.search.engine.base import Segments, Words
from bayesieve.search.engine.blocks.block_segments import BlockState, Subset, change_between
from bayesieve.search.engine.moves import Moves
from bayesieve.search.engine.scan_and_confirm import Columns, Rows, Starts

__all__ = ["SubsetBlocks", "move_subset"]

Held = TypeVar("Held", bound=Rows)
Answer = TypeVar("Answer")


def move_subset(rows: Rows, present: Subset | None, state: Subset) -> None:
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
        self._subset, self._state = dict(token), None

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
