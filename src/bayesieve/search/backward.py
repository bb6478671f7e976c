# SPDX-License-Identifier: BSD-3-Clause
"""Backward search: drop the column that is missed least while that does no harm."""

from bayesieve.search.search_state import SearchState
from bayesieve.search.space import SearchSpace
from bayesieve.search.stopping import Stopping

__all__ = ["backward", "backward_steps"]


def backward(state: SearchState, stopping: Stopping) -> None:
    """Drop the group of the smallest loss until the stopping rule ends it or nothing is left to drop."""
    state.open_phase("backward")
    while best := state.best_removal(state.size - stopping.smallest):
        if not stopping.allows_removal(best.score - state.score, state.width(best), state.size):
            break
        state.take(best)


def backward_steps(space: SearchSpace, stopping: Stopping) -> int:
    """Return the number of steps to the smallest size (at most, if columns move in groups)."""
    return max(0, min(space.start_size - stopping.smallest, len(space.start) - len(space.locked)))
