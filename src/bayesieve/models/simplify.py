"""A card with few bins: parts that say nearly the same are joined.

Ward's rule: of the neighbours a and b, those are joined whose union loses least,

    m_a m_b / (m_a + m_b) x |s_a - s_b|^2,

m the mass of a part and s what it says of each class, less its mean over the classes, which changes no probability. A
block says the mean of its parts, weighed by their mass. Neighbours of an interval are the intervals beside it; groups
are put in the order of what they say first. Special values and the missing part stay apart.
"""

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding import merge_bins, n_mergeable
from bayesieve.coding.intervals import Intervals
from bayesieve.exceptions import ParameterError
from bayesieve.models.evidence import in_nats
from bayesieve.models.main_order import in_order, main_order
from bayesieve.models.scorecard import ScoreTable

__all__ = ["simplify_table", "ward_blocks"]

Floats = NDArray[np.float64]


def simplify_table(card: ScoreTable, max_bins: int) -> ScoreTable:
    """Return a card of at most ``max_bins`` bins, or as few as its special values leave.

    Parameters
    ----------
    card : ScoreTable
        With the counts of its bins.
    max_bins : int
        At least 2.
    """
    n_bins, n_free = card.partition.n_bins, n_mergeable(card.partition)
    if n_bins <= max_bins:
        return card
    if not n_free:
        raise ParameterError(
            f"Column {card.name!r} has {n_bins} bins made by a transformer, which cannot be joined; "
            f"use max_bins={n_bins} or more."
        )
    said = in_nats(card.table[:n_free])
    said = said - said.mean(axis=1, keepdims=True)
    free = card.bin_mass[:n_free]
    ordered = isinstance(card.partition, Intervals)
    order = np.arange(n_free) if ordered else main_order(said - _mean(said, free), free)
    ends = ward_blocks(said[order], free[order], max(1, max_bins - (n_bins - n_free)))
    blocks = [block.tolist() for block in np.split(order, ends)]
    partition, new = merge_bins(card.partition, blocks)
    table = np.zeros((partition.n_bins + 1, card.table.shape[1]), dtype=np.int64)
    table[new[n_free:]] = card.table[n_free:]
    for k, block in enumerate(blocks):
        table[k] = np.rint(_mean(card.table[block].astype(np.float64), free[block]))
    return ScoreTable(card.name, partition, table, card.weight, getattr(partition, "counts", None))


def ward_blocks(points: Floats, mass: Floats, n_blocks: int) -> NDArray[np.intp]:
    """Return where points in a row are divided into so many blocks: the first point of each block but the first.

    Of equal losses, that of the first neighbours is taken.
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
    """Return the mean by mass; of parts that no row was in, the plain mean."""
    weight = mass if mass.any() else np.ones(len(mass))
    return np.array([in_order(weight * points[:, c]) for c in range(points.shape[1])]) / in_order(weight)
