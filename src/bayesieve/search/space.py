# SPDX-License-Identifier: BSD-3-Clause
"""What a search may visit: groups of columns, the moves between subsets, and the sizes and price at which it stops."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayesieve.search.engine import Move, Moves, add, drop

__all__ = ["FeatureGroup", "SearchSpace", "Stopping"]


@dataclass(frozen=True)
class FeatureGroup:
    """Columns that move together; most groups have one."""

    name: str
    columns: tuple[int, ...]


@dataclass(frozen=True)
class SearchSpace:
    """Groups in tie order, the names of their columns, where the search starts, and what must stay.

    ``seed`` decides the orders of searches that go in random ones. ``content_order`` has the columns in an order that
    does not depend on their places in the table; where it is not given, it is that of the table.
    """

    groups: tuple[FeatureGroup, ...]
    names: tuple[str, ...]
    start: tuple[int, ...]
    locked: frozenset[int] = frozenset()
    seed: int = 0
    content_order: tuple[int, ...] | None = None

    @cached_property
    def columns_by_content(self) -> NDArray[np.intp]:
        """The columns in the order of their content."""
        order = range(len(self.names)) if self.content_order is None else self.content_order
        return np.array(order, dtype=np.intp)

    @cached_property
    def groups_by_content(self) -> NDArray[np.intp]:
        """The groups in the order of the first of their columns."""
        place = np.argsort(self.columns_by_content)
        if self.content_order is None:
            return np.arange(len(self.groups))
        return np.argsort([min(place[j] for j in group.columns) for group in self.groups], kind="stable")

    @cached_property
    def widths(self) -> NDArray[np.int64]:
        """Number of columns of each group."""
        return np.array([len(group.columns) for group in self.groups], dtype=np.int64)

    @property
    def start_size(self) -> int:
        """Number of columns at the start."""
        return int(self.widths[list(self.start)].sum())

    def move(self, action: str, group: int) -> Move:
        """Return the move of one group."""
        columns = self.groups[group].columns
        return add(columns) if action == "add" else drop(columns)

    def moves(self, action: str, groups: NDArray[np.intp]) -> Moves:
        """Return the moves of some groups as one batch."""
        return self._all_moves[action].take(groups)

    @cached_property
    def _all_moves(self) -> dict[str, Moves]:
        """The moves of every group."""
        columns = np.array([column for group in self.groups for column in group.columns], dtype=np.int32)
        starts = np.concatenate([[0], np.cumsum(self.widths)]).astype(np.int64)
        return {"add": Moves.shift(columns, starts, 0.0, 1.0), "drop": Moves.shift(columns, starts, 1.0, 0.0)}


@dataclass(frozen=True)
class Stopping:
    """The sizes asked for, and the price of a column.

    Attributes
    ----------
    smallest, largest : int
        The sizes of which the result has one.
    forced : bool
        Whether the search goes through all these sizes whatever the scores.
    tol : float or None
        The price of a column: an addition must raise the score by more than ``tol`` per column, a removal may lower it
        by at most ``tol`` per column. None: go on to the end and choose afterwards, at price 0.
    n_starts : int
        How often a search that goes in random orders starts again.
    beam_width : int
        The number of subsets of each size that a beam search extends.
    """

    smallest: int
    largest: int
    forced: bool = False
    tol: float | None = 0.0
    n_starts: int = 1
    beam_width: int = 5

    @property
    def price(self) -> float:
        """The gain that a column must have."""
        return self.tol or 0.0

    def allows_addition(self, gain: float, n_columns: int, size: int) -> bool:
        """Return whether an addition to a subset of this size goes ahead."""
        return self.forced or size < self.smallest or self.tol is None or gain > self.tol * n_columns

    def allows_removal(self, gain: float, n_columns: int, size: int) -> bool:
        """Return whether a removal from a subset of this size goes ahead."""
        return self.forced or size > self.largest or self.tol is None or gain >= -self.tol * n_columns
