# SPDX-License-Identifier: BSD-3-Clause
"""Fast forward-backward selection, started many times (MS(FFWBW) of Boullé, 2007).

A pass goes through the columns in random order and adds each that improves the score by more than its price, then
through the selected ones in another order and drops each whose removal costs less. So a pass scores every column about
once, where a forward search scores all of them for each one that it adds. Several starts make up for the luck of the
order.
"""

from collections.abc import Iterator
from itertools import islice
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from bayesieve.search.random_orders import random_orders
from bayesieve.search.search_state import SearchState
from bayesieve.search.size_bounds import reach_sizes
from bayesieve.search.stopping import Stopping

__all__ = ["fast_forward_backward", "n_starts"]

_MOST_PASSES = 5


def n_starts(n_columns: int, n_rows: float) -> int:
    """Return log2(K N), rounded up."""
    return max(1, ceil(log2(max(1.0, n_columns * n_rows))))


def fast_forward_backward(state: SearchState, stopping: Stopping) -> None:
    """Go through passes from each start; then the sizes asked for are reached from the best subset."""
    shuffled = random_orders(state.n_groups, state.seed)
    for start in range(stopping.n_starts):
        if start > 0:
            state.start_again()
        state.open_phase("fast-forward-backward")
        while_it_pays(state, stopping, shuffled)
    state.return_to(state.best_visit(stopping.price))
    reach_sizes(state, stopping)


def while_it_pays(state: SearchState, stopping: Stopping, shuffled: Iterator[NDArray[np.intp]]) -> None:
    """Add and drop in passes until one brings nothing, or there were enough."""
    for forth, back in islice(zip(shuffled, shuffled, strict=False), _MOST_PASSES):
        before = state.n_steps
        go_through(state, stopping, "add", forth)
        go_through(state, stopping, "drop", back)
        if state.n_steps == before:
            break


def go_through(state: SearchState, stopping: Stopping, action: str, order: NDArray[np.intp]) -> None:
    """Make each move in this order that gains more than its price at that moment."""
    waiting = order
    while True:
        room = stopping.largest - state.size if action == "add" else state.size
        answer = state.first_that_pays(action, waiting, room, stopping.price)
        if answer is None:
            return
        state.take(answer)
        waiting = waiting[int(np.flatnonzero(waiting == answer.group)[0]) + 1 :]
