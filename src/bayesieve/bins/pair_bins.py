# SPDX-License-Identifier: BSD-3-Clause
"""Few bins per column for tables of pairs, as unions of the fine bins that a column already has."""

from functools import lru_cache

import numpy as np

from bayesieve._typing import Floats, Ints

__all__ = ["coarse_bins"]


def coarse_bins(counts: Floats | Ints, *, nominal: bool, has_missing: bool, most: int = 8) -> Ints:
    """Return the pair bin of each fine bin of a column.

    Parameters
    ----------
    counts : array of shape (n_bins, n_classes)
        Weight of the rows per fine bin and class. Intervals are in increasing order.
    nominal : bool
        Whether the fine bins are categories, in any order. They are ordered by the rate of class 1, after the less
        frequent ones have been pooled.
    has_missing : bool
        Whether the last fine bin holds missing values. They get a pair bin of their own, the last.
    most : int, default=8
        Maximum number of pair bins.

    Returns
    -------
    int array of shape (n_bins,)
        Values from 0 to the number of pair bins - 1, each of them present.

    Examples
    --------
    Six intervals, of which the second is heavy, become three bins:

    >>> import numpy as np
    >>> counts = np.array([[1, 1], [9, 9], [1, 1], [2, 2], [1, 3], [2, 1]])
    >>> coarse_bins(counts, nominal=False, has_missing=False, most=3).tolist()
    [0, 1, 2, 2, 2, 2]
    """
    counts = np.asarray(counts, dtype=np.float64)
    n_present = len(counts) - int(has_missing)
    room, present = max(1, most - int(has_missing)), counts[:n_present]
    bins = _categories(present, room) if nominal else _known_intervals(present.sum(axis=1).tobytes(), room)
    n_bins = int(bins.max()) + 1 if n_present else 0
    return np.concatenate([bins, np.full(int(has_missing), n_bins, dtype=np.int64)])


@lru_cache(maxsize=64)
def _known_intervals(mass: bytes, most: int) -> Ints:
    """Return the bins of intervals of these weights, which columns without equal numbers have in common."""
    bins = _intervals(np.frombuffer(mass, dtype=np.float64), most)
    bins.flags.writeable = False
    return bins


def _intervals(mass: Floats, most: int) -> Ints:
    """Return the bins of the least sum of squared weights, the most equal ones; heavy ones alone, if there is room.

    An interval is heavy if it holds its share of all rows, 1 / most.
    """
    n = len(mass)
    if n <= most:
        return np.arange(n)
    ends = np.concatenate([[0.0], np.cumsum(mass)])
    n_heavy = np.concatenate([[0], np.cumsum(mass >= ends[-1] / most)])
    begin, end = np.triu_indices(n + 1, 1)
    joins_heavy = (end - begin > 1) & (n_heavy[end] > n_heavy[begin])
    square = np.full((n + 1, n + 1), np.inf)  # of the weight of fine bins begin .. end - 1
    square[begin, end] = (ends[end] - ends[begin]) ** 2
    alone = square.copy()
    alone[begin[joins_heavy], end[joins_heavy]] = np.inf
    bins, total = _least_sum(alone, most)
    return bins if np.isfinite(total) else _least_sum(square, most)[0]


def _least_sum(cost: Floats, n_bins: int) -> tuple[Ints, float]:
    """Return the partition into runs of the least sum of costs, given those of begin and end, and that sum."""
    n, best, choices = len(cost) - 1, cost[0], []
    for _ in range(n_bins - 1):
        total = best[:, None] + cost
        choices.append(total.argmin(axis=0))
        best = total.min(axis=0)
    bins, begin = np.zeros(n, dtype=np.int64), n
    for choice in reversed(choices):
        begin = int(choice[begin])
        bins[begin:] += 1
    return bins, float(best[n])


def _categories(counts: Floats, most: int) -> Ints:
    """Return the bins of categories: the most frequent ones alone, the others pooled, in the order of their rates."""
    mass = counts.sum(axis=1)
    order = np.argsort(-mass, kind="stable")
    group = np.empty(len(mass), dtype=np.int64)
    group[order] = np.minimum(np.arange(len(mass)), most - 1)
    n_groups = min(len(mass), most)
    positive = np.bincount(group, counts[:, 1] if counts.shape[1] > 1 else None, n_groups)
    of_group = np.bincount(group, mass, n_groups)
    base = positive.sum() / max(of_group.sum(), 1e-300)
    rank = np.empty(n_groups, dtype=np.int64)
    rank[np.argsort((positive + base) / (of_group + 1.0), kind="stable")] = np.arange(n_groups)
    return rank[group]
