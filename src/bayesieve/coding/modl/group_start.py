"""Where the search for a grouping starts: a ladder of groupings, one for each number of groups.

Two classes have an order: in the best grouping, groups are taken to be intervals of the proportion of a class, and the
best intervals are found by dynamic programming. With more classes, the two groups whose merge costs least are merged,
again and again. Values of one class only belong together [Boullé 2005, theorem 2] and are one item from the start.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding.modl.factorial import TOLERANCE
from bayesieve.coding.modl.group_space import NEVER, GroupSpace, sum_by_label

__all__ = ["Ladder", "build_ladder", "in_order_of_appearance"]

Ints = NDArray[np.int64]
Labels = NDArray[np.intp]

_MOST_ITEMS: Final = 128  # a finer start costs more than the moves that follow need
_PATIENCE: Final = 8  # numbers of groups to try beyond twice the best
_FAVOR: Final = 2**60  # puts a merge before all others


@dataclass(frozen=True)
class Ladder:
    """The best known grouping for each number of groups.

    Attributes
    ----------
    costs : dict
        Number of groups, from the smallest, and the cost of the grouping without fixed values; allowed groupings only.
    labels : callable
        Number of groups to the group of each value.
    """

    costs: dict[int, int]
    labels: Callable[[int], Labels]

    def choose(self) -> int:
        """Return the number of groups of least cost; of equal ones the smallest."""
        chosen = next(iter(self.costs))
        for n_groups, cost in self.costs.items():
            if cost < self.costs[chosen] - TOLERANCE:
                chosen = n_groups
        return chosen


def build_ladder(space: GroupSpace) -> Ladder:
    """Return the ladder of a space; without steps if no grouping is allowed."""
    members = merge_pure(space.values)
    items = sum_by_label(members, space.values)
    sizes = np.bincount(members)
    build = _by_proportion if items.shape[1] == 2 else _by_merging
    ladder = build(space, items, sizes)
    return Ladder(ladder.costs, lambda n_groups: ladder.labels(n_groups)[members])


def merge_pure(values: Ints) -> Labels:
    """Return the item of each value: one item for all values of one class only, one for each other value."""
    pure = (values > 0).sum(axis=1) == 1
    return in_order_of_appearance(np.where(pure, -1 - values.argmax(axis=1), np.arange(len(values))))


def in_order_of_appearance(labels: Labels) -> Labels:
    """Return labels numbered anew, from 0, as they appear."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def _by_proportion(space: GroupSpace, items: Ints, sizes: Ints) -> Ladder:
    """Two classes: F(k, t) = min over u of F(k-1, u) + part(u..t), in the order of the second class's share."""
    order, block = _blocks(items)
    counts = np.concatenate([[[0, 0]], np.cumsum(sum_by_label(block, items[order]), axis=0)])
    places = np.concatenate([[0], np.cumsum(sum_by_label(block, sizes[order]))])
    parts = _interval_parts(space, counts)
    n = len(parts) - 1
    back: list[Labels] = []
    costs: dict[int, int] = {}
    best_cost, best_size = NEVER, 0
    costs_to = parts[0]
    for k in range(1, min(n, space.max_groups) + 1):
        if k > 1:
            reached = np.minimum(costs_to[:, None] + parts, NEVER)
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
        found = np.empty(len(items), dtype=np.intp)
        found[order] = np.searchsorted(_cuts(back, n_groups, n)[1:], block, side="right")
        return found

    return Ladder(costs, labels)


def _blocks(items: Ints) -> tuple[Labels, Labels]:
    """Return the order of the items, and the block of each in that order: its own, or blocks of about one weight."""
    mass = items.sum(axis=1)
    order = np.argsort(items[:, 1].astype(np.float64) / mass.astype(np.float64), kind="stable")
    if len(items) <= _MOST_ITEMS:
        return order, np.arange(len(items))
    before = np.cumsum(mass[order]) - mass[order]
    return order, in_order_of_appearance(before // (int(mass.sum()) // _MOST_ITEMS + 1))


def _interval_parts(space: GroupSpace, counts: Ints) -> Ints:
    """Return the cost of the part from u to t, given cumulative counts; `NEVER` if it is too small or nothing."""
    within = counts[None, :] - counts[:, None]
    real = np.arange(len(counts))[:, None] < np.arange(len(counts))
    within[~real] = 0
    return np.where(real & ~space.too_small(within), space.bin_costs(within), NEVER)


def _cuts(back: list[Labels], n_groups: int, n: int) -> Labels:
    """Follow the ways back from n."""
    cuts = [n]
    for step in reversed(back[: n_groups - 1]):
        cuts.append(int(step[cuts[-1]]))
    return np.array([0, *reversed(cuts)])


def _by_merging(space: GroupSpace, items: Ints, sizes: Ints) -> Ladder:
    """More classes: merge the two groups whose merge adds least to the parts' cost, down to one group."""
    start = _join_nearest(space, items)
    groups, n_in = sum_by_label(start, items), sum_by_label(start, sizes)
    n = len(groups)
    parts = space.bin_costs(groups)
    total = int(parts.sum())
    live, small = np.ones(n, dtype=bool), space.too_small(groups)
    added = np.full((n, n), NEVER)
    i, j = np.triu_indices(n, 1)
    added[i, j] = space.bin_costs(groups[i] + groups[j]) - parts[i] - parts[j]
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
        parts[a] = space.bin_costs(groups[a])
        live[b] = small[b] = False
        small[a] = space.too_small(groups[a])
        added[b, :] = added[:, b] = NEVER
        others = np.flatnonzero(live & (np.arange(n) != a))
        added[np.minimum(others, a), np.maximum(others, a)] = (
            space.bin_costs(groups[others] + groups[a]) - parts[others] - parts[a]
        )

    def labels(n_groups: int) -> Labels:
        root = np.arange(n)
        for a, b in merges[: n - n_groups]:
            root[root == b] = a
        return in_order_of_appearance(root[start])

    return Ladder(dict(sorted(costs.items())), labels)


def _join_nearest(space: GroupSpace, items: Ints) -> Labels:
    """Let all but the first items join the one of these with which they cost least."""
    start = np.arange(len(items))
    groups = items[:_MOST_ITEMS].copy()
    parts = space.bin_costs(groups)
    for item in range(_MOST_ITEMS, len(items)):
        joined = space.bin_costs(groups + items[item])
        nearest = int((joined - parts).argmin())
        start[item] = nearest
        groups[nearest] += items[item]
        parts[nearest] = joined[nearest]
    return start
