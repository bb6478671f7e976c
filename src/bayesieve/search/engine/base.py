# SPDX-License-Identifier: BSD-3-Clause
"""The engine protocol: segments in, five verbs, and from exact measures to scores.

A criterion's score is linear in its measures, so the mean over segments is a sum of integers times integer coefficients
over one common denominator: it is rounded once, and equal scores stay equal.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from operator import mul
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.bins import CodedRows
from bayesieve.data import MemoryBlocks, RowBlocks, add_by_class
from bayesieve.models import Tables
from bayesieve.search.criteria import Criterion, Measure
from bayesieve.search.engine.moves import Move

__all__ = [
    "Engine",
    "MemorySegments",
    "Scorer",
    "Segment",
    "Segments",
    "Words",
    "add_words",
    "integers_of",
    "pool",
    "segment_arrays",
    "wide",
]


@dataclass(frozen=True)
class Segment(CodedRows):
    """Rows that are scored, with the tables learned on their training rows.

    ``cv=0`` is one segment whose scored rows are its training rows; five folds are five segments.
    ``benefits``, of each row or of all, are what actions bring, for a criterion that uses them.
    """

    tables: Tables
    benefits: NDArray[np.float64] | None = None

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.codes.n_columns

    @property
    def mass(self) -> Measure:
        """Weight of each class."""
        return tuple(add_by_class(self.target, self.weights, self.n_classes).tolist())


class Segments(Protocol):
    """The segments of a problem, wherever their rows are."""

    @property
    def blocks(self) -> RowBlocks[Sequence[Segment]]:
        """Each block's shard of each segment, with the tables of all rows."""
        ...

    @property
    def local(self) -> Sequence[Segment] | None:
        """The segments themselves, if all rows are in this process."""
        ...

    @property
    def masses(self) -> Sequence[Measure]:
        """Weight of each class in each segment, of all blocks together."""
        ...

    @property
    def tables(self) -> Sequence[Tables]:
        """The tables of each segment."""
        ...

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        ...

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        ...

    def parts(self) -> Sequence["Segments"]:
        """Return the segments one by one."""
        ...

    def __len__(self) -> int: ...


class MemorySegments(tuple[Segment, ...]):
    """Segments whose rows are in this process: one block."""

    __slots__ = ()

    @property
    def blocks(self) -> MemoryBlocks[Sequence[Segment]]:
        """All rows as one block."""
        return MemoryBlocks([self])

    @property
    def local(self) -> Sequence[Segment]:
        """The segments themselves."""
        return self

    @property
    def masses(self) -> list[Measure]:
        """Weight of each class in each segment."""
        return [segment.mass for segment in self]

    @property
    def tables(self) -> list[Tables]:
        """The tables of each segment."""
        return [segment.tables for segment in self]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self[0].n_classes

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self[0].n_columns

    def parts(self) -> list["MemorySegments"]:
        """Return the segments one by one."""
        return [MemorySegments([segment]) for segment in self]


def segment_arrays(segment: Segment, slopes: Sequence[float]) -> tuple[NDArray[Any], ...]:
    """Return a segment in the order that the compiled core expects."""
    codes, tables = segment.codes, segment.tables
    coded: tuple[NDArray[Any], ...] = (codes.narrow, codes.wide, *codes.sparse.arrays, codes.place)
    learned = (tables.offsets, np.ascontiguousarray(tables.entries), tables.start)
    return (*coded, *learned, segment.target, segment.weights, np.array(slopes, dtype=np.float64))


class Engine(Protocol):
    """Holds the state of all rows of all segments; rows never leave it.

    A subset's score is the mean of its scores on the segments. ``segment_scores`` are those of the present state.
    """

    @property
    def segment_scores(self) -> Sequence[float]:
        """Scores on the segments, as of the last ``reset``, ``apply`` or ``restore``."""
        ...

    def reset(self, weights: Mapping[int, float]) -> float:
        """Set the weights of all columns; return the score."""
        ...

    def score(self, moves: Sequence[Move], *, exact: bool = False) -> NDArray[np.float64]:
        """Return the score after each move, without making it.

        The two best scores, and all that tie with them, are exact. The others may be approximations that are smaller,
        unless ``exact`` is asked for.
        """
        ...

    def apply(self, move: Move) -> float:
        """Make one move; return the score after it."""
        ...

    def snapshot(self) -> Any:
        """Return a token of the present state."""
        ...

    def restore(self, token: Any) -> None:
        """Return exactly to the state of a token."""
        ...


Words = NDArray[np.uint64]  # measures of 128 bits: the last axis is (low, high)


class Scorer:
    """Scores of the segments, and their mean."""

    def __init__(self, criterion: Criterion, masses: Sequence[Measure]) -> None:
        lines = [criterion.line(mass, pool(masses)) for mass in masses]
        self._segments = [_common(*line) for line in lines]
        self._denominator = lcm(*(denominator for _, _, denominator in self._segments)) * len(lines)
        # What each measure of each segment, and each constant, counts over the common denominator.
        shares = [self._denominator // (denominator * len(lines)) for _, _, denominator in self._segments]
        self._coefficients = [
            share * slope for share, (slopes, _, _) in zip(shares, self._segments, strict=True) for slope in slopes
        ]
        # Measures that count the same are added up before they are multiplied.
        self._distinct = list(dict.fromkeys(self._coefficients))
        self._alike = [np.flatnonzero([c == each for each in self._coefficients]) for c in self._distinct]
        self._constant = sum(share * c for share, (_, c, _) in zip(shares, self._segments, strict=True))
        self.constant = self._constant / self._denominator
        self.slopes = [[float(slope / len(lines)) for slope in slopes] for slopes, _ in lines]

    def segment_scores(self, measures: Sequence[Measure]) -> tuple[float, ...]:
        """Return the score on each segment."""
        return tuple(
            (sum(map(mul, slopes, measure)) + constant) / denominator
            for (slopes, constant, denominator), measure in zip(self._segments, measures, strict=True)
        )

    def mean(self, measures: Sequence[Measure]) -> float:
        """Return the mean score."""
        return self._mean(self._coefficients, [part for measure in measures for part in measure])

    def means(self, words: Words) -> Floats:
        """Return the mean score of each of several moves, given 128-bit measures (n, n_segments, n_measures, 2)."""
        words = words.reshape(len(words), -1, 2)
        low, high = words[:, :, 0], words[:, :, 1]
        if high.any() or int(low.max(initial=0)) >= 2**63 // max(1, low.shape[1]):
            pairs = zip(low.tolist(), high.tolist(), strict=True)
            coefficients, sums = self._coefficients, [tuple(map(wide, *pair)) for pair in pairs]
        else:  # in 64 bits
            coefficients = self._distinct
            alike = [low] if len(coefficients) == 1 else [low[:, which] for which in self._alike]
            sums = [*zip(*(each.sum(axis=1).tolist() for each in alike), strict=True)]
        # Contenders are often ties: each sum is turned into a score once.
        scores = {each: self._mean(coefficients, each) for each in set(sums)}
        return np.array([scores[each] for each in sums], dtype=np.float64)

    def _mean(self, coefficients: Sequence[int], measures: Sequence[int]) -> float:
        total: int = sum(map(mul, coefficients, measures)) + self._constant
        return total / self._denominator


def _common(slopes: Sequence[Fraction], constant: Fraction) -> tuple[list[int], int, int]:
    """Write slopes and constant as integers over one denominator."""
    denominator = lcm(constant.denominator, *(slope.denominator for slope in slopes))
    return [int(slope * denominator) for slope in slopes], int(constant * denominator), denominator


def pool(measures: Sequence[Measure]) -> Measure:
    """Return the measure of all rows, given that of each segment."""
    return tuple(map(sum, zip(*measures, strict=True)))


def integers_of(words: Words) -> list[Measure]:
    """Read 128-bit measures, (low, high) words, of each segment."""
    return [tuple(wide(low, high) for low, high in segment) for segment in words.tolist()]


def add_words(a: Words, b: Words) -> Words:
    """Add integers of 128 bits."""
    low: Words = a[..., 0] + b[..., 0]
    carry = (low < a[..., 0]).astype(np.uint64)
    return np.stack([low, a[..., 1] + b[..., 1] + carry], axis=-1)


def wide(low: int, high: int) -> int:
    """Return an integer of 128 bits."""
    return low + (high << 64)
