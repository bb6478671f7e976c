# SPDX-License-Identifier: BSD-3-Clause
"""Optimal groups of the values of a table, over all granularities.

All decisions compare integers, so that the result is the same on every machine. Values are first sorted by frequency,
so that the result does not depend on their order, except where two have equal counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Ints
from bayesieve.bins.modl.cells import PartitionRules
from bayesieve.bins.modl.code_lengths import TOLERANCE
from bayesieve.bins.modl.criterion import BinCosts, GroupShape, Prior
from bayesieve.bins.modl.group_search import in_order_of_appearance, search_groups
from bayesieve.bins.modl.group_state import NO_LIMIT, GroupSpace, GroupState, Limits
from bayesieve.bins.modl.tables import Tables, least_units

__all__ = ["Grouping", "find_groups", "find_groups_numpy", "group_values"]


Labels = NDArray[np.intp]


@dataclass(frozen=True)
class Grouping:
    """Groups of the values of one table.

    Attributes
    ----------
    groups : int32 array of shape (n_values,)
        Group of each value, -1 without weight. Groups are numbered by their first value, except that `other` is last.
    n_groups : int
        Number of groups.
    other : int
        The group for values that are not in the table: the garbage group, otherwise the one that holds the pool of
        rare values; -1 if there is neither.
    n_garbage : int
        Number of values in the garbage group, a pool counting as one; 0 if there is none.
    granularity : int
        Values of less than N / 2^granularity are pooled; 0 if the prior has no granularity, or with one group.
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


def group_values(counts: Ints, unit: float, prior: Prior, fixed_first: bool, limits: Limits) -> Grouping:
    """Group the values of one table: the specification of the compiled search, and its fallback.

    Parameters
    ----------
    counts : int64 array of shape (n_values, n_classes)
        Weight of each value in each class, in units.
    unit : float
        A power of two.
    prior : Prior
        The structure costs.
    fixed_first : bool
        Whether the first value is *missing*, with its own group unless a single group is optimal.
    limits : Limits
        The constraints.
    """
    order, n_fixed = _in_order(counts, fixed_first)
    bin_costs = BinCosts(counts.shape[1], unit, int(counts.sum()))
    table = _Table(counts[order], n_fixed, bin_costs, prior, limits)
    null_cost = table.null_cost(counts.sum(axis=0))
    groups = np.where(counts.any(axis=1), 0, -1).astype(np.int32)
    null = best = Grouping(groups, int(counts.any()), -1, 0, 0, null_cost, null_cost)
    if len(order) == 0 or len(order) + n_fixed < 2 or limits.max_bins < 2 or counts.shape[1] < 2:
        return null
    fixed_cost = int(bin_costs(counts[:n_fixed]).sum())
    for granularity in table.granularities():
        state = search_groups(table.space(granularity))
        if state is None or state.n_groups + n_fixed < 2:
            continue
        state = table.coarsen(state)
        cost = state.cost() + fixed_cost
        if cost < best.cost - TOLERANCE:
            best = _result(state, cost, order, null)
    return best


def _in_order(counts: Ints, fixed_first: bool) -> tuple[Labels, int]:
    """Return the values with weight that are not fixed, the most frequent first, and the number of fixed ones."""
    mass = counts.sum(axis=1)
    n_fixed = int(fixed_first and len(mass) > 0 and mass[0] > 0)
    occurring = np.flatnonzero(mass)[n_fixed:]
    keys = [-counts[occurring, c] for c in reversed(range(counts.shape[1]))]
    return occurring[np.lexsort((*keys, -mass[occurring]))], n_fixed


@dataclass(frozen=True)
class _Table:
    """Values in order of frequency, of which a granularity pools the rare ones."""

    values: Ints
    n_fixed: int
    bin_costs: BinCosts
    prior: Prior
    limits: Limits

    def null_cost(self, totals: Ints) -> int:
        n_values = len(self.values) + self.n_fixed
        if n_values == 0:
            return 0
        structure = self.prior.groups(GroupShape(n_values, 1), float(self.bin_costs.total) * self.bin_costs.unit)
        return self.prior.construction(1) + structure + int(self.bin_costs(totals))

    def n_places(self, granularity: int) -> int:
        """Return the number of values of at least N / 2^g, which a granularity does not pool, plus 1 for the pool."""
        if granularity == 0:
            return len(self.values)
        mass = self.values.sum(axis=1).astype(np.float64)
        n_frequent = int((mass * 2.0**granularity >= float(self.bin_costs.total)).sum())
        return min(n_frequent + 1, len(self.values))

    def space(self, granularity: int) -> GroupSpace:
        first = self.n_places(granularity) - 1
        values = np.concatenate([self.values[:first], self.values[first:].sum(axis=0, keepdims=True)])
        return GroupSpace(values, granularity, self.n_fixed, self.bin_costs, self.prior, self.limits)

    def granularities(self) -> list[int]:
        """Return the granularities to search: each with 1.5 times as many values, and the finest that differs.

        2^g < N, so that values of a single row are always pooled.
        """
        if not self.prior.granular:
            return [0]
        total = float(self.bin_costs.total) * self.bin_costs.unit
        allowed = [g for g in range(1, 63) if 2.0**g < total]
        n_places = [self.n_places(g) + self.n_fixed for g in allowed]
        searched: list[int] = []
        before, n_all = 0, len(self.values) + self.n_fixed
        for g, n in zip(allowed, n_places, strict=True):
            if n == n_places[-1]:
                return [*searched, g]
            if 2 * n >= 3 * before and 3 * n <= 2 * n_all:
                searched.append(g)
                before = n
        return searched

    def coarsen(self, state: GroupState) -> GroupState:
        """Return the same grouping at the granularity of least cost: coarser, while the pool is in one group."""
        labels = self.labels(state)
        for g in range(state.space.granularity - 1, 0, -1):
            n_places = self.n_places(g)
            if (labels[n_places:] != labels[n_places - 1]).any():
                break
            coarser = GroupState.of(self.space(g), labels[:n_places])
            if coarser.cost() <= state.cost():
                state = coarser
        return state

    def labels(self, state: GroupState) -> Labels:
        """Return the group of each value, those in the pool included."""
        return state.labels[np.minimum(np.arange(len(self.values)), len(state.labels) - 1)]


def _result(state: GroupState, cost: int, order: Labels, null: Grouping) -> Grouping:
    """Return the numbered groups, and which one takes new values."""
    space, n_groups = state.space, state.n_groups
    largest = int(state.sizes.max())
    n_garbage = largest if space.encoded(n_groups, largest) < space.encoded(n_groups, 0) else 0
    pooled = len(order) > len(state.labels)
    other = int(state.sizes.argmax()) if n_garbage else int(state.labels[-1]) if pooled else -1
    groups = np.full(len(null.groups), -1, dtype=np.intp)  # a fixed value keeps -1
    groups[order] = state.labels[np.minimum(np.arange(len(order)), len(state.labels) - 1)]
    present = np.flatnonzero(null.groups >= 0)
    # Groups are numbered in order of appearance; the values of ``other`` come last, so that it gets the last number.
    order_of_number = present[np.argsort((groups[present] == other) & (other >= 0), kind="stable")]
    numbered = np.full(len(groups), -1, dtype=np.int32)
    numbered[order_of_number] = in_order_of_appearance(groups[order_of_number])
    n_groups += space.n_fixed
    other = n_groups - 1 if other >= 0 else -1
    return Grouping(numbered, n_groups, other, n_garbage, space.granularity, cost, null.null_cost)


def _limits(rules: PartitionRules, unit: float) -> Limits:
    """Return the limits in units."""
    return Limits(least_units(rules.min_size, unit), NO_LIMIT if rules.max_bins is None else rules.max_bins)


def find_groups(
    tables: Tables, rules: PartitionRules, fixed_first: Sequence[bool] | None = None, n_threads: int = 1
) -> list[Grouping]:
    """Return the best grouping of each table, with the compiled core if it is available.

    Parameters
    ----------
    tables : Tables
        One table per column.
    rules : PartitionRules
        The prior and the constraints.
    fixed_first : sequence of bool, one per table, optional
        Whether the first row is *missing*, with its own group unless a single group is optimal.
    n_threads : int
        Number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesieve.bins.modl.criterion import KhiopsPrior
    >>> counts = np.array([[9, 0], [1, 9], [8, 1], [0, 8], [9, 0], [0, 9]])
    >>> find_groups(Tables.stack([counts]), PartitionRules(KhiopsPrior()))[0].groups
    array([0, 1, 0, 1, 0, 1], dtype=int32)
    """
    if core is None:
        warn_if_missing()
        return find_groups_numpy(tables, rules, fixed_first)
    limits = _limits(rules, tables.unit)
    groups, summaries = core.modl_groups(
        tables.counts,
        tables.offsets,
        tables.unit,
        rules.prior.name,
        rules.prior.n_attributes,
        np.array([False] * len(tables) if fixed_first is None else fixed_first, dtype=np.uint8),
        limits.min_size,
        limits.max_bins,
        n_threads,
    )
    return [
        Grouping(groups[begin:end], *row)
        for begin, end, row in zip(tables.offsets[:-1], tables.offsets[1:], summaries.tolist(), strict=True)
    ]


def find_groups_numpy(
    tables: Tables, rules: PartitionRules, fixed_first: Sequence[bool] | None = None
) -> list[Grouping]:
    """Specification of `find_groups`, and its fallback without the compiled core."""
    tables.check()
    limits = _limits(rules, tables.unit)
    fixed = [False] * len(tables) if fixed_first is None else fixed_first
    return [group_values(tables[t], tables.unit, rules.prior, bool(fixed[t]), limits) for t in range(len(tables))]
