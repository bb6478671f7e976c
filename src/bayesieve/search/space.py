# SPDX-License-Identifier: BSD-3-Clause
"""The search space: groups of columns, and the moves between subsets."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayesieve.search.engine import Move, Moves, add, drop

__all__ = ["FeatureGroup", "SearchSpace"]


@dataclass(frozen=True)
class FeatureGroup:
    """Columns that move together; most groups have one."""

    name: str
    columns: tuple[int, ...]


@dataclass(frozen=True)
class SearchSpace:
    """Groups in tie order, the names of their columns, where the search starts, and what must stay.

    ``seed`` decides the orders of searches that go in random ones.
    """

    groups: tuple[FeatureGroup, ...]
    names: tuple[str, ...]
    start: tuple[int, ...]
    locked: frozenset[int] = frozenset()
    seed: int = 0

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
