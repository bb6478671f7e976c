"""Rows of a boosted model: their state, and how they pull."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve.engine.base import Segment
from bayesieve.engine.pull_sums import make_pull_sums
from bayesieve.models import Boosting, Pulled

__all__ = ["BoostedRows"]

Ints = NDArray[np.int64]

_FINEST_PULL: Final = 40  # bits after the point
_WEIGHT_BITS: Final = 40  # of all weights together: beyond, they are rounded
_SUM_BITS: Final = 62  # of all pulls together


class BoostedRows:
    """Some rows of a segment. A pull is an integer, its weight times a multiple of 2^-40 (or less fine)."""

    def __init__(self, segment: Segment, model: Boosting, unit: float, backend: str, n_threads: int) -> None:
        self._segment, self._model, self._booster = segment, model, model.booster
        self._counter = make_pull_sums(segment.codes, backend, n_threads)
        self._positive, self._present = segment.target == 1, segment.weights > 0
        # Rounded so that a weight of k is k copies, and that all sums fit 64 bits.
        shift = max(0, int(segment.weights.sum()).bit_length() - _WEIGHT_BITS)
        half = (1 << shift) >> 1
        self._weights = (segment.weights + half) >> shift
        total = int(self._weights.sum())
        fine = min(_FINEST_PULL, _SUM_BITS - total.bit_length())
        self._scale = float(2**fine)
        self._unit = unit * float(2**shift)
        self.mass = total * self._unit
        self._pulls: Ints | None = None
        self.reset()

    def reset(self) -> None:
        """Let no column have spoken."""
        self.state = self._model.begin(self._segment.tables.start, self._segment.codes.n_rows)

    @property
    def state(self) -> Ints:
        """The state of each row; never changed in place."""
        return self._state

    @state.setter
    def state(self, state: Ints) -> None:
        self._state, self._pulls = state, None

    def add(self, column: int, table: Ints) -> None:
        """Let a column speak."""
        codes = self._segment.codes.column(column)
        self.state = self._model.shift(self._state, column, table, codes, 0.0, 1.0)

    def pulled(self, columns: Ints) -> Pulled:
        """Return how the rows of each code of some columns pull."""
        if self._pulls is None:
            pulls = self._booster.pulls(self._state, self._positive, self._present)
            self._pulls = np.rint(pulls * self._scale).astype(np.int64) * self._weights[:, None]
        back = self._unit / self._scale
        sums, totals = self._counter.sums(columns, self._pulls), self._pulls.sum(axis=0)
        sizes = self._segment.codes.n_parts[columns] + 1
        return Pulled(sums.astype(np.float64) * back, totals.astype(np.float64) * back, self.mass, sizes)
