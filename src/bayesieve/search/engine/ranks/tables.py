# SPDX-License-Identifier: BSD-3-Clause
"""Rows in the order of their keys, of blocks that are elsewhere: what each has at every key, and how that merges."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints

__all__ = ["RankTable", "merge_tables", "narrow"]


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
        lowest, highest = min(self.keys[0], other.keys[0]), max(self.keys[-1], other.keys[-1])
        if highest - lowest < 8 * (len(self.keys) + len(other.keys)):  # room for every key there could be
            sums = np.zeros((2, highest - lowest + 1), dtype=np.int64)
            for table in (self, other):
                places = table.keys - lowest
                for c in range(2):
                    sums[c][places] += table.ties[:, c]
            used = np.flatnonzero(sums[0] | sums[1])
            return RankTable(used + lowest, np.stack([sums[0][used], sums[1][used]], axis=1))
        keys, ties = np.concatenate([self.keys, other.keys]), np.concatenate([self.ties, other.ties])
        order = np.argsort(keys, kind="stable")
        keys, ties = keys[order], ties[order]
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
