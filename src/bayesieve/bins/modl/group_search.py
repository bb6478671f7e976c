# SPDX-License-Identifier: BSD-3-Clause
"""The search for the best grouping at one granularity: initial groupings of each size, then local improvement.

With two classes, groups are intervals of the proportion of a class, and the best intervals are found by dynamic
programming. With more classes, the two groups whose merge costs least are merged repeatedly. Values of one class only
belong together [Boullé 2005, theorem 2] and are one item from the start.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins.modl.code_lengths import TOLERANCE
from bayesieve.bins.modl.group_state import NEVER, GroupSpace, GroupState, sum_by_label

__all__ = ["Ladder", "build_ladder", "in_order_of_appearance", "search_groups"]


Labels = NDArray[np.intp]

_MAX_ITEMS: Final = 128  # a finer start is slower, and the moves that follow do not need it
_PATIENCE: Final = 8  # how many more groups than twice the best number are tried
_FAVOR: Final = 2**60  # puts a merge before all others


@dataclass(frozen=True)
class Ladder:
    """The best initial grouping for each number of groups.

    Attributes
    ----------
    costs : dict
        Cost of the allowed groupings, without fixed values, by number of groups in increasing order.
    labels : callable
        Returns the group of each value, given a number of groups.
    """

    costs: dict[int, int]
    labels: Callable[[int], Labels]

    def best_size(self) -> int:
        """Return the number of groups of least cost, the smallest on ties."""
        best = next(iter(self.costs))
        for n_groups, cost in self.costs.items():
            if cost < self.costs[best] - TOLERANCE:
                best = n_groups
        return best


def build_ladder(space: GroupSpace) -> Ladder:
    """Return the initial groupings of a space; there are none if no grouping is allowed."""
    members = merge_pure(space.values)
    items = sum_by_label(members, space.values)
    sizes = np.bincount(members)
    build = _by_proportion if items.shape[1] == 2 else _by_merging
    ladder = build(space, items, sizes)
    return Ladder(ladder.costs, lambda n_groups: ladder.labels(n_groups)[members])


def merge_pure(values: Ints) -> Labels:
    """Return the item of each value: all values of one class only are one item, each other value is its own."""
    pure = (values > 0).sum(axis=1) == 1
    return in_order_of_appearance(np.where(pure, -1 - values.argmax(axis=1), np.arange(len(values))))


def in_order_of_appearance(labels: Labels) -> Labels:
    """Return labels renumbered from 0 in order of appearance."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def _by_proportion(space: GroupSpace, items: Ints, sizes: Ints) -> Ladder:
    """Two classes: F(k, t) = min over u of F(k-1, u) + bin(u..t), in the order of the second class's share."""
    order, block = _blocks(items)
    counts = np.concatenate([[[0, 0]], np.cumsum(sum_by_label(block, items[order]), axis=0)])
    places = np.concatenate([[0], np.cumsum(sum_by_label(block, sizes[order]))])
    interval_costs = _interval_costs(space, counts)
    n = len(interval_costs) - 1
    back: list[Labels] = []
    costs: dict[int, int] = {}
    best_cost, best_size = NEVER, 0
    costs_to = interval_costs[0]
    for k in range(1, min(n, space.max_groups) + 1):
        if k > 1:
            reached = np.minimum(costs_to[:, None] + interval_costs, NEVER)
            back.append(reached.argmin(axis=0))
            costs_to = reached[back[-1], np.arange(n + 1)]
        if costs_to[n] < NEVER:
            largest = int(np.diff(places[_cuts(back, k, n)]).max())
            costs[k] = int(costs_to[n]) + space.structure(k, largest)
            if costs[k] < best_cost - TOLERANCE:
                best_cost, best_size = costs[k], k
        if k > 2 * best_size + _PATIENCE:
            break

    def labels(n_groups: int) -> Labels:
        groups = np.empty(len(items), dtype=np.intp)
        groups[order] = np.searchsorted(_cuts(back, n_groups, n)[1:], block, side="right")
        return groups

    return Ladder(costs, labels)


def _blocks(items: Ints) -> tuple[Labels, Labels]:
    """Return the order of the items, and the block of each in that order: single items, or about equal weights."""
    mass = items.sum(axis=1)
    order = np.argsort(items[:, 1].astype(np.float64) / mass.astype(np.float64), kind="stable")
    if len(items) <= _MAX_ITEMS:
        return order, np.arange(len(items))
    before = np.cumsum(mass[order]) - mass[order]
    return order, in_order_of_appearance(before // (int(mass.sum()) // _MAX_ITEMS + 1))


def _interval_costs(space: GroupSpace, counts: Ints) -> Ints:
    """Return the cost of the group from u to t, given cumulative counts; `NEVER` if it is too small or empty."""
    within = counts[None, :] - counts[:, None]
    real = np.arange(len(counts))[:, None] < np.arange(len(counts))
    within[~real] = 0
    return np.where(real & ~space.too_small(within), space.bin_costs(within), NEVER)


def _cuts(back: list[Labels], n_groups: int, n: int) -> Labels:
    """Trace the cuts back from n."""
    cuts = [n]
    for step in reversed(back[: n_groups - 1]):
        cuts.append(int(step[cuts[-1]]))
    return np.array([0, *reversed(cuts)])


def _by_merging(space: GroupSpace, items: Ints, sizes: Ints) -> Ladder:
    """More classes: merge the two groups whose merge adds least to the cost, down to one group."""
    start = _join_nearest(space, items)
    groups, n_in = sum_by_label(start, items), sum_by_label(start, sizes)
    n = len(groups)
    group_costs = space.bin_costs(groups)
    total = int(group_costs.sum())
    live, small = np.ones(n, dtype=bool), space.too_small(groups)
    added = np.full((n, n), NEVER)
    i, j = np.triu_indices(n, 1)
    added[i, j] = space.bin_costs(groups[i] + groups[j]) - group_costs[i] - group_costs[j]
    costs: dict[int, int] = {}
    merges: list[tuple[int, int]] = []
    for k in range(n, 0, -1):
        if k <= space.max_groups and not small.any():
            costs[k] = total + space.structure(k, int(n_in[live].max()))
        if k == 1:
            break
        # Groups that are too small come first.
        urgent = (small[:, None] | small) & (added < NEVER)
        a, b = divmod(int(np.where(urgent, added - _FAVOR, added).argmin()), n)
        merges.append((a, b))
        total += int(added[a, b])
        groups[a] += groups[b]
        n_in[a] += n_in[b]
        group_costs[a] = space.bin_costs(groups[a])
        live[b] = small[b] = False
        small[a] = space.too_small(groups[a])
        added[b, :] = added[:, b] = NEVER
        others = np.flatnonzero(live & (np.arange(n) != a))
        added[np.minimum(others, a), np.maximum(others, a)] = (
            space.bin_costs(groups[others] + groups[a]) - group_costs[others] - group_costs[a]
        )

    def labels(n_groups: int) -> Labels:
        root = np.arange(n)
        for a, b in merges[: n - n_groups]:
            root[root == b] = a
        return in_order_of_appearance(root[start])

    return Ladder(dict(sorted(costs.items())), labels)


def _join_nearest(space: GroupSpace, items: Ints) -> Labels:
    """Assign each item after the first `_MAX_ITEMS` to the one of these with which it costs least."""
    start = np.arange(len(items))
    groups = items[:_MAX_ITEMS].copy()
    group_costs = space.bin_costs(groups)
    for item in range(_MAX_ITEMS, len(items)):
        joined = space.bin_costs(groups + items[item])
        nearest = int((joined - group_costs).argmin())
        start[item] = nearest
        groups[nearest] += items[item]
        group_costs[nearest] = joined[nearest]
    return start


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
