# SPDX-License-Identifier: BSD-3-Clause
"""A grouping of the values of a table at one granularity: its cost, and its improvement by small changes.

Single values move, groups are merged, and a garbage group is filled. A value v that moves from group s to group t
changes the cost by

    bin(s - v) - bin(s) + bin(t + v) - bin(t) + structure(after) - structure(before),

where bin is the cost of a group and the last two terms depend on s and t only. A new group is a target like the others,
with counts and cost 0.
"""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins.modl.code_lengths import TOLERANCE
from bayesieve.bins.modl.criterion import BinCosts, GroupShape, Prior

__all__ = ["NEVER", "NO_LIMIT", "GroupSpace", "GroupState", "Limits", "sum_by_label"]


Labels = NDArray[np.intp]

NO_LIMIT: Final = 2**31 - 1
NEVER: Final = 2**61  # the cost of groupings that are not allowed; the sum of two still fits 64 bits


@dataclass(frozen=True)
class Limits:
    """Constraints of a grouping.

    Attributes
    ----------
    min_size : int
        The minimum weight of a group, in units; a group of missing values only is exempt.
    max_bins : int
        The maximum number of groups.
    """

    min_size: int = 0
    max_bins: int = NO_LIMIT


@dataclass(frozen=True)
class GroupSpace:
    """Values to be grouped, and the criterion.

    Attributes
    ----------
    values : int64 array of shape (n_values, n_classes)
        Weight of each value, in units; the most frequent first, a pool of rare values last.
    granularity : int
        0 if the prior has none.
    n_fixed : int
        1 if missing values have their own group; they are not among ``values``, but a value and a group to the prior.
    """

    values: Ints
    granularity: int
    n_fixed: int
    bin_costs: BinCosts
    prior: Prior
    limits: Limits
    _structure_costs: dict[tuple[int, int], int] = field(default_factory=dict)

    @property
    def n_values(self) -> int:
        """Number of values to the prior."""
        return len(self.values) + self.n_fixed

    @property
    def max_groups(self) -> int:
        """The maximum number of groups of the values that are not fixed."""
        return min(len(self.values), self.limits.max_bins - self.n_fixed)

    @property
    def allows_garbage(self) -> bool:
        """Whether the prior has groupings with a garbage group."""
        return self.prior.granular and self.n_values > 7

    def structure(self, n_groups: int, largest: int) -> int:
        """Return the structure cost of a grouping, with the largest group as garbage group if that is cheaper.

        No smaller group is a better garbage group: the more values it holds, the fewer have to be encoded.
        """
        return min(self.encoded(n_groups, 0), self.encoded(n_groups, largest))

    def encoded(self, n_groups: int, n_garbage: int) -> int:
        """Return the structure cost with or without a garbage group; `NEVER` if the prior has no such grouping."""
        if n_garbage and not (self.allows_garbage and n_groups + self.n_fixed > 2):
            return NEVER
        key = n_groups, n_garbage
        if key not in self._structure_costs:
            shape = GroupShape(self.n_values, n_groups + self.n_fixed, n_garbage, self.granularity)
            total = float(self.bin_costs.total) * self.bin_costs.unit
            self._structure_costs[key] = self.prior.construction(shape.n_groups) + self.prior.groups(shape, total)
        return self._structure_costs[key]

    def too_small(self, counts: Ints) -> NDArray[np.bool_]:
        """Return which groups have too little weight; counts have shape (..., n_classes)."""
        small: NDArray[np.bool_] = counts.sum(axis=-1) < self.limits.min_size
        return small


def sum_by_label(labels: Labels, rows: Ints) -> Ints:
    """Add up the rows of each label."""
    sums = np.zeros((int(labels.max()) + 1, *rows.shape[1:]), dtype=np.int64)
    np.add.at(sums, labels, rows)
    return sums


_MAX_ROUNDS: Final = 100  # each round lowers the cost and few are needed; this only bounds the time


@dataclass
class GroupState:
    """A grouping with the sums that moves need; during a round some groups may be empty."""

    space: GroupSpace
    labels: Labels
    counts: Ints
    sizes: Ints
    group_costs: Ints

    @classmethod
    def of(cls, space: GroupSpace, labels: Labels) -> "GroupState":
        """Return the state of a grouping, given the group of each value."""
        counts = sum_by_label(labels, space.values)
        return cls(space, labels.copy(), counts, np.bincount(labels), space.bin_costs(counts))

    @property
    def n_groups(self) -> int:
        """Number of groups with values."""
        return int((self.sizes > 0).sum())

    def copy(self) -> "GroupState":
        """Return an independent copy."""
        return GroupState(
            self.space, self.labels.copy(), self.counts.copy(), self.sizes.copy(), self.group_costs.copy()
        )

    def cost(self) -> int:
        """Return the cost without fixed values."""
        return int(self.group_costs.sum()) + self.space.structure(self.n_groups, int(self.sizes.max()))

    def improve(self) -> "GroupState":
        """Move single values and merge groups while that lowers the cost; a merge may also keep it equal."""
        for _ in range(_MAX_ROUNDS):
            self._move_values()
            if len(self.sizes) < 2:
                break
            change, a, b = self.best_merge()
            if change > TOLERANCE:
                break
            self.merge(a, b)
        return self

    def best_merge(self) -> tuple[int, int, int]:
        """Return the smallest change of cost by a merge of two groups, and the two; the first on ties."""
        a, b = np.triu_indices(len(self.sizes), 1)
        k, largest = len(self.sizes), int(self.sizes.max())
        change = self.space.bin_costs(self.counts[a] + self.counts[b]) - self.group_costs[a] - self.group_costs[b]
        merged = np.maximum(self.sizes[a] + self.sizes[b], largest)
        change += [self.space.structure(k - 1, size) for size in merged.tolist()]
        best = int(change.argmin())
        return int(change[best]) - self.space.structure(k, largest), int(a[best]), int(b[best])

    def merge(self, a: int, b: int) -> None:
        """Merge group b into group a."""
        self.labels[self.labels == b] = a
        self.counts[a] += self.counts[b]
        self.sizes[a] += self.sizes[b]
        self.group_costs[a] = self.space.bin_costs(self.counts[a])
        self.sizes[b] = 0
        self._drop_empty()

    def fill_garbage(self) -> bool:
        """Move those values to one group whose separate changes add up to the largest estimated gain.

        A garbage group lowers the cost only if it is large, so single moves do not lead to it. Returns whether a gain
        was estimated: the actual cost is not checked, and the changes do not add up exactly.
        """
        before = self.cost()
        leaving = self.space.bin_costs(self.counts[self.labels] - self.space.values) - self.group_costs[self.labels]
        best_cost, target, moved = before, -1, np.empty(0, dtype=np.intp)
        for t in range(len(self.sizes) + 1):
            outside = np.flatnonzero(self.labels != t)
            size, counts, target_cost = self._target(t)
            changes = leaving[outside] + self.space.bin_costs(counts + self.space.values[outside]) - target_cost
            order = np.argsort(changes, kind="stable")
            sums = int(self.group_costs.sum()) + np.cumsum(changes[order])
            n_groups = len(self.sizes) + (size == 0)
            n_moved = 1
            while n_moved <= len(outside) and len(self.labels) - size - n_moved >= n_groups - 1:
                cost = int(sums[n_moved - 1]) + self.space.encoded(n_groups, size + n_moved)
                if n_groups <= self.space.max_groups and cost < best_cost:
                    best_cost, target, moved = cost, t, outside[order[:n_moved]]
                n_moved += max(1, n_moved // 8)
        for v in moved.tolist():
            self._move(v, target)
        self._drop_empty()
        return target >= 0 and not bool(self.space.too_small(self.counts).any())

    def _target(self, t: int) -> tuple[int, Ints, int]:
        if t < len(self.sizes):
            return int(self.sizes[t]), self.counts[t], int(self.group_costs[t])
        return 0, np.zeros(self.counts.shape[1], dtype=np.int64), 0

    def _move_values(self) -> None:
        """Move values, in order of decreasing gain, until no move lowers the cost."""
        all_values = np.arange(len(self.labels))
        for _ in range(_MAX_ROUNDS):
            gains = self._changes(all_values).min(axis=1)
            promising = np.flatnonzero(gains < -TOLERANCE)
            if not len(promising):
                return
            for v in promising[np.argsort(gains[promising], kind="stable")].tolist():
                changes = self._changes(np.array([v]))[0]
                target = int(changes.argmin())
                if changes[target] < -TOLERANCE:
                    self._move(v, target)
            self._drop_empty()

    def _changes(self, members: Labels) -> Ints:
        """Return the change of cost per move of a value, shape (len(members), groups + 1); `NEVER` if not allowed."""
        space, values = self.space, self.space.values[members]
        source = self.labels[members]
        new_group = np.zeros((1, self.counts.shape[1]), dtype=np.int64)
        after = np.concatenate([self.counts, new_group]) + values[:, None]
        after[np.arange(len(members)), source] = 0  # a value does not join its own group
        left = self.counts[source] - values
        changes = space.bin_costs(after) - np.append(self.group_costs, 0)
        changes += (space.bin_costs(left) - self.group_costs[source])[:, None] + self._structure_changes(source)[source]
        forbidden = space.too_small(after) | (space.too_small(left) & left.any(axis=1))[:, None]
        return np.where(forbidden, NEVER, np.minimum(changes, NEVER))

    def _structure_changes(self, sources: Labels) -> Ints:
        """Return the change of the structure cost by a move from one group to another, shape (groups, groups + 1)."""
        sizes = np.append(self.sizes, 0)
        n, k = len(self.sizes), self.n_groups
        before = self.space.structure(k, int(sizes.max()))
        changes = np.full((n, n + 1), NEVER)
        for s in np.unique(sources).tolist():
            others = int(np.delete(sizes, s).max())
            empties = int(sizes[s]) == 1
            for t in range(n + 1):
                k_after = k + (t == n) - empties
                if t == s or (t < n and sizes[t] == 0) or (t == n and (empties or k_after > self.space.max_groups)):
                    continue
                largest = max(others, int(sizes[s]) - 1, int(sizes[t]) + 1)
                changes[s, t] = self.space.structure(k_after, largest) - before
        return changes

    def _move(self, v: int, t: int) -> None:
        s = int(self.labels[v])
        if t == len(self.sizes):
            self.counts = np.concatenate([self.counts, np.zeros((1, self.counts.shape[1]), dtype=np.int64)])
            self.sizes, self.group_costs = np.append(self.sizes, 0), np.append(self.group_costs, 0)
        self.counts[s] -= self.space.values[v]
        self.counts[t] += self.space.values[v]
        self.sizes[s] -= 1
        self.sizes[t] += 1
        self.labels[v] = t
        self.group_costs[s], self.group_costs[t] = (
            self.space.bin_costs(self.counts[s]),
            self.space.bin_costs(self.counts[t]),
        )

    def _drop_empty(self) -> None:
        live = self.sizes > 0
        self.labels = (np.cumsum(live) - 1)[self.labels]
        self.counts, self.sizes, self.group_costs = self.counts[live], self.sizes[live], self.group_costs[live]
