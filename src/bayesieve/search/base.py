"""How a search is run: to its end, to Ctrl-C, or to the end of its time."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

from bayesieve.exceptions import CheckpointError, InterruptedSearchWarning
from bayesieve.search.path import Guide, SelectionPath
from bayesieve.search.space import SearchSpace
from bayesieve.search.state import SearchState, StopSearch
from bayesieve.search.stopping import Stopping

__all__ = ["Search", "run_search"]


@dataclass(frozen=True)
class Search:
    """A search procedure, whether it starts from all columns or from none, and its length where that is known.

    A search that goes in random orders tells how often it starts anew, from the number of columns and of rows.
    """

    procedure: Callable[[SearchState, Stopping], None]
    starts_full: bool = False
    n_steps: Callable[[SearchSpace, Stopping], int] | None = None
    n_starts: Callable[[int, float], int] | None = None


def run_search(search: Search, state: SearchState, stopping: Stopping, guide: Guide) -> SelectionPath:
    """Run a search; Ctrl-C and the end of its time keep what was found, and so does, in the checkpoint, any error."""
    complete = False
    try:
        search.procedure(state, stopping)
        complete = True
    except StopSearch:
        pass
    except KeyboardInterrupt:
        if not state.has_begun:
            raise
        warnings.warn(
            "The search was interrupted; the best subset so far was kept. A second Ctrl-C stops at once.",
            InterruptedSearchWarning,
            stacklevel=2,
        )
    except CheckpointError:
        raise
    except Exception:  # rows that were lost, for instance
        state.save()
        raise
    state.save()
    return state.path(guide, complete=complete)
