"""The engine protocol: segments in, five verbs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding import Codes
from bayesieve.criteria import Measure
from bayesieve.data import add_by_class
from bayesieve.engine.moves import Move
from bayesieve.models import Tables

__all__ = ["Engine", "Segment", "segment_arrays"]


@dataclass(frozen=True)
class Segment:
    """Rows that are scored, with the tables learned on their training rows.

    ``cv=0`` is one segment whose scored rows are its training rows; five folds are five segments.
    ``benefits``, of each row or of all, are what actions bring, for a criterion that uses them.
    """

    codes: Codes
    target: NDArray[np.int32]
    weights: NDArray[np.int64]
    tables: Tables
    n_classes: int
    benefits: NDArray[np.float64] | None = None

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.codes.n_columns

    @property
    def mass(self) -> Measure:
        """Weight of each class."""
        return tuple(add_by_class(self.target, self.weights, self.n_classes).tolist())


def segment_arrays(segment: Segment, slopes: Sequence[float]) -> tuple[NDArray[Any], ...]:
    """Return a segment in the order that the compiled core expects."""
    codes, tables = segment.codes, segment.tables
    coded: tuple[NDArray[Any], ...] = (codes.narrow, codes.wide, *codes.sparse.arrays, codes.place)
    learned = (tables.offsets, np.ascontiguousarray(tables.entries), tables.start)
    return (*coded, *learned, segment.target, segment.weights, np.array(slopes, dtype=np.float64))


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
