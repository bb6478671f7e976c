# SPDX-License-Identifier: BSD-3-Clause
"""Sequential floating forward selection (Pudil, Novovicova and Kittler, 1994).

After each addition, columns are dropped for as long as that gives the best subset of its size seen so far.

The search ends, but nothing bounds its length by a small power of the number of columns: beyond the best size, each
addition can set off a long way back, each step of which betters a size by a hair. Through all sizes (``tol=None``), the
number of steps grows about as the square of the number of redundant columns: of random parts of paper 004's indicators,
94 steps of 60 columns, 670 of 120, 2,100 of 200. A price, or a largest size, ends the search before that part.
"""

from math import inf

from bayesieve.search.search_state import SearchState
from bayesieve.search.stopping import Stopping

__all__ = ["floating"]


def floating(state: SearchState, stopping: Stopping) -> None:
    """Add the best group, then drop while a smaller subset beats all earlier ones of its size."""
    state.open_phase("floating")
    best_of_size = {state.size: state.score}
    while addition := state.best_addition(stopping.largest - state.size):
        if not stopping.allows_addition(addition.score - state.score, state.width(addition), state.size):
            break
        state.take(addition)
        best_of_size[state.size] = max(state.score, best_of_size.get(state.size, -inf))
        # Each drop raises the best score of a size, of which there are finitely many: the loop ends.
        while removal := state.best_removal(state.size - state.n_locked):
            if removal.score <= best_of_size.get(state.size - state.width(removal), -inf):
                break
            state.take(removal)
            best_of_size[state.size] = state.score
