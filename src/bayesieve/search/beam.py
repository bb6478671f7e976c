# SPDX-License-Identifier: BSD-3-Clause
"""Beam search: several subsets of a size are extended; a good one need not contain the best smaller one.

With a width of 1 it is the forward search. Each extension of each subset is scored, which costs about as many scores as
``beam_width`` forward searches.
"""

from typing import NamedTuple

from bayesieve.search.answers import BestMove
from bayesieve.search.search_state import SearchState
from bayesieve.search.space import Stopping

__all__ = ["beam"]


class _Subset(NamedTuple):
    """Groups in the order in which they entered, their number of columns, and their score."""

    groups: tuple[int, ...]
    size: int
    score: float


class _Extension(NamedTuple):
    """A subset, and the addition that leads to it."""

    parent: _Subset
    answer: BestMove
    subset: _Subset


def beam(state: SearchState, stopping: Stopping) -> None:
    """Extend the best subsets by one group each until the best of them gains too little or nothing is left."""
    state.open_phase("beam")
    subsets = [_present(state)]
    while extensions := _best_extensions(state, stopping, subsets):
        before = subsets[0]
        best = extensions[0].subset
        if not stopping.allows_addition(best.score - before.score, best.size - before.size, before.size):
            break
        subsets = [_extend(state, extension) for extension in extensions]


def _present(state: SearchState) -> _Subset:
    return _Subset(tuple(state.selected), state.size, state.score)


def _best_extensions(state: SearchState, stopping: Stopping, subsets: list[_Subset]) -> list[_Extension]:
    """Return the best extensions, best first; of equals the first one of the best subset, and each subset once."""
    extensions: dict[frozenset[int], _Extension] = {}
    for parent in subsets:
        _go_to(state, parent)
        for answer in state.additions(stopping.largest - parent.size):
            assert answer.group is not None
            groups = (*parent.groups, answer.group)
            subset = _Subset(groups, parent.size + state.width(answer), answer.score)
            extensions.setdefault(frozenset(groups), _Extension(parent, answer, subset))
    ranked = sorted(extensions.values(), key=lambda each: stopping.price * each.subset.size - each.subset.score)
    return ranked[: stopping.beam_width]


def _extend(state: SearchState, extension: _Extension) -> _Subset:
    """Make an addition; a subset that the last one does not lead to begins a phase."""
    if _go_to(state, extension.parent):
        state.open_phase("beam")
    state.take(extension.answer)
    return _present(state)


def _go_to(state: SearchState, subset: _Subset) -> bool:
    """Go to a subset, if that is not the present one; return whether it was another."""
    if tuple(state.selected) == subset.groups:
        return False
    state.go_to(subset.groups)
    return True
