# SPDX-License-Identifier: BSD-3-Clause
"""Segments whose rows are in blocks: each block has a shard of every segment."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from bayesieve.bins import CodedRows, Codes
from bayesieve.data import MemoryBlocks, RowBlocks
from bayesieve.models import Tables
from bayesieve.search.criteria import Measure
from bayesieve.search.engine.base import Segment

__all__ = ["BlockSegments", "BlockState", "Subset", "change_between", "join_segments", "scatter"]

Coded = TypeVar("Coded", bound=CodedRows)

Subset = tuple[tuple[int, float], ...]  # columns and their weights, in order of entry


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
    target, weights = np.concatenate([a.target, b.target]), np.concatenate([a.weights, b.weights])
    return replace(a, codes=codes, target=target, weights=weights)


class BlockState:
    """The rows of one block where they are worked on, and the state that they are in.

    The rows are made once by ``make(segments)`` and kept, but never sent: where a block state arrives, they are made
    again. ``move(rows, present, state)`` takes them from one state (None: unknown) to another. So tasks stay functions
    of block and state, whatever was asked before.
    """

    def __init__(
        self,
        segments: Sequence[Segment],
        make: Callable[[Sequence[Segment]], Any],
        move: Callable[[Any, Any, Any], None],
    ) -> None:
        self._segments, self._make, self._move = segments, make, move
        self._lock = Lock()
        self._rows: Any = None
        self._state: Any = None

    def __reduce__(self) -> Any:
        return BlockState, (self._segments, self._make, self._move)

    def ask(self, task: Callable[..., Any], state: Any, *args: Any) -> Any:
        """Return ``task(rows, *args)`` of the rows in a state; one at a time."""
        with self._lock:
            if self._rows is None:
                self._rows = self._make(self._segments)
            present, self._state = self._state, None  # unknown, if this is interrupted
            self._move(self._rows, present, state)
            self._state = state
            return task(self._rows, *args)


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


def change_between(present: Mapping[int, float] | None, state: Subset) -> tuple[list[tuple[int, float, float]], bool]:
    """Return the changes from one ordered subset to another, and whether they start from nothing.

    Columns leave, others enter at the end. What cannot be reached in this way, an order of entry for instance, is
    made from nothing; so is everything where the present subset is unknown.
    """
    fresh = [(j, 0.0, weight) for j, weight in state]
    if present is None:
        return fresh, True
    goal = dict(state)
    leaving = [(j, weight, 0.0) for j, weight in present.items() if j not in goal]
    shifted = [(j, present[j], weight) for j, weight in state if j in present and present[j] != weight]
    entering = [(j, 0.0, weight) for j, weight in state if j not in present]
    order = [j for j in present if j in goal] + [j for j, _, _ in entering]
    if order == list(goal) and len(leaving) <= len(goal):
        return [*leaving, *shifted, *entering], False
    return fresh, True


def scatter(segments: Sequence[Segment], n_blocks: int) -> BlockSegments:
    """Cut the rows of segments, as they stand, into blocks: the plainest example, and what tests use."""
    blocks = []
    for k in range(n_blocks):
        ends = [(k * s.codes.n_rows // n_blocks, (k + 1) * s.codes.n_rows // n_blocks) for s in segments]
        blocks.append([_between(segment, *each) for segment, each in zip(segments, ends, strict=True)])
    masses, tables = [segment.mass for segment in segments], [segment.tables for segment in segments]
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
