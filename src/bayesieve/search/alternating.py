# SPDX-License-Identifier: BSD-3-Clause
"""Alternating search (paper 004's "floating"): forward and backward phases in turn while the result improves."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle

from bayesieve.search.search_state import SearchState
from bayesieve.search.size_bounds import reach_sizes
from bayesieve.search.stopping import Stopping

__all__ = ["Alternating"]


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
