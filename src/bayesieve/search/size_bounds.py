# SPDX-License-Identifier: BSD-3-Clause
"""How a search that ended at any size reaches the sizes asked for."""

from bayesieve.search.backward import backward
from bayesieve.search.forward import forward
from bayesieve.search.search_state import SearchState
from bayesieve.search.stopping import Stopping

__all__ = ["reach_sizes"]


def reach_sizes(state: SearchState, stopping: Stopping) -> None:
    """Go on, one best move after the other, from a subset that is too small or too large."""
    if state.size < stopping.smallest:
        forward(state, stopping)
    elif state.size > stopping.largest:
        backward(state, stopping)
