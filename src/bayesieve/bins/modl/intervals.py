# SPDX-License-Identifier: BSD-3-Clause
"""Optimal intervals: the MODL search for each of many contingency tables.

At each searched granularity, pure runs are joined, intervals are merged greedily, and the best state is improved by
small changes. The prior of 2006 has no granularities and so only one start: there, the states a few merges before and
after the best are improved as well. A single bin is compared at the end and wins ties.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Ints
from bayesieve.bins.modl.cells import Cells, PartitionRules, TableTraits, Values, pure_runs, read_values
from bayesieve.bins.modl.code_lengths import TOLERANCE
from bayesieve.bins.modl.tables import Tables, least_units

__all__ = [
    "OptimalIntervals",
    "find_intervals",
    "find_intervals_numpy",
    "improve",
    "merge_greedily",
    "search_exactly",
    "search_greedily",
    "search_table",
]


_FORCED: Final[int] = 2**60  # merges of intervals that are too small come first


class _Chain:
    """Intervals as a linked list, and a queue of their merges; on ties the older merge comes first.

    Merging two neighbors changes the cost of the bins by an amount that does not depend on the number of other bins, so
    that the queue needs no new keys when that number changes.
    """

    def __init__(self, cells: Cells, counts: Ints) -> None:
        self.cells, self.counts = cells, counts.copy()
        n = len(counts)
        self.before: list[int] = list(range(-1, n - 1))
        self.after: list[int] = [*range(1, n), -1]
        self.costs: list[int] = cells.bin_costs(counts).tolist()
        self.small: list[bool] = (counts.sum(axis=1) < cells.least).tolist()
        self.total, self.n_small = sum(self.costs), sum(self.small)
        merged = cells.bin_costs(counts[1:] + counts[:-1]).tolist()
        self.merged: list[int] = [*merged, 0]
        self.stamp = list(range(n))
        self.clock = n
        self.queue = [(self._key(left), left, left) for left in range(n - 1)]
        heapq.heapify(self.queue)

    def _key(self, left: int) -> int:
        right = self.after[left]
        key = self.merged[left] - self.costs[left] - self.costs[right]
        return key - _FORCED if self.small[left] or self.small[right] else key

    def _update(self, left: int) -> None:
        both = self.counts[left] + self.counts[self.after[left]]
        self.merged[left] = int(self.cells.bin_costs(both))
        self.stamp[left] = self.clock
        heapq.heappush(self.queue, (self._key(left), self.clock, left))
        self.clock += 1

    def merge(self) -> int:
        """Do the first merge of the queue; return the interval that disappeared."""
        _, stamp, left = heapq.heappop(self.queue)
        while self.stamp[left] != stamp:
            _, stamp, left = heapq.heappop(self.queue)
        right = self.after[left]
        following = self.after[left] = self.after[right]
        self.total += self.merged[left] - self.costs[left] - self.costs[right]
        self.costs[left] = self.merged[left]
        self.counts[left] += self.counts[right]
        self.n_small -= self.small[left] + self.small[right]
        self.small[left] = bool(self.counts[left].sum() < self.cells.least)
        self.n_small += self.small[left]
        self.stamp[left] = self.stamp[right] = -1
        if self.before[left] >= 0:
            self._update(self.before[left])
        if following >= 0:
            self.before[following] = left
            self._update(left)
        return right


def merge_greedily(cells: Cells, starts: Ints) -> list[Ints]:
    """Return the best partition of the merge sequence, as its starts, and those a few merges before and after it.

    Merges go down to a single interval, always the merge of least cost.

    Parameters
    ----------
    cells : Cells
        The cells and their costs.
    starts : int64 array
        Where the initial intervals begin, 0 first.
    """
    chain = _Chain(cells, np.add.reduceat(cells.counts, starts, axis=0))
    n = len(starts)
    removed: list[int] = []
    totals, allowed = [chain.total], [chain.n_small == 0]
    while len(removed) < n - 1:
        removed.append(chain.merge())
        totals.append(chain.total)
        allowed.append(chain.n_small == 0)
    best, best_size = totals[-1] + int(cells.structure[1]), 1
    for n_intervals in range(2, min(n, cells.limit) + 1):  # fewer intervals on ties
        total = totals[n - n_intervals] + int(cells.structure[n_intervals])
        if allowed[n - n_intervals] and total < best - TOLERANCE:
            best, best_size = total, n_intervals
    around = range(max(1, best_size - cells.detours), min(n, cells.limit, best_size + cells.detours) + 1)
    others = [k for k in around if k != best_size and (allowed[n - k] or k == 1)]
    return [np.delete(starts, removed[: n - k]) for k in (best_size, *others)]


_NEVER = 2**62


class _Ranges:
    """Costs of ranges of starts, and of their best cuts."""

    def __init__(self, cells: Cells, starts: Ints) -> None:
        self.cells, n_classes = cells, cells.counts.shape[1]
        counts = np.add.reduceat(cells.counts, starts, axis=0)
        self.sums = np.concatenate([np.zeros((1, n_classes), dtype=np.int64), np.cumsum(counts, axis=0)])
        self.cost = cache(self._cost)
        self.best_cut = cache(self._best_cut)

    def _cost(self, begin: int, end: int) -> int:
        return int(self.cells.bin_costs(self.sums[end] - self.sums[begin]))

    def _best_cut(self, begin: int, end: int) -> tuple[int, int]:
        """Return the least cost of two intervals instead of the range, and their cut; the last one on ties."""
        left = self.sums[begin + 1 : end] - self.sums[begin]
        right = self.sums[end] - self.sums[begin + 1 : end]
        costs = (self.cells.bin_costs(left) + self.cells.bin_costs(right))[::-1]
        allowed = np.minimum(left.sum(axis=1), right.sum(axis=1))[::-1] >= self.cells.least
        costs = np.where(allowed, costs, _NEVER)
        records = np.flatnonzero(costs < np.append(_NEVER, np.minimum.accumulate(costs))[:-1])
        best, cut = _NEVER, end
        for i in records.tolist():
            if costs[i] < best - TOLERANCE:
                best, cut = int(costs[i]), end - 1 - i
        return best, cut


def improve(cells: Cells, starts: Ints, kept: Ints) -> Ints:
    """Return a partition that no small change improves, as the starts of its intervals.

    An interval is cut in two; the cut between two neighbors moves; three neighbors become two. Each needs the best
    position of one cut in a range, which depends on the range alone.

    Parameters
    ----------
    cells : Cells
        The cells and their costs.
    starts : int64 array
        Where an interval may begin, 0 first.
    kept : int64 array
        The starts of the partition to improve.
    """
    ranges = _Ranges(cells, starts)
    borders = [*np.searchsorted(starts, kept).tolist(), len(starts)]
    while True:
        changes = [_best_change(cells, ranges, borders, width) for width in (3, 2, 1)]
        change, i, width = changes[0]
        for other in changes[1:]:  # on ties fewer intervals are preferred
            if other[0] < change - TOLERANCE:
                change, i, width = other
        if change >= -TOLERANCE and not (width == 3 and change <= TOLERANCE):
            return starts[borders[:-1]]
        borders[i + 1 : i + width] = [ranges.best_cut(borders[i], borders[i + width])[1]]


def _best_change(cells: Cells, ranges: _Ranges, borders: list[int], width: int) -> tuple[int, int, int]:
    """Return the best change of `width` neighbors into two intervals: its cost, the first of them, and `width`."""
    n_intervals = len(borders) - 1
    best, first = _NEVER, 0
    after = n_intervals - width + 2
    if n_intervals < width or after > min(cells.limit, len(cells.counts)):
        return best, first, width
    for i in range(n_intervals - width + 1):
        cost, _ = ranges.best_cut(borders[i], borders[i + width])
        cost -= sum(ranges.cost(borders[j], borders[j + 1]) for j in range(i, i + width))
        if cost < best:
            best, first = cost, i
    return best + int(cells.structure[after] - cells.structure[n_intervals]), first, width


_IMPOSSIBLE = 2**61


def search_exactly(cells: Cells) -> Ints:
    """Return the cuts of the cheapest partition; on ties, one with the fewest intervals: slow, to test the fast one.

    With F(k, t) the least cost of the bins if the first t cells form k intervals, F(k, t) = min over s < t of
    F(k-1, s) + bin(s..t). Time grows with the number of cells squared, times the number of intervals.
    """
    n = len(cells.counts)
    bin_cost = _bin_cost_matrix(cells)
    null_cost = int(cells.cost(np.empty(0, dtype=np.int64)))
    best, best_cuts = null_cost, np.empty(0, dtype=np.int64)
    least, origins = bin_cost[0], []
    for k in range(2, min(n, cells.limit) + 1):
        sums = least[:, None] + bin_cost
        origins.append(sums.argmin(axis=0))
        least = np.minimum(sums.min(axis=0), _IMPOSSIBLE)
        total = int(least[n] + cells.structure[k])
        if total < best - TOLERANCE:
            best, best_cuts = total, _trace(origins, n)
    return best_cuts


def _bin_cost_matrix(cells: Cells) -> Ints:
    """Return bin_cost[s, t], the cost of cells s .. t-1 as one interval; `_IMPOSSIBLE` if s >= t or it is too small."""
    n, n_classes = cells.counts.shape
    sums = np.concatenate([np.zeros((1, n_classes), dtype=np.int64), np.cumsum(cells.counts, axis=0)])
    bin_cost = np.full((n + 1, n + 1), _IMPOSSIBLE, dtype=np.int64)
    for s in range(n):
        counts = sums[s + 1 :] - sums[s]
        bin_cost[s, s + 1 :] = np.where(counts.sum(axis=1) >= cells.least, cells.bin_costs(counts), _IMPOSSIBLE)
    return bin_cost


def _trace(origins: list[NDArray[np.intp]], end: int) -> Ints:
    cuts = []
    for origin in reversed(origins):
        end = int(origin[end])
        cuts.append(end)
    return np.array(cuts[::-1], dtype=np.int64)


Search = Callable[[Cells], Ints]

_NO_CUTS: Ints = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class OptimalIntervals:
    """A partition of a table's rows into intervals.

    Attributes
    ----------
    cuts : int64 array
        Numbers of rows to the left of each cut. Rows without weight next to a cut are to its right.
    granularity : int
        0 if there is none.
    cost, null : int
        Cost of the partition and of a single bin, in multiples of 2^-28 nats.
    """

    cuts: Ints
    granularity: int
    cost: int
    null: int


def find_intervals(
    tables: Tables, rules: PartitionRules, traits: Sequence[TableTraits] | None = None, n_threads: int = 1
) -> list[OptimalIntervals]:
    """Return the best partition of each table, with the compiled core if it is available.

    Parameters
    ----------
    tables : Tables
        One table per column.
    rules : PartitionRules
        The prior and the constraints.
    traits : sequence of TableTraits, one per table, optional
        Monotone tables must have two classes.
    n_threads : int
        Number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesieve.bins.modl.criterion import KhiopsPrior
    >>> counts = np.array([[9, 0], [8, 1], [9, 0], [1, 9], [0, 8], [0, 9]])
    >>> find_intervals(Tables.stack([counts]), PartitionRules(KhiopsPrior()))[0].cuts
    array([3])
    """
    if core is None:
        warn_if_missing()
        return find_intervals_numpy(tables, rules, traits)
    table_traits = [TableTraits()] * len(tables) if traits is None else traits
    cuts, offsets, granularities, costs = core.modl_intervals(
        tables.counts,
        tables.offsets,
        tables.unit,
        rules.prior.name,
        rules.prior.n_attributes,
        np.array([trait.fixed_first for trait in table_traits], dtype=np.uint8),
        np.array([trait.monotone for trait in table_traits], dtype=np.int8),
        least_units(rules.min_size, tables.unit),
        rules.max_bins or 0,
        n_threads,
    )
    return [
        OptimalIntervals(cuts[begin:end], granularity, *cost)
        for begin, end, granularity, cost in zip(
            offsets[:-1], offsets[1:], granularities.tolist(), costs.tolist(), strict=True
        )
    ]


def find_intervals_numpy(
    tables: Tables, rules: PartitionRules, traits: Sequence[TableTraits] | None = None, search: Search | None = None
) -> list[OptimalIntervals]:
    """Specification of `find_intervals`, and its fallback without the compiled core."""
    table_traits = [TableTraits()] * len(tables) if traits is None else traits
    tables.check()
    if tables.counts.shape[1] != 2 and any(trait.monotone for trait in table_traits):
        raise ValueError("monotone needs two classes")
    used_search = search or search_greedily
    return [search_table(tables[t], tables.unit, rules, table_traits[t], used_search) for t in range(len(tables))]


def search_greedily(cells: Cells) -> Ints:
    """Return the cuts after greedy merges and small changes."""
    starts = pure_runs(cells.counts)
    candidates = [improve(cells, starts, kept)[1:] for kept in merge_greedily(cells, starts)]
    best, cost = candidates[0], cells.cost(candidates[0])
    for other in candidates[1:]:
        if cells.cost(other) < cost - TOLERANCE:
            best, cost = other, cells.cost(other)
    return best


def search_table(
    counts: Ints, unit: float, rules: PartitionRules, traits: TableTraits, search: Search = search_greedily
) -> OptimalIntervals:
    """Return the best partition of one table."""
    if not counts.any():
        return OptimalIntervals(_NO_CUTS, 0, 0, 0)
    values = read_values(counts, unit, rules, traits)
    best = OptimalIntervals(_NO_CUTS, 0, values.null, values.null)
    before = floor = 0
    for granularity, starts in values.granularities():
        cells = values.cells(granularity, starts)
        if cells.limit >= 1:
            cuts = search(cells)
            cost = cells.cost(cuts)
            if cost < best.cost - TOLERANCE:
                borders = starts[values.head :][cuts] if not values.head else starts[np.append(1, cuts + 1)]
                best, floor = replace(best, cuts=borders, granularity=granularity, cost=cost), before
        before = granularity
    return _coarsened(values, best, floor)


def _coarsened(values: Values, partition: OptimalIntervals, floor: int) -> OptimalIntervals:
    """Return the partition at the coarsest granularity that has its cuts, with cuts as rows of the table."""
    granularity = values.coarsest(partition.granularity, floor, partition.cuts)
    cost = partition.cost
    if granularity < partition.granularity:
        prior, n_bins = values.rules.prior, np.array(len(partition.cuts) + 1)
        for sign, g in ((1, granularity), (-1, partition.granularity)):
            cost += sign * int(prior.intervals(n_bins, values.total, g))
    return replace(partition, cuts=values.begins[partition.cuts], granularity=granularity, cost=cost)
