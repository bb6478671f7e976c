# SPDX-License-Identifier: BSD-3-Clause
"""Entries of score tables in an ONNX graph: positions of values are found for many columns at once, then read.

Operations of onnxruntime on arrays of shape (n_columns, n_rows) take about a nanosecond per value. A binary search made
of them is several times as fast as trees, whose branches a processor guesses wrong, and finds the same bins.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.export.onnx_graph import OnnxGraph, is_text
from bayesieve.export.onnx_steps import Steps, codes_by_position, n_levels, number_steps, thresholds_by_level

__all__ = ["Lookup", "separate_entries", "sum_of_entries"]

_MOST_COLUMNS = 16  # of a batch, whose arrays should stay in the processor's cache
_MOST_ENTRIES = 2**16  # of a batch, with those that fill up shorter tables


@dataclass(frozen=True)
class Axis:
    """A column of a table: its codes are those of texts, or steps of numbers."""

    name: str
    partition: Any

    @cached_property
    def is_text(self) -> bool:
        """Whether values are text."""
        return is_text(self.name, self.partition)

    @cached_property
    def steps(self) -> Steps:
        """The codes of a column of numbers."""
        return number_steps(self.partition)

    @property
    def size(self) -> int:
        """The number of positions that values can have."""
        n_codes: int = self.partition.n_bins + 1
        return n_codes if self.is_text else 2 ** n_levels(self.steps[0])

    def codes(self, size: int) -> NDArray[np.intp]:
        """Return the code of each position; there may be more positions than values can have."""
        if self.is_text:
            return np.arange(size).clip(max=int(self.partition.n_bins))
        return codes_by_position(self.steps[1], size.bit_length() - 1)


@dataclass(frozen=True)
class Lookup:
    """A table of a column or of a pair of columns.

    Attributes
    ----------
    names : tuple of str
        Names of the columns.
    partitions : tuple of Partition
        Their bins.
    entries : float64 array
        One axis per column, with its codes, and a last one for the outputs.
    """

    names: tuple[str, ...]
    partitions: tuple[Any, ...]
    entries: NDArray[np.float64]

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """The columns of the table."""
        return tuple(map(Axis, self.names, self.partitions))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of positions of each column."""
        return tuple(axis.size for axis in self.axes)

    @property
    def kind(self) -> tuple[bool, ...]:
        """Which columns are text."""
        return tuple(axis.is_text for axis in self.axes)

    def by_position(self, sizes: Sequence[int], output: int) -> NDArray[np.float64]:
        """Return the entries of all combinations of positions."""
        codes = [axis.codes(size) for axis, size in zip(self.axes, sizes, strict=True)]
        return self.entries[..., output][np.ix_(*codes)].ravel()


def sum_of_entries(graph: OnnxGraph, lookups: Sequence[Lookup]) -> str:
    """Return the sum of the entries of each row over all tables, shape (n_outputs, n_rows)."""
    n_outputs = lookups[0].entries.shape[-1]
    terms: list[list[str]] = [[] for _ in range(n_outputs)]
    axis = graph.constant(np.array([0]))
    for batch in _batches(lookups):
        for output, entries in enumerate(_entries(graph, batch, n_outputs)):
            terms[output].append(entries if len(batch) == 1 else graph.node("ReduceSum", entries, axis))
    sums = [each[0] if len(each) == 1 else graph.node("Sum", *each) for each in terms]
    return sums[0] if n_outputs == 1 else graph.node("Concat", *sums, axis=0)


def separate_entries(graph: OnnxGraph, lookups: Sequence[Lookup]) -> dict[str, str]:
    """Return the entry of each row in the table of each column, shape (1, n_rows)."""
    rows: dict[str, str] = {}
    for batch in _batches(lookups):
        (entries,) = _entries(graph, batch, 1)
        for i, lookup in enumerate(batch):
            rows[lookup.names[0]] = graph.node("Gather", entries, graph.constant(np.array([i])), axis=0)
    return rows


def _batches(lookups: Sequence[Lookup]) -> Iterator[list[Lookup]]:
    """Group tables of one kind and of similar sizes."""
    batch: list[Lookup] = []
    for lookup in sorted(lookups, key=lambda each: (len(each.kind), each.kind, each.sizes)):
        joined = [*batch, lookup]
        n_entries = len(joined) * int(np.prod(_largest(joined))) if lookup.kind == joined[0].kind else 0
        if batch and (lookup.kind != batch[0].kind or len(joined) > _MOST_COLUMNS or n_entries > _MOST_ENTRIES):
            yield batch
            joined = [lookup]
        batch = joined
    yield batch


def _largest(batch: Sequence[Lookup]) -> tuple[int, ...]:
    return tuple(map(max, zip(*(lookup.sizes for lookup in batch), strict=True)))


def _entries(graph: OnnxGraph, batch: Sequence[Lookup], n_outputs: int) -> list[str]:
    """Return the entries of each output, shape (n_tables, n_rows)."""
    if batch[0].kind == (True,) and n_outputs == 1:
        rows = [graph.text_rows(each.names[0], each.partitions[0], each.entries.ravel()) for each in batch]
        return [_stacked(graph, rows)]
    sizes = _largest(batch)
    places = _positions(graph, [lookup.axes[0] for lookup in batch], sizes[0])
    for a, size in enumerate(sizes[1:], start=1):
        scaled = graph.node("Mul", places, graph.constant(np.array([[size]], dtype=np.int32)))
        places = graph.node("Add", scaled, _positions(graph, [lookup.axes[a] for lookup in batch], size))
    tables = (np.stack([lookup.by_position(sizes, output) for lookup in batch]) for output in range(n_outputs))
    return [graph.node("GatherElements", graph.constant(table), places, axis=1) for table in tables]


def _positions(graph: OnnxGraph, axes: Sequence[Axis], size: int) -> str:
    """Return the positions of values on axes of one kind, shape (n_axes, n_rows)."""
    if axes[0].is_text:
        codes = [graph.text_rows(axis.name, axis.partition, np.arange(axis.size)) for axis in axes]
        return graph.integers(_stacked(graph, codes))
    stacked = _stacked(graph, [axis.name for axis in axes])
    values = graph.node("Reshape", stacked, graph.constant(np.array([len(axes), -1])))
    place: str | None = None
    for thresholds in thresholds_by_level([axis.steps[0] for axis in axes], size.bit_length() - 1):
        known = graph.constant(thresholds)
        # The thresholds of the first level are one per column.
        threshold = known if place is None else graph.node("GatherElements", known, place, axis=1)
        step = graph.integers(graph.node("LessOrEqual", values, threshold))
        place = step if place is None else graph.node("Add", graph.node("Add", place, place), step)
    assert place is not None
    return place


def _stacked(graph: OnnxGraph, rows: Sequence[str]) -> str:
    return rows[0] if len(rows) == 1 else graph.node("Concat", *rows, axis=0)
