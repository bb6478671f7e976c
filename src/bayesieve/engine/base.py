"""The engine protocol: segments in, five verbs.

A subset of columns is a weight vector; columns not mentioned have weight 0. A move is a tuple of weight changes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding import Codes
from bayesieve.models import Tables

__all__ = ["Change", "Engine", "Move", "Segment", "add", "drop"]


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
class Segment:
    """Rows that are scored, with the tables learnt on their fitting rows.

    ``validation=None`` is one segment whose scored rows are its fitting rows; five folds are five segments.
    """

    codes: Codes
    target: NDArray[np.int32]
    weights: NDArray[np.int64]
    tables: Tables
    n_classes: int


class Engine(Protocol):
    """Holds beliefs about all rows of all segments; rows never leave it.

    A subset's score is the mean of its scores on the segments. ``segment_scores`` are those of the present state.
    """

    @property
    def segment_scores(self) -> Sequence[float]:
        """Scores on the segments, as of the last ``reset``, ``apply`` or ``restore``."""
        ...

    def reset(self, weights: Mapping[int, float]) -> float:
        """Believe what this weight vector says; return its score."""
        ...

    def score(self, moves: Sequence[Move]) -> NDArray[np.float64]:
        """Return the score after each move, without making it."""
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
