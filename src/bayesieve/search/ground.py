"""Where a search may go."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayesieve.engine import Move, Moves, add, drop

__all__ = ["Ground", "Unit"]


@dataclass(frozen=True)
class Unit:
    """Columns that move together; most units have one."""

    name: str
    columns: tuple[int, ...]


@dataclass(frozen=True)
class Ground:
    """Units in tie order, where the search starts, what must stay, and why other columns are barred."""

    units: tuple[Unit, ...]
    names: tuple[str, ...]
    start: tuple[int, ...]
    locked: frozenset[int] = frozenset()
    barred: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def widths(self) -> NDArray[np.int64]:
        """Number of columns of each unit."""
        return np.array([len(unit.columns) for unit in self.units], dtype=np.int64)

    @cached_property
    def _columns(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """All columns in unit order, and where each unit's begin."""
        flat = [column for unit in self.units for column in unit.columns]
        return np.array(flat, dtype=np.int32), np.concatenate([[0], np.cumsum(self.widths)]).astype(np.int64)

    @property
    def start_size(self) -> int:
        """Number of columns at the start."""
        return int(self.widths[list(self.start)].sum())

    def move(self, action: str, unit: int) -> Move:
        """Return the move of one unit."""
        columns = self.units[unit].columns
        return add(columns) if action == "add" else drop(columns)

    def moves(self, action: str, units: NDArray[np.intp]) -> Moves:
        """Return the moves of some units as one batch."""
        before, after = (0.0, 1.0) if action == "add" else (1.0, 0.0)
        columns, begins = self._columns
        widths = self.widths[units]
        starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        # Position of each change: the unit's first column plus the place within the unit.
        places = np.repeat(begins[units] - starts[:-1], widths) + np.arange(starts[-1])
        return Moves.shift(columns[places], starts, before, after)
