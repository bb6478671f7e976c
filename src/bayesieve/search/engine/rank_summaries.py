# SPDX-License-Identifier: BSD-3-Clause
"""What blocks of rows send of their ranks: the rows at every key, or in buckets of keys, and how these merge.

Histograms bound the area under the ROC curve of a class against the rest. Keys are counted in equal buckets of 2^bits
keys, the same for all blocks of rows. A few rows of extreme log-odds make their range wide, so neighboring buckets are
merged to about equal weights before blocks send them; then the histograms of blocks add up. Pairs of rows in different
buckets are decided; those in one bucket are worth 0 to 2 each, or 1 if a bucket is one key.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.models import RANK_SHIFT, Tables
from bayesieve.search.criteria.ranking import ranked_classes
from bayesieve.search.engine.moves import Moves

__all__ = [
    "RankTable",
    "add_histograms",
    "bounds_of",
    "equal_weights",
    "merge_buckets",
    "merge_ranges",
    "merge_tables",
    "merged_limits",
    "narrow",
    "shift_ranges",
    "widths_of",
]

_SLACK = 2.0**-44  # more than doubles lose in adding up a histogram of integers


@dataclass(frozen=True)
class RankTable:
    """The weight of the rest, and of a class, at each distinct key that has any.

    It travels as differences of keys, and as weights, in the fewest bytes that hold them.

    Attributes
    ----------
    keys : int64 array of shape (n_keys,)
        Increasing.
    ties : int64 array of shape (n_keys, 2)
        Weights.
    """

    keys: Ints
    ties: Ints

    def merge(self, other: "RankTable") -> "RankTable":
        """Return the table of both blocks of rows."""
        if not len(self.keys) or not len(other.keys):
            return self if len(self.keys) else other
        lowest = min(self.keys[0], other.keys[0])
        highest = max(self.keys[-1], other.keys[-1])
        if highest - lowest < 8 * (len(self.keys) + len(other.keys)):  # room for every key there could be
            sums = np.zeros((2, highest - lowest + 1), dtype=np.int64)
            for table in (self, other):
                places = table.keys - lowest
                for c in range(2):
                    sums[c][places] += table.ties[:, c]
            used = np.flatnonzero(sums[0] | sums[1])
            return RankTable(used + lowest, np.stack([sums[0][used], sums[1][used]], axis=1))
        keys = np.concatenate([self.keys, other.keys])
        ties = np.concatenate([self.ties, other.ties])
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        ties = ties[order]
        first = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
        return RankTable(keys[first], np.add.reduceat(ties, first, axis=0))

    def __reduce__(self) -> Any:
        lowest = int(self.keys[0]) if len(self.keys) else 0
        parts = (np.diff(self.keys, prepend=lowest), self.ties[:, 0], self.ties[:, 1])
        return _unpack, (lowest, *(_pack(part) for part in parts))


def merge_tables(a: Sequence[RankTable], b: Sequence[RankTable]) -> list[RankTable]:
    """Merge the tables of two blocks one by one."""
    return [own.merge(other) for own, other in zip(a, b, strict=True)]


def narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers of 0 and more in the fewest bytes that hold the largest of them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))


def _pack(values: Ints) -> tuple[str, bytes]:
    few = narrow(values)
    return few.dtype.str, zlib.compress(few.tobytes(), 1)


def _unpack(lowest: int, *parts: tuple[str, bytes]) -> RankTable:
    steps, *ties = (np.frombuffer(zlib.decompress(data), dtype=kind).astype(np.int64) for kind, data in parts)
    return RankTable(lowest + np.cumsum(steps), np.stack(ties, axis=1))


def merge_ranges(a: Ints, b: Ints) -> Ints:
    """Return the smallest and the largest key of each segment and class in two blocks, and how many one of them has.

    A block without rows has none. Blocks that have few keys have mostly the same.
    """
    return np.concatenate([np.minimum(a[..., :1], b[..., :1]), np.maximum(a[..., 1:], b[..., 1:])], axis=-1)


def shift_ranges(moves: Moves, tables: Sequence[Tables]) -> Ints:
    """Return by how many keys each move of one column shifts rows: (n, n_segments, n_ranked, 2), at least and at most.

    The log-odds of a class against the rest change by what it gains beyond the least, or the most, of the others.
    """
    ranked = ranked_classes(tables[0].entries.shape[1])
    shifts = np.empty((len(moves), len(tables), len(ranked), 2), dtype=np.int64)
    for i, (j, before, after) in enumerate(zip(moves.columns, moves.before, moves.after, strict=True)):
        for s, each in enumerate(tables):
            table = each.column(int(j))
            change = (np.rint(after * table) - np.rint(before * table)).astype(np.int64)
            for r, c in enumerate(ranked):
                others = np.delete(change, c, axis=1)
                least = (change[:, c] - others.max(axis=1)).min()
                most = (change[:, c] - others.min(axis=1)).max()
                # A key is rounded, so that a sum may be one beyond the sum of two keys.
                shifts[i, s, r] = (int(least) >> RANK_SHIFT) - 1, (int(most) >> RANK_SHIFT) + 2
    return shifts


def widths_of(ranges: Ints, n_buckets: int) -> Ints:
    """Return the bits of the smallest buckets of which ``n_buckets`` cover each range."""
    spans = ranges[..., 1] - ranges[..., 0]
    bits = np.zeros(ranges.shape[:-1], dtype=np.int64)
    while (short := (spans >> bits) >= n_buckets).any():
        bits += short
    return bits


def equal_weights(histograms: NDArray[np.integer], buckets: Ints, n_merged: int) -> Ints:
    """Return the first key of each merged bucket but the first, at about equal weights of both classes together.

    The last axes are those of `bounds_of`, and of ``buckets`` the lowest key and the bits of a bucket.
    """
    weights = histograms[..., :-1].sum(axis=-2, dtype=np.float64)
    weights = weights.reshape(-1, weights.shape[-1])
    shares = np.arange(1, n_merged) / n_merged
    begins = np.empty((len(weights), n_merged - 1), dtype=np.int64)
    for own, (lowest, bits), found in zip(weights, buckets.reshape(-1, 2), begins, strict=True):
        cumulative = np.concatenate([[0.0], np.cumsum(own)])
        places = np.interp(shares * cumulative[-1], cumulative, np.arange(len(cumulative)))
        found[:] = lowest + np.maximum.accumulate(np.floor(places * 2.0**bits)).astype(np.int64)
    return begins.reshape(*buckets.shape[:-1], n_merged - 1)


def merged_limits(buckets: Ints, begins: Ints, n_buckets: int) -> Ints:
    """Return the bucket at which each merged bucket begins, and the end of the last; no bucket is divided.

    ``begins`` has the first keys of merged buckets but the first, the same for all moves.
    """
    lowest = buckets[..., :1]
    bits = buckets[..., 1:]
    inner = np.clip(-((lowest - begins) >> bits), 0, n_buckets)
    first = np.zeros_like(lowest)
    return np.concatenate([first, inner, first + n_buckets], axis=-1)


def merge_buckets(histograms: NDArray[np.integer], limits: Ints) -> NDArray[np.integer]:
    """Return the histograms of merged buckets; what may belong into the next bucket stays the same."""
    nothing = np.zeros((*histograms.shape[:-1], 1), dtype=np.int64)
    below = np.concatenate([nothing, np.cumsum(histograms[..., :-1], axis=-1)], axis=-1)
    sums = np.diff(np.take_along_axis(below, limits[..., None, :], axis=-1), axis=-1)
    return np.concatenate([sums, histograms[..., -1:]], axis=-1)


def add_histograms(a: NDArray[np.integer], b: NDArray[np.integer]) -> NDArray[np.integer]:
    """Add the weights of two blocks, in the fewest bytes that hold them."""
    return narrow(a.astype(np.int64) + b)


def bounds_of(histograms: NDArray[np.integer], single: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return a lower and an upper bound of the pair statistic; the last two axes are classes and buckets.

    The last entry is not a bucket but the weight of the rows that may belong to the next bucket. ``single`` marks
    buckets of one key at most.
    """
    counts = histograms.astype(np.int64)
    negative = counts[..., 0, :-1]
    positive = counts[..., 1, :-1].astype(np.float64)
    below = (np.cumsum(negative, axis=-1) - negative).astype(np.float64)
    decided = 2.0 * (positive * below).sum(axis=-1)
    pairs = positive * negative.astype(np.float64)
    low = decided + np.where(single, pairs, 0.0).sum(axis=-1)
    high = decided + np.where(single, pairs, 2.0 * pairs).sum(axis=-1)
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
