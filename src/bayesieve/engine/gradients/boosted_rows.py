"""Rows of a boosted model: their state, and how they pull."""

from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve.engine.base import Segment
from bayesieve.engine.gradients.histogram import make_gradient_histogram
from bayesieve.models import Boosting, GradientSums

__all__ = ["BoostedBlock", "BoostedRows", "GradientScale", "MemoryBoostedRows"]

Ints = NDArray[np.int64]

_FINEST_PULL: Final = 40  # bits after the point
_WEIGHT_BITS: Final = 40  # of all weights together: beyond, they are rounded
_SUM_BITS: Final = 62  # of all pulls together


class BoostedRows(Protocol):
    """Some rows of a segment, in this process or elsewhere."""

    @property
    def state(self) -> Any:
        """What columns have said; never changed in place."""
        ...

    @state.setter
    def state(self, state: Any) -> None: ...

    def reset(self) -> None:
        """Let no column have spoken."""
        ...

    def add(self, column: int, table: Ints) -> None:
        """Let a column speak."""
        ...

    def pulled(self, columns: Ints) -> GradientSums:
        """Return how the rows of each code of some columns pull."""
        ...


@dataclass(frozen=True)
class GradientScale:
    """A pull is an integer, its row's weight times a multiple of 2^-40 (or less fine), so that all sums fit 64 bits.

    ``total`` is the weight of all rows, rounded, and ``shift`` how many bits rounding took from each weight.
    """

    shift: int
    total: int
    unit: float

    @staticmethod
    def shift_of(weight: int) -> int:
        """Return how many bits are taken from weights, given that of all rows: few, so that k is k copies."""
        return max(0, weight.bit_length() - _WEIGHT_BITS)

    @property
    def fineness(self) -> float:
        """How many steps a pull of 1 has."""
        return float(2 ** min(_FINEST_PULL, _SUM_BITS - self.total.bit_length()))

    def pulled(self, sums: Ints, totals: Ints, sizes: Ints) -> GradientSums:
        """Return sums of all rows in units of one row."""
        unit = self.unit * float(2**self.shift)
        back = unit / self.fineness
        return GradientSums(sums.astype(np.float64) * back, totals.astype(np.float64) * back, self.total * unit, sizes)


class BoostedBlock:
    """The rows that are in one place."""

    def __init__(self, segment: Segment, model: Boosting, shift: int, backend: str, n_threads: int) -> None:
        self._segment, self._model, self._booster = segment, model, model.booster
        self._counter = make_gradient_histogram(segment.codes, backend, n_threads)
        self._positive, self._present = segment.target == 1, segment.weights > 0
        self._weights = (segment.weights + ((1 << shift) >> 1)) >> shift
        self.total = int(self._weights.sum())
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
        self._state, self._pulls, self._top = state, None, None

    def add(self, column: int, table: Ints) -> None:
        """Let a column speak."""
        codes = self._segment.codes.column(column)
        self.state = self._model.shift(self._state, column, table, codes, 0.0, 1.0)

    def top(self) -> int:
        """Return what pulls are relative to, as far as these rows know."""
        if self._top is None:
            self._top = self._booster.top(self._state[self._present], self._positive[self._present])
        return self._top

    def sums(self, columns: Ints, top: int, fineness: float) -> tuple[Ints, Ints]:
        """Return the sums of pulls by code of some columns, and over all rows."""
        if self._pulls is None:
            pulls = self._booster.pulls(self._state, self._positive, top)
            self._pulls = np.rint(pulls * fineness).astype(np.int64) * self._weights[:, None]
        return self._counter.sums(columns, self._pulls), self._pulls.sum(axis=0)

    _state: Ints
    _pulls: Ints | None
    _top: int | None


class MemoryBoostedRows(BoostedBlock):
    """All rows in this process."""

    def __init__(self, segment: Segment, model: Boosting, unit: float, backend: str, n_threads: int) -> None:
        shift = GradientScale.shift_of(int(segment.weights.sum()))
        super().__init__(segment, model, shift, backend, n_threads)
        self._scale = GradientScale(shift, self.total, unit)

    def pulled(self, columns: Ints) -> GradientSums:
        """Return how the rows of each code of some columns pull."""
        sums, totals = self.sums(columns, self.top(), self._scale.fineness)
        return self._scale.pulled(sums, totals, self._segment.codes.n_bins[columns] + 1)
