# SPDX-License-Identifier: BSD-3-Clause
"""Codes of rows in blocks: each block codes its own rows, and keeps them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import add
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins import Codes, Intervals, Partition
from bayesieve.bins.cells import cells_of, code_cells
from bayesieve.data import RowBlocks, Table
from bayesieve.data.blocks.block_survey import LabeledBlock
from bayesieve.fit.block_folds import FoldNumbers, NumberedRows
from bayesieve.fit.block_learning import BlockFold
from bayesieve.fit.coded_folds import (
    RowScorer,
    ScoredRows,
    class_segments,
    distinct_rows,
    merge_scored,
    segment_fingerprints,
)
from bayesieve.fit.fold_counts import sampled_rows
from bayesieve.fit.learning import LearnedColumns, LearnedFold
from bayesieve.fit.memory_rows import MemoryFolds
from bayesieve.models import Model, Tables
from bayesieve.search import WeightedSubset
from bayesieve.search.engine import BlockSegments, Segment, join_segments

__all__ = [
    "BlockFolds",
    "BlockScorer",
    "CodedBlock",
    "block_folds",
    "code_all",
    "code_blocks",
    "code_sample",
    "sampled_segment",
]

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class CodedBlock:
    """What a block keeps: its share of each fold's validation rows, and a few rows sampled from all."""

    segments: list[Segment]
    sample: Segment


@dataclass(frozen=True)
class _CodedFold:
    """A fold, and how its rows are coded."""

    fold: BlockFold
    learned: LearnedFold


def code_blocks(
    rows: RowBlocks[NumberedRows], folds: Sequence[BlockFold], columns: LearnedColumns, n_rows: int, n_classes: int
) -> RowBlocks[CodedBlock]:
    """Code the rows that some folds score, by what they learned, and a sample by what the last one learned."""
    coded = [_CodedFold(fold, learned) for fold, learned in zip(folds, columns.folds, strict=False)]
    return rows.map(_code_block, coded, columns.folds[-1], columns.columns, sampled_rows(n_rows), n_classes).keep()


def code_sample(rows: RowBlocks[NumberedRows], columns: LearnedColumns, n_classes: int) -> Segment:
    """Code the rows with a number above 0 by what all rows learned; they come to this process, in order of class."""
    return _in_order_of_class(rows.reduce(_code_numbered, join_segments, columns.folds[-1], columns.columns, n_classes))


def code_all(
    rows: RowBlocks[NumberedRows], columns: LearnedColumns, n_classes: int
) -> tuple[Segment, RowBlocks[Segment]]:
    """Code all rows that have a weight by what all rows learned; those with a number above 0 come here, too."""
    coded = rows.map(_code_weighted, columns.folds[-1], columns.columns, n_classes).keep()
    return _in_order_of_class(coded.reduce(_sampled, join_segments)), coded.map(_every_row)


def _in_order_of_class(segment: Segment) -> Segment:
    return _taken(segment, np.argsort(segment.target, kind="stable"))


def _taken(segment: Segment, which: Rows) -> Segment:
    """Return some rows of a segment."""
    codes = replace(segment.codes, narrow=segment.codes.narrow[:, which], wide=segment.codes.wide[:, which])
    return replace(segment, codes=codes, target=segment.target[which], weights=segment.weights[which])


def _code_numbered(numbered: NumberedRows, last: LearnedFold, columns: Ints, n_classes: int) -> Segment:
    rows, numbers = numbered
    which = np.flatnonzero(numbers)
    (codes,) = _code([(last.partitions, which)], rows.table, columns)
    return _segment(codes, rows, which, last.tables, n_classes)


def _code_weighted(
    numbered: NumberedRows, last: LearnedFold, columns: Ints, n_classes: int
) -> tuple[Segment, NDArray[np.bool_]]:
    """Return the coded rows that have a weight, and which of them have a number."""
    rows, numbers = numbered
    which = np.flatnonzero(rows.weights.units > 0)
    (codes,) = _code([(last.partitions, which)], rows.table, columns)
    return _segment(codes, rows, which, last.tables, n_classes), numbers[which] > 0


def _sampled(block: tuple[Segment, NDArray[np.bool_]]) -> Segment:
    return _taken(block[0], np.flatnonzero(block[1]))


def _every_row(block: tuple[Segment, NDArray[np.bool_]]) -> Segment:
    return block[0]


def _code_block(
    numbered: NumberedRows,
    folds: Sequence[_CodedFold],
    last: LearnedFold,
    columns: Ints,
    sample: Rows,
    n_classes: int,
) -> CodedBlock:
    rows, numbers = numbered
    scored = [_scored_rows(rows, numbers, each.fold) for each in folds]
    own = sample[(sample >= rows.first) & (sample < rows.first + len(numbers))] - rows.first
    by_fold = [(each.learned.partitions, which) for each, which in zip(folds, scored, strict=True)]
    *codes_by_fold, sample_codes = _code([*by_fold, (last.partitions, own)], rows.table, columns)
    segments = [
        _segment(codes, rows, which, each.learned.tables, n_classes)
        for codes, which, each in zip(codes_by_fold, scored, folds, strict=True)
    ]
    return CodedBlock(segments, _segment(sample_codes, rows, own, last.tables, n_classes))


def _scored_rows(rows: LabeledBlock, numbers: FoldNumbers, fold: BlockFold) -> Rows:
    """Return the rows that a fold scores, in the order of the classes, as the engine requires."""
    inside = numbers != fold.number if fold.number and fold.scores_training_rows else numbers == fold.number
    which = np.arange(len(numbers)) if not fold.number else np.flatnonzero(inside)
    return which[np.argsort(rows.target.codes[which], kind="stable")]


def _segment(codes: Codes, rows: LabeledBlock, which: Rows, tables: Tables, n_classes: int) -> Segment:
    return Segment(codes, rows.target.codes[which], rows.weights.units[which], n_classes, tables)


def _code(by_fold: Sequence[tuple[Sequence[Partition], Rows]], table: Table | None, columns: Ints) -> list[Codes]:
    """Return for each fold the codes of its rows under its partitions; each column is read once."""
    made = [Codes.empty([partition.n_bins for partition in partitions], len(which)) for partitions, which in by_fold]
    found = [] if table is None else table.column_numbers(columns.tolist())
    for k, numbers in enumerate(found):
        assert table is not None
        column = None
        for codes, (partitions, which) in zip(made, by_fold, strict=True):
            partition = partitions[k]
            if numbers is not None and isinstance(partition, Intervals):
                code_cells(numbers[0], *cells_of(partition), which, codes.column(k))
                continue
            column = table.column(int(columns[k])) if column is None else column
            codes.column(k)[:] = partition.bins_of(column)[column.ids[which]]
    return made


class BlockScorer:
    """Scores rows in blocks: rows with the same class and scores count as one, with their weight."""

    def __init__(self, blocks: RowBlocks[Sequence[Segment]], model: Model, *, joined: bool) -> None:
        self._blocks, self._model, self._joined = blocks, model, joined

    def score(self, subset: WeightedSubset) -> list[ScoredRows]:
        """Return scores, classes and weights of the rows."""
        return self._blocks.reduce(_score_block, merge_scored, self._model, subset, self._joined)


def _score_block(segments: Sequence[Segment], model: Model, subset: WeightedSubset, joined: bool) -> list[ScoredRows]:
    return [distinct_rows(rows) for rows in RowScorer(segments, model, joined=joined).score(subset)]


_MOST_SAMPLED: Final = 1 << 19  # rows

_MOST_CODES: Final = 1 << 28  # bytes


@dataclass(frozen=True)
class BlockFolds(BlockSegments):
    """A segment per fold, in blocks of rows."""

    def scorer(self, model: Model, *, joined: bool) -> BlockScorer:
        """Return what scores these rows by candidates, fold by fold or joined."""
        return BlockScorer(self.blocks, model, joined=joined)

    def fingerprints(self) -> list[str]:
        """Return a fingerprint per block of all that decides the scores."""
        return self.blocks.reduce(segment_fingerprints, add)

    def leave_one_out(self) -> "BlockFolds":
        """Return the rows of each class, with tables from which each row itself is left out."""
        classes = range(self.n_classes)
        tables, mass = [self.tables[0].without_own(c) for c in classes], self.masses[0]
        masses = [tuple(mass[c] if c == own else 0 for c in classes) for own in classes]
        return BlockFolds(self.blocks.map(class_segments, tables), masses, tables, self.n_classes)

    def in_memory(self, unit: float) -> "tuple[BlockFolds | MemoryFolds, float]":
        """Return rows that can be held in memory, and the unit of their weights.

        Without the memory for all rows, an evenly spread sample stands for them, and each row for those in between.
        """
        if self.blocks.holds:
            return self, unit
        n_rows = self.blocks.reduce(_n_rows, add)
        most = max(1, min(_MOST_SAMPLED, _MOST_CODES // max(1, self.n_columns)))
        step = -(-n_rows // most)
        return MemoryFolds(each for each in self.sampled(step) if each.codes.n_rows), unit * step


def _n_rows(segments: Sequence[Segment]) -> int:
    return sum(segment.codes.n_rows for segment in segments)


def block_folds(
    coded: RowBlocks[CodedBlock], columns: LearnedColumns, which: Sequence[int], n_classes: int
) -> BlockFolds:
    """Return the coded rows of some folds."""
    blocks = coded.map(_segments_of, which)
    masses = [tuple(each.tolist()) for each in blocks.reduce(_segment_masses, _add_masses)]
    return BlockFolds(blocks, masses, [columns.folds[f].tables for f in which], n_classes)


def _segments_of(block: CodedBlock, which: Sequence[int]) -> list[Segment]:
    return [block.segments[f] for f in which]


def _segment_masses(segments: Sequence[Segment]) -> list[Ints]:
    return [np.array(segment.mass, dtype=np.int64) for segment in segments]


def _add_masses(a: list[Ints], b: list[Ints]) -> list[Ints]:
    return [x + y for x, y in zip(a, b, strict=True)]


def sampled_segment(coded: RowBlocks[CodedBlock]) -> Segment:
    """Return the sample of all rows, which measures how columns depend on each other."""
    return coded.reduce(_sample_of, join_segments)


def _sample_of(block: CodedBlock) -> Segment:
    return block.sample
