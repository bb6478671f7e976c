# SPDX-License-Identifier: BSD-3-Clause
"""The optimal partition by dynamic programming: slow, and the reference of the fast search.

With F(k, t) the least cost of the bins if the first t cells form k intervals, F(k, t) = min over s < t of F(k-1, s) +
bin(s..t). It does not use that some cuts cannot be optimal. Time grows with the number of cells squared, times the
number of intervals.
"""

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins.modl.cells import Cells
from bayesieve.bins.modl.code_lengths import TOLERANCE

__all__ = ["search_exactly"]


_NEVER = 2**61


def search_exactly(cells: Cells) -> Ints:
    """Return the cuts of the cheapest partition; on ties, one with the fewest intervals."""
    n = len(cells.counts)
    bin_cost = _bin_cost_matrix(cells)
    null_cost = int(cells.cost(np.empty(0, dtype=np.int64)))
    best, best_cuts = null_cost, np.empty(0, dtype=np.int64)
    least, origins = bin_cost[0], []
    for k in range(2, min(n, cells.limit) + 1):
        sums = least[:, None] + bin_cost
        origins.append(sums.argmin(axis=0))
        least = np.minimum(sums.min(axis=0), _NEVER)
        total = int(least[n] + cells.structure[k])
        if total < best - TOLERANCE:
            best, best_cuts = total, _trace(origins, n)
    return best_cuts


def _bin_cost_matrix(cells: Cells) -> Ints:
    """Return bin_cost[s, t], the cost of cells s .. t-1 as one interval; `_NEVER` if s >= t or it is too small."""
    n, n_classes = cells.counts.shape
    sums = np.concatenate([np.zeros((1, n_classes), dtype=np.int64), np.cumsum(cells.counts, axis=0)])
    bin_cost = np.full((n + 1, n + 1), _NEVER, dtype=np.int64)
    for s in range(n):
        counts = sums[s + 1 :] - sums[s]
        bin_cost[s, s + 1 :] = np.where(counts.sum(axis=1) >= cells.least, cells.bin_costs(counts), _NEVER)
    return bin_cost


def _trace(origins: list[NDArray[np.intp]], end: int) -> Ints:
    cuts = []
    for origin in reversed(origins):
        end = int(origin[end])
        cuts.append(end)
    return np.array(cuts[::-1], dtype=np.int64)
