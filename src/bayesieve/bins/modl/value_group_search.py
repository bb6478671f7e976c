# SPDX-License-Identifier: BSD-3-Clause
"""The search for the best grouping at one granularity: initial groupings of each size, then local improvement."""

from typing import Final

from bayesieve.bins.modl.code_lengths import TOLERANCE
from bayesieve.bins.modl.value_group_moves import GroupState
from bayesieve.bins.modl.value_group_space import GroupSpace
from bayesieve.bins.modl.value_group_start import Ladder, build_ladder

__all__ = ["search_groups"]

_MAX_FAILURES: Final = 3  # consecutive merges that do not lower the cost
_STEPS_ABOVE: Final = 3  # the best initial grouping is not always the best start


def search_groups(space: GroupSpace) -> GroupState | None:
    """Return the best grouping; None if none is allowed."""
    ladder = build_ladder(space)
    if not ladder.costs:
        return None
    best = _descend(space, ladder)
    # A garbage group makes more groups cheaper to encode, so the search for it begins above the best size.
    for n_groups in range(ladder.best_size() + _STEPS_ABOVE, 1, -1) if space.allows_garbage else ():
        if n_groups in ladder.costs:
            state = GroupState.of(space, ladder.labels(n_groups))
            if state.fill_garbage():
                best, _ = _better(state.improve(), best)
    return best


def _descend(space: GroupSpace, ladder: Ladder) -> GroupState:
    """Improve the best initial grouping, and a larger one, which is merged until three merges in a row fail."""
    best_size = ladder.best_size()
    best = GroupState.of(space, ladder.labels(best_size)).improve()
    first = max(n_groups for n_groups in ladder.costs if n_groups <= best_size + _STEPS_ABOVE)
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
    """Return the state of lower cost, on ties the one of fewer groups, and whether that is the first."""
    change = state.cost() - best.cost()
    if change < -TOLERANCE or (change <= TOLERANCE and state.n_groups < best.n_groups):
        return state.copy(), True
    return best, False
