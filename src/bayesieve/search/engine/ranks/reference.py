# SPDX-License-Identifier: BSD-3-Clause
"""Rows in NumPy for a criterion of ranks: tables of keys, and histograms."""

from typing import Protocol

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.search.criteria.ranking import ranked_classes, tie_rows
from bayesieve.search.engine.moves import Moves
from bayesieve.search.engine.reference_rows import Columns, ReferenceRows, Starts
from bayesieve.search.engine.scan_and_confirm import Rows

__all__ = ["RankedRows", "ReferenceRanks"]


class RankedRows(Rows, Protocol):
    """Rows whose ranks are computed."""

    def rank_tables(
        self, columns: Columns, before: Floats, after: Floats, starts: Starts
    ) -> list[list[tuple[Ints, Ints]]]:
        """Return distinct keys and weights after each move, of each segment and ranked class; no key without weight."""
        ...

    def key_ranges(self) -> Ints:
        """Return the smallest and largest key in each segment, and about how many keys there are, of each ranked class.

        The shape is (n_segments, n_ranked, 3). Of no rows the first is larger than the second.
        """
        ...

    def histograms(
        self,
        columns: Columns,
        before: Floats,
        after: Floats,
        starts: Starts,
        buckets: Ints,
        n_buckets: int,
    ) -> Ints:
        """Return the weight of the rest and of each ranked class in buckets of its keys, after each move of one column.

        The shape is (n, n_segments, n_ranked, 2, n_buckets + 1): the last number is the most that rows weigh which may
        belong into the bucket after theirs, where a kernel saves time in this way. ``buckets``, of the shape
        (n, n_segments, n_ranked, 2), holds the lowest key, and the number of bits of a bucket.
        """
        ...


class ReferenceRanks(ReferenceRows):
    """The specification of the compiled tables and histograms, and their stand-in."""

    def rank_tables(
        self, columns: Columns, before: Floats, after: Floats, starts: Starts
    ) -> list[list[tuple[Ints, Ints]]]:
        """Return distinct keys and weights."""
        ranks = (self._ranks(self._after(move)) for move in Moves(columns, before, after, starts))
        return [[(keys[(heavy := ties.any(axis=1))], ties[heavy]) for keys, ties in each] for each in ranks]

    def key_ranges(self) -> Ints:
        """Return the smallest and largest key of each segment and ranked class, and how many there are."""
        none, ranks = np.iinfo(np.int64), self._ranks(self._states)
        ranges = [[keys.min(initial=none.max), keys.max(initial=none.min), len(keys)] for keys, _ in ranks]
        return np.array(ranges).reshape(len(self._segments), -1, 3)

    def histograms(
        self,
        columns: Columns,
        before: Floats,
        after: Floats,
        starts: Starts,
        buckets: Ints,
        n_buckets: int,
    ) -> Ints:
        """Return the weight in each bucket."""
        counts = np.zeros((*buckets.shape, n_buckets + 1), dtype=np.int64)
        for own, limits, ranks in zip(counts, buckets, self.rank_tables(columns, before, after, starts), strict=True):
            each = zip(own.reshape(-1, 2, n_buckets + 1), limits.reshape(-1, 2), ranks, strict=True)
            for of_class, (lowest, bits), (keys, ties) in each:
                places = (keys - lowest) >> bits
                if len(keys) and not 0 <= places[0] <= places[-1] < n_buckets:
                    raise ValueError("a key lies outside of all buckets")
                np.add.at(of_class.T, places, ties)
        return counts

    def _ranks(self, states: tuple[object, ...]) -> list[tuple[Ints, Ints]]:
        tables = []
        for segment, state in zip(self._segments, states, strict=True):
            beliefs = self._model.predictions(state)
            for c in ranked_classes(segment.n_classes):
                tables.append(tie_rows(beliefs.rank_keys(c), segment.target == c, segment.weights))
        return tables
