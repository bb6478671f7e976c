"""Optimal groups of values: the MODL search for each table, and its result.

For each granularity: a ladder of groupings, from which the best step is improved, and those below it. Everything is
decided by integers, so that the result depends on no machine; values are first ordered by frequency, so that it
depends on no order of the values except where two have equal counts.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding.modl.factorial import TOLERANCE
from bayesieve.coding.modl.group_moves import GroupState
from bayesieve.coding.modl.group_space import GroupSpace, Limits, PartCosts, sum_by_label
from bayesieve.coding.modl.group_start import build_ladder, in_order_of_appearance
from bayesieve.coding.modl.prior import GroupShape, Prior

__all__ = ["Grouping", "group_values_numpy"]

Ints = NDArray[np.int64]
Labels = NDArray[np.intp]

_MAX_FAILURES: Final = 3  # merges in a row that do not pay


@dataclass(frozen=True)
class Grouping:
    """Groups of the values of one table.

    Attributes
    ----------
    groups : int32 array of shape (n_values,)
        Group of each value, -1 without weight. Groups are numbered by their first value, except that `other` is last.
    n_groups : int
    other : int
        The group for values that are not in the table: the garbage group, or else the one that holds the pool of rare
        values; -1 if there is neither.
    n_garbage : int
        Values in the garbage group, a pool counting for one; 0 if there is none.
    granularity : int
        Values of less than N / 2^granularity are one pool; 0 if there is no such choice or only one group.
    cost, null_cost : int
        Cost of the grouping and of one group, in multiples of 2^-28 nats.
    """

    groups: NDArray[np.int32]
    n_groups: int
    other: int
    n_garbage: int
    granularity: int
    cost: int
    null_cost: int


def group_values_numpy(counts: Ints, unit: float, prior: Prior, fixed_first: bool, limits: Limits) -> Grouping:
    """Group the values of one table: the specification of the compiled search, and its fallback.

    Parameters
    ----------
    counts : int64 array of shape (n_values, n_classes)
        Weight of each value in each class, in units.
    unit : float
        A power of two.
    prior : Prior
    fixed_first : bool
        Whether the first value is the missing one, a group of its own unless everything is one group.
    limits : Limits
    """
    total = int(counts.sum())
    parts = PartCosts(counts.shape[1], unit, total)
    order, n_fixed = _in_order(counts, fixed_first)
    null_cost = _null_cost(counts, parts, prior, len(order) + n_fixed)
    groups = np.where(counts.any(axis=1), 0, -1).astype(np.int32)
    best = Grouping(groups, int(total > 0), -1, 0, 0, null_cost, null_cost)
    if len(order) + n_fixed < 2 or len(order) == 0 or limits.max_parts < 2 or counts.shape[1] < 2:
        return best
    fixed_cost = int(parts(counts[:n_fixed]).sum())
    mass = counts[order].sum(axis=1)
    for granularity in _granularities(mass, float(total) * unit, unit, n_fixed) if prior.granular else [0]:
        pool = _pool(mass, float(total) * unit, unit, granularity)
        space = GroupSpace(sum_by_label(pool, counts[order]), granularity, n_fixed, parts, prior, limits)
        state = _search(space)
        if state is None or state.n_groups + n_fixed < 2:
            continue
        cost = state.cost() + fixed_cost
        if cost < best.cost - TOLERANCE:
            best = _result(state, cost, order, pool, best)
    return best


def _in_order(counts: Ints, fixed_first: bool) -> tuple[Labels, int]:
    """Return the values with weight that are not fixed, the most frequent first, and the number of fixed ones."""
    mass = counts.sum(axis=1)
    n_fixed = int(fixed_first and len(mass) > 0 and mass[0] > 0)
    occurring = np.flatnonzero(mass)[n_fixed:]
    keys = [counts[occurring, c] for c in reversed(range(counts.shape[1]))]
    return occurring[np.lexsort((occurring, *(-key for key in keys), -mass[occurring]))], n_fixed


def _null_cost(counts: Ints, parts: PartCosts, prior: Prior, n_values: int) -> int:
    total = float(parts.total) * parts.unit
    if n_values == 0:
        return 0
    structure = prior.construction(1) + prior.groups(GroupShape(n_values, 1), total)
    return structure + int(parts(counts.sum(axis=0)))


def _granularities(mass: Ints, total: float, unit: float, n_fixed: int) -> list[int]:
    """Return the granularities worth a search: the parts are half as many again, and the values as many again.

    The last is the first that keeps all values apart, or else the finest with 2^g < N, which pools single rows.
    """
    worth, before, g = [], 0, 1
    while 2.0**g < total:
        n_parts = int(_pool(mass, total, unit, g).max()) + 1 + n_fixed
        last = n_parts == len(mass) + n_fixed or 2.0 ** (g + 1) >= total
        if last or (2 * n_parts >= 3 * before and 3 * n_parts <= 2 * (len(mass) + n_fixed)):
            worth.append(g)
            before = n_parts
        if last:
            break
        g += 1
    return worth


def _pool(mass: Ints, total: float, unit: float, granularity: int) -> Labels:
    """Return the place of each value, given in order of frequency: those below N / 2^g share the last."""
    places = np.arange(len(mass))
    if granularity == 0:
        return places
    frequent = mass.astype(np.float64) * unit * 2.0**granularity >= total
    return np.where(frequent, places, int(frequent.sum()))


def _search(space: GroupSpace) -> GroupState | None:
    """Return the best grouping found; None if none is allowed."""
    ladder = build_ladder(space)
    if not ladder.costs:
        return None
    chosen = ladder.choose()
    best = GroupState.of(space, ladder.labels(chosen))
    start = chosen + 1 if chosen + 1 in ladder.costs else chosen
    state = GroupState.of(space, ladder.labels(start)).improve()
    best, _ = _better(state, best)
    failures = 0
    while failures < _MAX_FAILURES and state.n_groups > 1:
        _, a, b = state.best_merge()
        state.merge(a, b)
        best, is_better = _better(state.improve(), best)
        failures = 0 if is_better else failures + 1
    is_better = True
    while is_better:
        state = best.copy()
        is_better = state.fill_garbage()
        if is_better:
            best, is_better = _better(state.improve(), best)
    return best


def _better(state: GroupState, best: GroupState) -> tuple[GroupState, bool]:
    """Return the state of less cost, of equal ones the one of fewer groups, and whether that is the first."""
    change = state.cost() - best.cost()
    if change < -TOLERANCE or (change <= TOLERANCE and state.n_groups < best.n_groups):
        return state.copy(), True
    return best, False


def _result(state: GroupState, cost: int, order: Labels, pool: Labels, null: Grouping) -> Grouping:
    """Return the groups numbered, and which one takes new values."""
    space = state.space
    largest = int(state.sizes.argmax())
    garbage = space.stated(state.n_groups, int(state.sizes.max())) < space.stated(state.n_groups, 0)
    pooled = len(pool) > len(space.values)
    other = largest if garbage else int(state.labels[-1]) if pooled else -1
    groups = np.where(null.groups >= 0, -2, -1).astype(np.intp)
    groups[order] = state.labels[pool]
    # Labels of values without weight, fixed values, and groups in the order of their first values.
    seen = groups != -1
    appeared = np.full(len(groups), -1, dtype=np.int32)
    appeared[seen] = in_order_of_appearance(groups[seen])
    n_groups = state.n_groups + space.n_fixed
    if other >= 0:
        at = int(appeared[order[state.labels[pool] == other][0]])
        appeared = np.where(appeared == at, n_groups - 1, appeared - (appeared > at)).astype(np.int32)
        other = n_groups - 1
    n_garbage = int(state.sizes.max()) if garbage else 0
    return Grouping(appeared, n_groups, other, n_garbage, space.granularity, cost, null.null_cost)
