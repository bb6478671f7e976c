# SPDX-License-Identifier: BSD-3-Clause
"""Rows that hold a state and return gradient histograms, in this process or in blocks elsewhere.

The state is kept here and sent with every question; a block goes from the state that it has to this one. Sums of
integers over blocks add up to what one process computes, to the last bit.
"""

from collections.abc import Callable
from functools import partial
from operator import add
from typing import Any, TypeVar

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.search.engine.block_state import BlockState
from bayesieve.search.engine.gradients.losses import Loss
from bayesieve.search.engine.gradients.row_gradients import (
    Columns,
    Contribution,
    RowGradients,
    RowState,
    make_row_gradients,
    move_rows,
)
from bayesieve.search.engine.scorer import Words, add_words
from bayesieve.search.engine.segments import Segments

__all__ = ["BlockGradients"]

Answer = TypeVar("Answer")


class BlockGradients:
    """All rows of some segments. Sums are asked for once per state, so that a move needs no further question."""

    def __init__(self, segments: Segments, loss: Loss, backend: str = "auto", n_threads: int = 1) -> None:
        make = partial(make_row_gradients, loss, backend, n_threads)
        self._blocks = segments.blocks.map(BlockState, make, move_rows).hold()
        self._is_relative = loss.is_relative
        self._sizes: Ints = np.sum([np.diff(tables.offsets) for tables in segments.tables], axis=0)
        self.state = RowState(segments.tables[0].start, {})

    @property
    def state(self) -> RowState:
        """The start and the contributions of all columns; never changed in place."""
        return self._state

    @state.setter
    def state(self, state: RowState) -> None:
        self._state = state
        self._top: int | None = None if self._is_relative else 0
        self._begins = np.full(len(self._sizes), -1, dtype=np.int64)
        self._sums: list[Ints] = []
        self._n_codes = 0
        self._first: Ints | None = None

    def change(self, column: int, contribution: Contribution) -> None:
        """Make a move: a column contributes something else."""
        self.state = self._state.changed(column, contribution)

    def sizes(self, columns: Columns) -> Ints:
        """Return the number of codes of some columns, in all segments together."""
        sizes: Ints = self._sizes[columns]
        return sizes

    def has(self, column: int) -> bool:
        """Return whether the gradients of a column are here already."""
        return bool(self._begins[column] >= 0)

    def gradients(self, columns: Columns) -> Ints:
        """Return the sums of first and second derivatives of the loss, per code of each column, segment and channel.

        The shape is (n_codes, n_channels, 2); the codes of one segment follow those of another, then come those of the
        next column.
        """
        is_new = self._begins[columns] < 0
        if is_new.all() and len(columns):
            return self._fetch(columns)
        if is_new.any():
            self._fetch(columns[is_new])
        if len(self._sums) > 1:
            self._sums = [np.concatenate(self._sums)]
        sizes = self._sizes[columns]
        ends = np.cumsum(sizes)
        places = np.repeat(self._begins[columns] - (ends - sizes), sizes) + np.arange(sizes.sum())
        gathered: Ints = self._sums[0][places]
        return gathered

    def totals(self) -> Ints:
        """Return the sums over all rows, shape (n_channels, 2): those of the codes of any column together."""
        if self._first is not None:
            totals: Ints = self._first.sum(axis=0)
            return totals
        of_rows: Ints = self.ask(_totals, add, self._common_top())
        return of_rows

    def products(self, columns: Columns, factors: Floats) -> Ints:
        """Return minus the second derivatives in the start and in the weights of columns; see `RowGradients`."""
        of_rows: Ints = self.ask(_products, add, columns, factors)
        return of_rows

    def losses(self) -> Words:
        """Return -log of the true class's probability, summed per segment and class, in multiples of 2^-40."""
        return self.ask(_losses, add_words)

    def ask(
        self,
        task: Callable[..., Answer],
        merge: Callable[[Answer, Answer], Answer],
        *args: Any,
        state: RowState | None = None,
    ) -> Answer:
        """Return ``task(rows, *args)`` in the present state, or another one, merged over blocks."""
        there = self._state if state is None else state
        answer: Answer = self._blocks.reduce(BlockState.ask, merge, task, there, *args)
        return answer

    def _fetch(self, columns: Columns) -> Ints:
        sums: Ints = self.ask(_sums, add, columns, self._common_top())
        sizes = self._sizes[columns]
        self._begins[columns] = self._n_codes + np.cumsum(sizes) - sizes
        self._n_codes += len(sums)
        self._sums.append(sums)
        if self._first is None:
            self._first = sums[: int(sizes[0])]
        return sums

    def _common_top(self) -> int:
        if self._top is None:
            self._top = self.ask(_top, max)
        return self._top


def _top(rows: RowGradients) -> int:
    return rows.top()


def _sums(rows: RowGradients, columns: Columns, top: int) -> Ints:
    return rows.sums(columns, top)


def _totals(rows: RowGradients, top: int) -> Ints:
    return rows.totals(top)


def _products(rows: RowGradients, columns: Columns, factors: Floats) -> Ints:
    return rows.products(columns, factors)


def _losses(rows: RowGradients) -> Words:
    return rows.losses()
