# SPDX-License-Identifier: BSD-3-Clause
"""Forward search: add the best column while the score improves."""

from bayesieve.search.search_state import SearchState
from bayesieve.search.space import SearchSpace
from bayesieve.search.stopping import Stopping

__all__ = ["forward", "forward_steps"]


def forward(state: SearchState, stopping: Stopping) -> None:
    """Add the best group until the stopping rule ends it or nothing is left."""
    state.open_phase("forward")
    while best := state.best_addition(stopping.largest - state.size):
        if not stopping.allows_addition(best.score - state.score, state.width(best), state.size):
            break
        state.take(best)


def forward_steps(space: SearchSpace, stopping: Stopping) -> int:
    """Return the number of steps to the largest size (at most, if columns move in groups)."""
    return max(0, min(stopping.largest - space.start_size, len(space.groups) - len(space.start)))
