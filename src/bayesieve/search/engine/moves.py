# SPDX-License-Identifier: BSD-3-Clause
"""Moves, and the verbs of an engine that scores them.

A move changes column weights. A subset of columns is a weight vector; columns not mentioned have weight 0. A move is a
tuple of changes: one to add or drop a column, several for columns that move together, fractions for weighted models.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol, overload

import numpy as np
from numpy.typing import NDArray

__all__ = ["Change", "Columns", "Engine", "Move", "Moves", "Starts", "add", "drop"]

Columns = NDArray[np.int32]
Starts = NDArray[np.int64]


class Change(NamedTuple):
    """One column's weight before and after a move."""

    column: int
    before: float
    after: float


Move = tuple[Change, ...]


def add(columns: Sequence[int]) -> Move:
    """Return the move that adds some columns together."""
    return tuple(Change(column, 0.0, 1.0) for column in columns)


def drop(columns: Sequence[int]) -> Move:
    """Return the move that drops some columns together."""
    return tuple(Change(column, 1.0, 0.0) for column in columns)


@dataclass(frozen=True)
class Moves(Sequence[Move]):
    """A batch of moves as arrays: move i makes the changes ``starts[i]:starts[i + 1]``."""

    columns: NDArray[np.int32]
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, moves: Sequence[Move]) -> "Moves":
        """Return a sequence of moves as arrays."""
        if isinstance(moves, Moves):
            return moves
        changes = np.array([change for move in moves for change in move], dtype=np.float64).reshape(-1, 3)
        columns, before, after = changes.T
        starts = np.concatenate([[0], np.cumsum([len(move) for move in moves])]).astype(np.int64)
        return cls(columns.astype(np.int32), before.copy(), after.copy(), starts)

    @classmethod
    def shift(cls, columns: NDArray[np.int32], starts: NDArray[np.int64], before: float, after: float) -> "Moves":
        """Return moves that all change weights from ``before`` to ``after``."""
        n_changes = len(columns)
        return cls(columns, np.full(n_changes, before), np.full(n_changes, after), starts)

    @property
    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """The four arrays."""
        return self.columns, self.before, self.after, self.starts

    @property
    def widths(self) -> NDArray[np.int64]:
        """Number of changes of each move."""
        return np.diff(self.starts)

    @cached_property
    def are_single(self) -> bool:
        """Whether each move makes one change."""
        return len(self.columns) == len(self) and bool((self.starts[1:] > self.starts[:-1]).all())

    def take(self, which: NDArray[np.intp]) -> "Moves":
        """Return some of the moves."""
        if self.are_single:
            return Moves(self.columns[which], self.before[which], self.after[which], np.arange(len(which) + 1))
        widths = self.widths[which]
        starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        # Position of each change: where its move's begin, plus its place within the move.
        places = np.repeat(self.starts[which] - starts[:-1], widths) + np.arange(starts[-1])
        return Moves(self.columns[places], self.before[places], self.after[places], starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, i: int) -> Move: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[Move]: ...
    def __getitem__(self, i: int | slice) -> Move | Sequence[Move]:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        if not 0 <= i < len(self):
            raise IndexError(i)
        changes = slice(int(self.starts[i]), int(self.starts[i + 1]))
        parts = (self.columns[changes].tolist(), self.before[changes].tolist(), self.after[changes].tolist())
        return tuple(Change(*change) for change in zip(*parts, strict=True))

    def __iter__(self) -> Iterator[Move]:
        return (self[i] for i in range(len(self)))


class Engine(Protocol):
    """Holds the state of all rows of all segments; rows never leave it.

    A subset's score is the mean of its scores on the segments. ``segment_scores`` are those of the present state.
    """

    @property
    def segment_scores(self) -> Sequence[float]:
        """Scores on the segments, as of the last ``reset``, ``apply`` or ``restore``."""
        ...

    def reset(self, weights: Mapping[int, float]) -> float:
        """Set the weights of all columns; return the score."""
        ...

    def score(self, moves: Sequence[Move], *, exact: bool = False) -> NDArray[np.float64]:
        """Return the score after each move, without making it.

        The two best scores, and all that tie with them, are exact. The others may be approximations that are smaller,
        unless ``exact`` is asked for.
        """
        ...

    def apply(self, move: Move) -> float:
        """Make one move; return the score after it."""
        ...

    def snapshot(self) -> Any:
        """Return a token of the present state."""
        ...

    def restore(self, token: Any) -> None:
        """Return exactly to the state of a token."""
        ...
