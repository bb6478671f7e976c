"""Rows of a boosted model in blocks: what is known here is the steps that were taken."""

from collections.abc import Sequence
from functools import partial
from operator import add

import numpy as np
from numpy.typing import NDArray

from bayesieve.engine.base import Segment
from bayesieve.engine.blocks.segments import BlockSegments, BlockState
from bayesieve.engine.gradients.boosted_rows import BoostedBlock, BoostedRows, GradientScale, MemoryBoostedRows
from bayesieve.models import Boosting, GradientSums

__all__ = ["BlockBoostedRows", "make_boosted_rows"]

Ints = NDArray[np.int64]
Taken = tuple[tuple[int, Ints], ...]  # steps: a column, and what each of its codes added


class BlockBoostedRows:
    """One segment's rows in blocks. Sums are asked for once a state, so that a step taken asks for nothing more."""

    def __init__(self, segments: BlockSegments, model: Boosting, unit: float, backend: str, n_threads: int) -> None:
        if len(segments) != 1:
            raise ValueError(f"Boosting takes one segment at a time, and was given {len(segments)}.")
        shift = GradientScale.shift_of(sum(segments.masses[0]))
        self._benches = segments.blocks.map(BlockState, partial(_make_block, model, shift, backend, n_threads)).hold()
        self._scale = GradientScale(shift, self._benches.reduce(BlockState.ask, add, _total, ((),)), unit)
        self._sizes = np.diff(segments.tables[0].offsets)
        self.state = ()

    def reset(self) -> None:
        """Let no column have spoken."""
        self.state = ()

    @property
    def state(self) -> Taken:
        """The steps that were taken."""
        return self._taken

    @state.setter
    def state(self, state: Taken) -> None:
        self._taken: Taken = state
        self._top: int | None = None
        self._sums: dict[int, Ints] = {}
        self._totals = np.zeros(2, dtype=np.int64)

    def add(self, column: int, table: Ints) -> None:
        """Let a column speak."""
        self.state = (*self._taken, (column, table))

    def pulled(self, columns: Ints) -> GradientSums:
        """Return how the rows of each code of some columns pull."""
        new = np.array([j for j in columns.tolist() if j not in self._sums], dtype=np.int64)
        if len(new) or self._top is None:
            if self._top is None:
                self._top = self._benches.reduce(BlockState.ask, max, _top, (self._taken,))
            told = (new, self._top, self._scale.fineness)
            sums, self._totals = self._benches.reduce(BlockState.ask, _add_pairs, _sums, (self._taken,), *told)
            ends = np.cumsum(self._sizes[new])
            self._sums |= dict(zip(new.tolist(), np.split(sums, ends[:-1]), strict=False))
        found = [self._sums[j] for j in columns.tolist()]
        sums = np.concatenate(found) if found else np.empty((0, 2), dtype=np.int64)
        return self._scale.pulled(sums, self._totals, self._sizes[columns])


class _Block:
    """Rows, and the steps that were taken."""

    def __init__(self, rows: BoostedBlock) -> None:
        self._rows = rows
        self._taken: Taken | None = ()

    def at(self, wanted: Taken) -> BoostedBlock:
        """Return the rows after exactly these steps."""
        begin = 0 if self._taken is None else len(self._taken)
        if self._taken is None or not _same(self._taken, wanted[:begin]):
            self._rows.reset()
            begin = 0
        self._taken = None  # unknown, if this is interrupted
        for column, table in wanted[begin:]:
            self._rows.add(column, table)
        self._taken = wanted
        return self._rows


def make_boosted_rows(
    segment: Segment | BlockSegments, model: Boosting, unit: float, backend: str, n_threads: int
) -> BoostedRows:
    """Return rows where they are."""
    if isinstance(segment, BlockSegments):
        return BlockBoostedRows(segment, model, unit, backend, n_threads)
    return MemoryBoostedRows(segment, model, unit, backend, n_threads)


def _make_block(model: Boosting, shift: int, backend: str, n_threads: int, segments: Sequence[Segment]) -> _Block:
    return _Block(BoostedBlock(segments[0], model, shift, backend, n_threads))


def _total(rows: BoostedBlock) -> int:
    return rows.total


def _top(rows: BoostedBlock) -> int:
    return rows.top()


def _sums(rows: BoostedBlock, columns: Ints, top: int, fineness: float) -> tuple[Ints, Ints]:
    return rows.sums(columns, top, fineness)


def _add_pairs(a: tuple[Ints, Ints], b: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    return a[0] + b[0], a[1] + b[1]


def _same(a: Taken, b: Taken) -> bool:
    """Tell whether steps are the same; usually they are the same objects."""
    return len(a) == len(b) and all(
        own[0] == other[0] and (own[1] is other[1] or np.array_equal(own[1], other[1]))
        for own, other in zip(a, b, strict=True)
    )
