# SPDX-License-Identifier: BSD-3-Clause
"""Search procedures, and how one is run."""

from collections.abc import Callable
from dataclasses import dataclass

from bayesieve.search.criteria import Criterion
from bayesieve.search.path import Guide, SelectionPath
from bayesieve.search.search_state import SearchState
from bayesieve.search.space import SearchSpace
from bayesieve.search.stopping import Stopping

__all__ = ["Search", "run_search"]


@dataclass(frozen=True)
class Search:
    """A search procedure, whether it starts from all columns or from none, and its length if that is fixed.

    A search in random orders also has its number of starts, a function of the numbers of columns and of rows.
    """

    procedure: Callable[[SearchState, Stopping], None]
    starts_full: bool = False
    n_steps: Callable[[SearchSpace, Stopping], int] | None = None
    n_starts: Callable[[int, float], int] | None = None


def run_search(search: Search, state: SearchState, stopping: Stopping, guide: Guide | Criterion) -> SelectionPath:
    """Run a search from a state; return its record."""
    state.run.drive(lambda: search.procedure(state, stopping))
    return state.run.path(guide)
