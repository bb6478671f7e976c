"""The search for the best grouping at one granularity: a ladder to start from, then moves, merges and garbage."""

from typing import Final

from bayesieve.coding.modl.factorial import TOLERANCE
from bayesieve.coding.modl.group_moves import GroupState
from bayesieve.coding.modl.group_space import GroupSpace
from bayesieve.coding.modl.group_start import Ladder, build_ladder

__all__ = ["search_groups"]

_MAX_FAILURES: Final = 3  # merges in a row that do not pay
_STEPS_ABOVE: Final = 3  # the ladder's best step is not always where the best way down begins


def search_groups(space: GroupSpace) -> GroupState | None:
    """Return the best grouping found; None if none is allowed."""
    ladder = build_ladder(space)
    if not ladder.costs:
        return None
    best = _descend(space, ladder)
    # A garbage group makes further groups cheaper to state, so the search for it begins above the best step.
    for n_groups in range(ladder.choose() + _STEPS_ABOVE, 1, -1) if space.allows_garbage else ():
        if n_groups in ladder.costs:
            state = GroupState.of(space, ladder.labels(n_groups))
            if state.fill_garbage():
                best, _ = _better(state.improve(), best)
    return best


def _descend(space: GroupSpace, ladder: Ladder) -> GroupState:
    """Improve the best step, and one above it, from which merges lead down until three in a row have failed."""
    chosen = ladder.choose()
    best = GroupState.of(space, ladder.labels(chosen)).improve()
    first = max(n_groups for n_groups in ladder.costs if n_groups <= chosen + _STEPS_ABOVE)
    state = GroupState.of(space, ladder.labels(first)).improve()
    best, _ = _better(state, best)
    failures = 0
    while failures < _MAX_FAILURES and state.n_groups > 1:
        _, a, b = state.best_merge()
        state.merge(a, b)
        best, is_better = _better(state.improve(), best)
        failures = 0 if is_better else failures + 1
    return best


def _better(state: GroupState, best: GroupState) -> tuple[GroupState, bool]:
    """Return the state of less cost, of equal ones the one of fewer groups, and whether that is the first."""
    change = state.cost() - best.cost()
    if change < -TOLERANCE or (change <= TOLERANCE and state.n_groups < best.n_groups):
        return state.copy(), True
    return best, False
