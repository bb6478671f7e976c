# SPDX-License-Identifier: BSD-3-Clause
"""Score tables with fewer bins: neighboring bins of similar scores are merged.

Ward's rule: those neighbors a and b are merged whose union loses least,

    m_a m_b / (m_a + m_b) x |s_a - s_b|^2,

with m the mass of a bin and s its score for each class, minus the mean over the classes, which changes no probability.
The score of a block is the mean of its bins, weighted by their mass. Neighbors of an interval are the adjacent
intervals; groups are first sorted by their scores. Bins of special and of missing values are kept.
"""

from dataclasses import replace
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.bins import merge_bins, n_mergeable
from bayesieve.bins.partition import Intervals
from bayesieve.exact import ordered_sum
from bayesieve.exceptions import ParameterError
from bayesieve.models.naive_bayes import principal_order
from bayesieve.models.scorecard import Scorecard, ScoreTable, in_nats

__all__ = ["simplify_scorecard", "simplify_table", "ward_blocks"]


def simplify_scorecard(card: Scorecard, max_bins: int) -> Scorecard:
    """Return a scorecard with at most ``max_bins`` bins per column, where they can be merged."""
    if not isinstance(max_bins, Integral) or max_bins < 2:
        raise ParameterError(f"max_bins must be an integer of 2 or more, got {max_bins!r}.")
    return replace(card, tables=tuple(simplify_table(table, int(max_bins)) for table in card.tables))


def simplify_table(table: ScoreTable, max_bins: int) -> ScoreTable:
    """Return a table of at most ``max_bins`` bins, or as few as its special values leave.

    Parameters
    ----------
    table : ScoreTable
        The table of a column, with the counts of its bins.
    max_bins : int
        At least 2.
    """
    n_bins, n_free = table.partition.n_bins, n_mergeable(table.partition)
    if n_bins <= max_bins:
        return table
    if not n_free:
        raise ParameterError(
            f"Column {table.name!r} has {n_bins} bins made by a transformer, which cannot be merged; "
            f"max_bins={n_bins} or more is expected."
        )
    points = table.table.reshape(n_bins + 1, -1)  # a boosted model has one number per bin
    centered = in_nats(points[:n_free])
    if centered.shape[1] > 1:
        centered = centered - centered.mean(axis=1, keepdims=True)
    free = table.bin_mass[:n_free]
    ordered = isinstance(table.partition, Intervals)
    order = np.arange(n_free) if ordered else principal_order(centered - _mean(centered, free), free)
    ends = ward_blocks(centered[order], free[order], max(1, max_bins - (n_bins - n_free)))
    blocks = [block.tolist() for block in np.split(order, ends)]
    partition, new = merge_bins(table.partition, blocks)
    scores = np.zeros((partition.n_bins + 1, points.shape[1]), dtype=np.int64)
    scores[new[n_free:]] = points[n_free:]
    for k, block in enumerate(blocks):
        scores[k] = np.rint(_mean(points[block].astype(np.float64), free[block]))
    scores = scores.reshape(-1, *table.table.shape[1:])
    return ScoreTable(table.name, partition, scores, table.weight, getattr(partition, "counts", None))


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
        points[k] = _mean(points[k : k + 2], mass[k : k + 2])
        mass[k] = pairs[k]
        points, mass, firsts = np.delete(points, k + 1, axis=0), np.delete(mass, k + 1), np.delete(firsts, k + 1)
    return firsts[1:]


def _mean(points: Floats, mass: Floats) -> Floats:
    """Return the mean weighted by mass; the plain mean if no bin has rows."""
    weight = mass if mass.any() else np.ones(len(mass))
    return ordered_sum(weight[:, None] * points, axis=0) / ordered_sum(weight)
