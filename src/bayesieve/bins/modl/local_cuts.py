# SPDX-License-Identifier: BSD-3-Clause
"""Local improvement of a partition into intervals: the best small change, repeated until none lowers the cost.

An interval is cut in two; the cut between two neighbors moves; three neighbors become two. Each needs the best position
of one cut in a range, which depends on the range alone.
"""

from functools import cache

import numpy as np

from bayesieve._typing import Ints
from bayesieve.bins.modl.cells import Cells
from bayesieve.bins.modl.code_lengths import TOLERANCE

__all__ = ["improve"]


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
