# SPDX-License-Identifier: BSD-3-Clause
"""The area under the ROC curve from histograms: what is certain of it, and what is open.

Keys fall into buckets of 2^bits, the same for all blocks of rows, so that the blocks' histograms add up. Pairs of rows
in different buckets are decided; those in one bucket are worth 0 to 2 each, or 1 if a bucket is one key.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.engine.moves import Moves
from bayesieve.engine.ranks.tables import narrow
from bayesieve.models import RANK_SHIFT, Tables

__all__ = ["add_histograms", "bounds_of", "merge_ranges", "shift_ranges", "widths_of"]


_SLACK = 2.0**-44  # more than doubles lose in adding up a histogram of integers


def merge_ranges(a: Ints, b: Ints) -> Ints:
    """Return the smallest and the largest key of each segment in two blocks, and how many one of them has.

    A block without rows has none. Blocks that have few keys have mostly the same.
    """
    return np.concatenate([np.minimum(a[:, :1], b[:, :1]), np.maximum(a[:, 1:], b[:, 1:])], axis=1)


def shift_ranges(moves: Moves, tables: Sequence[Tables]) -> Ints:
    """Return by how many keys each move of one column shifts rows: (n, n_segments, 2), of the least and the most."""
    shifts = np.empty((len(moves), len(tables), 2), dtype=np.int64)
    for i, (j, before, after) in enumerate(zip(moves.columns, moves.before, moves.after, strict=True)):
        for s, each in enumerate(tables):
            table = each.column(int(j))
            change = (np.rint(after * table) - np.rint(before * table)).astype(np.int64)
            differences = change[:, 1] - change[:, 0]
            # A key is rounded, so that a sum may be one beyond the sum of two keys.
            shifts[i, s] = (int(differences.min()) >> RANK_SHIFT) - 1, (int(differences.max()) >> RANK_SHIFT) + 2
    return shifts


def widths_of(ranges: Ints, n_buckets: int) -> Ints:
    """Return the bits of the smallest buckets of which ``n_buckets`` cover each range."""
    spans, bits = ranges[..., 1] - ranges[..., 0], np.zeros(ranges.shape[:-1], dtype=np.int64)
    while (short := (spans >> bits) >= n_buckets).any():
        bits += short
    return bits


def add_histograms(a: NDArray[np.integer], b: NDArray[np.integer]) -> NDArray[np.integer]:
    """Add the weights of two blocks, in the fewest bytes that hold them."""
    return narrow(a.astype(np.int64) + b)


def bounds_of(histograms: NDArray[np.integer], bits: Ints) -> tuple[Floats, Floats]:
    """Return a lower and an upper bound of the pair statistic; the last two axes are classes and buckets.

    The last entry is not a bucket but the weight of the rows that may belong to the next bucket.
    """
    counts = histograms.astype(np.int64)
    negative, positive = counts[..., 0, :-1], counts[..., 1, :-1].astype(np.float64)
    below = (np.cumsum(negative, axis=-1) - negative).astype(np.float64)
    decided = 2.0 * (positive * below).sum(axis=-1)
    opened = 2.0 * (positive * negative.astype(np.float64)).sum(axis=-1)
    sure = bits == 0
    low = decided + np.where(sure, opened / 2, 0.0)
    high = decided + np.where(sure, opened / 2, opened)
    # Such a row changes its pairs in these two buckets only.
    astray = counts[..., -1].astype(np.float64)
    most = _two_neighbors(counts[..., :-1])
    radius = 2.0 * (astray[..., 0] * (most[..., 1] + astray[..., 1]) + astray[..., 1] * (most[..., 0] + astray[..., 0]))
    return low * (1.0 - _SLACK) - radius, high * (1.0 + _SLACK) + radius


def _two_neighbors(counts: Ints) -> Floats:
    """Return the most that two neighboring buckets hold together."""
    pairs = counts.copy()
    pairs[..., 1:] += counts[..., :-1]
    most: Floats = pairs.max(axis=-1).astype(np.float64) * (1.0 + _SLACK)
    return most
