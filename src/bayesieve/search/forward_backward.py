# SPDX-License-Identifier: BSD-3-Clause
"""Searches whose phases add and drop in turn; at the end they reach the sizes asked for.

`Alternating` (paper 004's "floating") runs whole forward and backward searches in turn while the result improves.
`fast_forward_backward` (MS(FFWBW) of Boullé, 2007) goes through the columns in random order and adds each that improves
the score by more than its price, then through the selected ones in another order and drops each whose removal costs
less. So a pass scores every column about once, where a forward search scores all of them for each one that it adds.
Several starts make up for the luck of the order.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from bayesieve.search.greedy import backward, forward
from bayesieve.search.search_state import SearchState
from bayesieve.search.space import Stopping

__all__ = ["Alternating", "fast_forward_backward", "n_starts", "reach_sizes"]

_MOST_PASSES = 5


@dataclass(frozen=True)
class Alternating:
    """Each phase starts from the best subset of the one before; then the sizes asked for are reached."""

    first: Callable[[SearchState, Stopping], None]
    second: Callable[[SearchState, Stopping], None]

    def __call__(self, state: SearchState, stopping: Stopping) -> None:
        """Alternate until a phase brings neither a better score nor an equal one with fewer columns."""
        free = Stopping(state.n_locked, state.n_columns, tol=stopping.tol)
        reached: list[tuple[float, int]] = []
        for phase in cycle((self.first, self.second)):
            phase(state, free)
            best = state.best_of_phase(stopping.price)
            state.return_to(best)
            reached.append(best.worth(stopping.price))
            if len(reached) > 1 and reached[-1] <= reached[-2]:
                break
        reach_sizes(state, stopping)


def n_starts(n_columns: int, n_rows: float) -> int:
    """Return log2(K N), rounded up."""
    return max(1, ceil(log2(max(1.0, n_columns * n_rows))))


def fast_forward_backward(state: SearchState, stopping: Stopping) -> None:
    """Go through passes from each start; then the sizes asked for are reached from the best subset."""
    shuffled = state.random_orders()
    for start in range(stopping.n_starts):
        if start > 0:
            state.start_again()
        state.open_phase("fast-forward-backward")
        _pass_by_pass(state, stopping, shuffled)
    state.return_to(state.best_visit(stopping.price))
    reach_sizes(state, stopping)


def _pass_by_pass(state: SearchState, stopping: Stopping, shuffled: Iterator[NDArray[np.intp]]) -> None:
    """Add and drop in passes until one brings nothing, or there were enough."""
    for forth, back in islice(zip(shuffled, shuffled, strict=False), _MOST_PASSES):
        before = state.n_steps
        _go_through(state, stopping, "add", forth)
        _go_through(state, stopping, "drop", back)
        if state.n_steps == before:
            break


def _go_through(state: SearchState, stopping: Stopping, action: str, order: NDArray[np.intp]) -> None:
    """Make each move in this order that gains more than its price at that moment."""
    waiting = order
    while True:
        room = stopping.largest - state.size if action == "add" else state.size
        answer = state.first_that_pays(action, waiting, room, stopping.price)
        if answer is None:
            return
        state.take(answer)
        waiting = waiting[int(np.flatnonzero(waiting == answer.group)[0]) + 1 :]


def reach_sizes(state: SearchState, stopping: Stopping) -> None:
    """Go on, one best move after the other, from a subset that is too small or too large."""
    if state.size < stopping.smallest:
        forward(state, stopping)
    elif state.size > stopping.largest:
        backward(state, stopping)
