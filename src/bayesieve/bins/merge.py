# SPDX-License-Identifier: BSD-3-Clause
"""Bins that are merged: which neighbors, and the partition that remains.

Which neighbors are merged follows from a score s and a weight m per bin. Two rules:

- *At a price per bin*, by dynamic programming: the sum of m (s - mean)^2 / 2 within merged bins, plus the price of each
  merged bin, is least. With more than two classes, bins are common to them and squares are added over the classes.
- *To a number of bins*, Ward's rule: those neighbors a and b are merged whose union loses least,

      m_a m_b / (m_a + m_b) x |s_a - s_b|^2.

Neighbors of an interval are the adjacent intervals; groups of categories are sorted by their scores first.

Tables of pairs have few bins per column, by the frequencies of bins: `coarse_bins`.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.bins.partition import Groups, Intervals, Partition
from bayesieve.exact import ordered_sum

__all__ = [
    "coarse_bins",
    "interval_blocks",
    "mean_scores",
    "merge_bins",
    "merge_scores",
    "merge_scores_numpy",
    "merge_sorted_scores",
    "n_mergeable",
    "principal_order",
    "sums_per_bin",
    "ward_blocks",
]

_MOST_SORTED: Final = 512  # categories; beyond, those of neighboring scores are merged first
_ROUNDS: Final = 50


def merge_scores(scores: Floats, weights: Floats, price: float) -> Ints:
    """Return the number of the merged bin of each score of a sequence; there may be a score per class."""
    if core is None:
        warn_if_missing()
        return merge_scores_numpy(scores, weights, price)
    merged: Ints = core.merge_scores(_matrix(scores), _matrix(weights), price)
    return merged


def _matrix(scores: Floats) -> Floats:
    """Return scores with an axis of classes, of length one where there is none."""
    return np.ascontiguousarray(scores.reshape(len(scores), -1))


def merge_scores_numpy(scores: Floats, weights: Floats, price: float) -> Ints:
    """Specification of `merge_scores`, and its fallback: dynamic programming over the end of the last bin."""
    scores, weights = _matrix(scores), _matrix(weights)
    n, nothing = len(scores), np.zeros((1, scores.shape[1]))
    mass, first, second = (
        np.concatenate([nothing, np.cumsum(each, axis=0)])
        for each in (weights, weights * scores, weights * scores * scores)
    )
    best, begin = np.zeros(n + 1), np.zeros(n + 1, dtype=np.int64)
    for j in range(1, n + 1):
        sums = first[j] - first[:j]
        squares = second[j] - second[:j] - sums * sums / (mass[j] - mass[:j])
        costs = best[:j] + 0.5 * ordered_sum(np.maximum(squares, 0.0), 1) + price
        begin[j] = np.argmin(costs)
        best[j] = costs[begin[j]]
    starts, j = np.zeros(n, dtype=np.int64), n
    while j > 0:
        starts[begin[j]] = 1
        j = int(begin[j])
    return np.asarray(np.cumsum(starts) - 1)


def merge_sorted_scores(table: Floats, curvatures: Floats, price: float) -> Ints:
    """Merge categories in the order of their scores, shape (n_bins, n_scores); of very many, neighboring ones first."""
    order = np.argsort(_leading(table, curvatures), kind="stable")
    bins = np.empty(len(table), dtype=np.int64)
    if len(table) <= _MOST_SORTED:
        bins[order] = merge_scores(table[order], curvatures[order], price)
        return bins
    chunk = np.arange(len(table)) * _MOST_SORTED // len(table)
    mass, sums = (sums_per_bin(chunk, each[order], _MOST_SORTED) for each in (curvatures, curvatures * table))
    bins[order] = merge_scores(sums / mass, mass, price)[chunk]
    return bins


def _leading(table: Floats, curvatures: Floats) -> Floats:
    """Return the scores that vary most."""
    total = curvatures.sum(axis=0)
    centered = table - (curvatures * table).sum(axis=0) / total
    return np.asarray(table[:, int(np.argmax((curvatures * centered**2).sum(axis=0)))])


def sums_per_bin(bins: Ints, values: Floats, n_bins: int) -> Floats:
    """Return the sum of each bin, of each score."""
    return np.array([np.bincount(bins, weights=own, minlength=n_bins) for own in values.T]).T


def ward_blocks(points: Floats, mass: Floats, n_blocks: int) -> NDArray[np.intp]:
    """Divide a sequence of points into `n_blocks` blocks; return the first point of each block except the first.

    On ties, the first neighbors are merged.
    """
    points, mass = points.copy(), mass.copy()
    firsts = np.arange(len(points))
    while len(points) > n_blocks:
        pairs = mass[:-1] + mass[1:]
        share = np.divide(mass[:-1] * mass[1:], pairs, out=np.zeros(len(pairs)), where=pairs > 0)
        distance = np.zeros(len(pairs))
        for c in range(points.shape[1]):
            distance = distance + (points[1:, c] - points[:-1, c]) ** 2
        k = int(np.argmin(share * distance))
        points[k] = mean_scores(points[k : k + 2], mass[k : k + 2])
        mass[k] = pairs[k]
        points, mass, firsts = np.delete(points, k + 1, axis=0), np.delete(mass, k + 1), np.delete(firsts, k + 1)
    return firsts[1:]


def mean_scores(points: Floats, mass: Floats) -> Floats:
    """Return the mean over bins, weighted by their mass; the plain mean if no bin has rows."""
    weight = mass if mass.any() else np.ones(len(mass))
    return ordered_sum(weight[:, None] * points, axis=0) / ordered_sum(weight)


def principal_order(deviations: Floats, mass: NDArray[np.int64] | Floats) -> NDArray[np.intp]:
    """Return the order of points, given their deviations from the mean, shape (n_points, n_classes), and their mass.

    With two classes, the order of the second coordinate. With more, the order along the direction of the largest
    variance (Coppersmith, Hong and Hosking 1999), computed by power iteration with sums in a fixed order.
    """
    n_classes = deviations.shape[1]
    if n_classes == 2:
        return np.argsort(deviations[:, 1], kind="stable")
    weighted = mass[:, None] * deviations
    covariance = ordered_sum(weighted[:, :, None] * deviations[:, None, :], axis=0)
    direction = covariance[:, int(np.argmax(np.diag(covariance)))]
    for _ in range(_ROUNDS):
        size = np.abs(direction).max()
        if size == 0.0:
            break
        direction = ordered_sum(covariance * (direction / size), axis=1)
    along = np.zeros(len(deviations))
    for c in range(n_classes):
        along = along + deviations[:, c] * direction[c]
    return np.argsort(along, kind="stable")


def n_mergeable(partition: Partition) -> int:
    """Return how many bins can be merged, always the first; bins of special and of missing values are kept."""
    if isinstance(partition, Intervals):
        return len(partition.bounds) + 1
    return len(partition.groups) if isinstance(partition, Groups) else 0


def merge_bins(partition: Partition, blocks: Sequence[Sequence[int]]) -> tuple[Partition, NDArray[np.intp]]:
    """Return the partition whose bins are these blocks of codes, in this order, followed by the bins that are kept.

    Blocks of intervals hold neighbors and are in order. Also returned: the new code of each old one, *unseen* last.
    Counts are added up; level and cost are dropped.
    """
    n_free, n_bins = n_mergeable(partition), partition.n_bins
    new = np.arange(n_bins + 1) + len(blocks) - n_free
    for k, block in enumerate(blocks):
        new[list(block)] = k
    counts = getattr(partition, "counts", None)
    if counts is not None:
        sums = np.zeros((n_bins + len(blocks) - n_free, counts.shape[1]), dtype=counts.dtype)
        np.add.at(sums, new[:-1], counts)
        counts = sums
    if isinstance(partition, Intervals):
        bounds = partition.bounds[[block[-1] for block in blocks[:-1]]]
        joined = None if partition.joined is None else int(new[partition.joined])
        return replace(partition, bounds=bounds, joined=joined, counts=counts, level=None, cost=None), new
    assert isinstance(partition, Groups)
    groups = tuple(tuple(chain.from_iterable(partition.groups[code] for code in block)) for block in blocks)
    joined, other = (None if code is None else int(new[code]) for code in (partition.joined, partition.other))
    return replace(partition, groups=groups, joined=joined, other=other, counts=counts, level=None, cost=None), new


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
    bins = interval_blocks(np.frombuffer(mass, dtype=np.float64), most)
    bins.flags.writeable = False
    return bins


def interval_blocks(mass: Floats, most: int) -> Ints:
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
