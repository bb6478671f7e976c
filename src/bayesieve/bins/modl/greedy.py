# SPDX-License-Identifier: BSD-3-Clause
"""Greedy merges from one interval per cell down to a single interval, always the merge of least cost.

Merging two neighbors changes the cost of the bins by an amount that does not depend on the number of other bins, so a
queue of merges needs no new keys when that number changes. The best of all states is kept; the last is the null model,
by which the criterion rejects noise.
"""

import heapq
from typing import Final

import numpy as np

from bayesieve._typing import Ints
from bayesieve.bins.modl.cells import Cells
from bayesieve.bins.modl.code_lengths import TOLERANCE

__all__ = ["merge_greedily"]


_FORCED: Final[int] = 2**60  # merges of intervals that are too small come first


class _Chain:
    """Intervals as a linked list, and a queue of their merges; on ties the older merge comes first."""

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
