"""The way from one interval a cell down to one interval: always the merge that costs least.

Merging two neighbors changes the cost of the parts by an amount that does not depend on how many others there are, so a
queue of merges is never re-keyed when the number of intervals changes. The best state on the whole way is kept: the
null model lies at its end, which is what makes the criterion reject noise.
"""

import heapq
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding.modl.cells import Cells
from bayesieve.coding.modl.factorial import TOLERANCE

__all__ = ["merge_greedily"]

Ints = NDArray[np.int64]

_FORCED: Final[int] = 2**60  # merges of intervals that are too small come first


class _Chain:
    """Intervals that know their neighbors, and a queue of their merges; of equal merges the older one comes first."""

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

    def _renew(self, left: int) -> None:
        both = self.counts[left] + self.counts[self.after[left]]
        self.merged[left] = int(self.cells.bin_costs(both))
        self.stamp[left] = self.clock
        heapq.heappush(self.queue, (self._key(left), self.clock, left))
        self.clock += 1

    def merge(self) -> int:
        """Merge the two neighbors whose merge comes first; return which interval disappeared."""
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
            self._renew(self.before[left])
        if following >= 0:
            self.before[following] = left
            self._renew(left)
        return right


def merge_greedily(cells: Cells, starts: Ints) -> list[Ints]:
    """Return the best partition on the way, as the starts that remain, and those a few merges before and after it.

    Parameters
    ----------
    cells : Cells
    starts : int64 array
        Where the first intervals begin, 0 first.
    """
    chain = _Chain(cells, np.add.reduceat(cells.counts, starts, axis=0))
    n = len(starts)
    removed: list[int] = []
    totals, allowed = [chain.total], [chain.n_small == 0]
    while len(removed) < n - 1:
        removed.append(chain.merge())
        totals.append(chain.total)
        allowed.append(chain.n_small == 0)
    best, fewest = totals[-1] + int(cells.structure[1]), 1
    for n_intervals in range(2, min(n, cells.limit) + 1):  # on equality, fewer intervals
        total = totals[n - n_intervals] + int(cells.structure[n_intervals])
        if allowed[n - n_intervals] and total < best - TOLERANCE:
            best, fewest = total, n_intervals
    around = range(max(1, fewest - cells.detours), min(n, cells.limit, fewest + cells.detours) + 1)
    others = [k for k in around if k != fewest and (allowed[n - k] or k == 1)]
    return [np.delete(starts, removed[: n - k]) for k in (fewest, *others)]
