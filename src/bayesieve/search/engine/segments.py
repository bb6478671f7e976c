# SPDX-License-Identifier: BSD-3-Clause
"""Segments: validation rows with the tables of their training rows, in this process or in blocks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins import CodedRows, Codes
from bayesieve.data import MemoryBlocks, RowBlocks, add_by_class
from bayesieve.models import Tables
from bayesieve.search.criteria import Measure

__all__ = ["BlockSegments", "MemorySegments", "Segment", "Segments", "join_segments", "scatter", "segment_arrays"]

Coded = TypeVar("Coded", bound=CodedRows)


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
    codes = segment.codes
    tables = segment.tables
    coded: tuple[NDArray[Any], ...] = (codes.narrow, codes.wide, *codes.sparse.arrays, codes.place)
    learned = (tables.offsets, np.ascontiguousarray(tables.entries), tables.start)
    return (*coded, *learned, segment.target, segment.weights, np.array(slopes, dtype=np.float64))


@dataclass(frozen=True)
class BlockSegments:
    """Segments in blocks of rows.

    Attributes
    ----------
    blocks : RowBlocks of sequences of Segment
        Each block's shard of each segment, with the tables of all rows.
    masses : sequence of Measure
        Weight of each class in each segment, of all blocks together.
    tables : sequence of Tables
        The tables of each segment.
    n_classes : int
        Number of classes.
    """

    blocks: RowBlocks[Sequence[Segment]]
    masses: Sequence[Measure]
    tables: Sequence[Tables]
    n_classes: int

    def __len__(self) -> int:
        return len(self.masses)

    @property
    def local(self) -> None:
        """Not the segments themselves: their rows are elsewhere."""
        return None

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.tables[0].offsets) - 1

    def sampled(self, step: int) -> list[Segment]:
        """Return every ``step``-th row of each block's shard of each segment."""
        sampled: list[Segment] = self.blocks.reduce(_sample, _join_all, step)
        return sampled

    def part(self, s: int) -> "BlockSegments":
        """Return one of the segments alone."""
        blocks = self.blocks.map(_segment_alone, s)
        return BlockSegments(blocks, self.masses[s : s + 1], self.tables[s : s + 1], self.n_classes)

    def parts(self) -> list["BlockSegments"]:
        """Return the segments one by one."""
        return [self.part(s) for s in range(len(self))]


def join_segments(a: Coded, b: Coded) -> Coded:
    """Return the rows of two shards of a segment, or of other coded rows."""
    codes = Codes(
        np.concatenate([a.codes.narrow, b.codes.narrow], axis=1),
        np.concatenate([a.codes.wide, b.codes.wide], axis=1),
        a.codes.place,
        a.codes.n_bins,
    )
    target = np.concatenate([a.target, b.target])
    weights = np.concatenate([a.weights, b.weights])
    return replace(a, codes=codes, target=target, weights=weights)


def _sample(segments: Sequence[Segment], step: int) -> list[Segment]:
    return [
        replace(
            each,
            codes=replace(
                each.codes,
                narrow=np.ascontiguousarray(each.codes.narrow[:, ::step]),
                wide=np.ascontiguousarray(each.codes.wide[:, ::step]),
            ),
            target=each.target[::step].copy(),
            weights=each.weights[::step].copy(),
        )
        for each in segments
    ]


def _join_all(a: list[Segment], b: list[Segment]) -> list[Segment]:
    return [join_segments(*both) for both in zip(a, b, strict=True)]


def scatter(segments: Sequence[Segment], n_blocks: int) -> BlockSegments:
    """Cut the rows of segments, as they stand, into blocks: the plainest example, and what tests use."""
    blocks = []
    for k in range(n_blocks):
        ends = [(k * s.codes.n_rows // n_blocks, (k + 1) * s.codes.n_rows // n_blocks) for s in segments]
        blocks.append([_between(segment, *each) for segment, each in zip(segments, ends, strict=True)])
    masses = [segment.mass for segment in segments]
    tables = [segment.tables for segment in segments]
    return BlockSegments(MemoryBlocks(blocks), masses, tables, segments[0].n_classes)


def _segment_alone(segments: Sequence[Segment], s: int) -> Sequence[Segment]:
    return segments[s : s + 1]


def _between(segment: Segment, begin: int, end: int) -> Segment:
    benefits = segment.benefits
    if benefits is not None and len(benefits) > 1:
        benefits = benefits[begin:end]
    return replace(
        segment,
        codes=segment.codes.between(begin, end),
        target=segment.target[begin:end],
        weights=segment.weights[begin:end],
        benefits=benefits,
    )
