"""Bins, tables and codes of rows in blocks.

Each block summarises its columns, the summaries are merged, and from the merged ones every fold learns as it would from
rows in this process. Then each block codes its own rows, and keeps them.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding import Codes, CodingRule, Grid, Intervals, Partition, SketchedValues, count_values, merge_values
from bayesieve.coding.value_counts import MOST_VALUES
from bayesieve.data import LabeledColumns, RowBlocks, Strata, Table, Values
from bayesieve.data.encoded_values import EncodedValues
from bayesieve.data.ordered_values import as_numbers
from bayesieve.engine import BlockSegments, Segment, join_segments
from bayesieve.explanations.redundancy import spread_rows
from bayesieve.models import Model, Tables
from bayesieve.training.block_folds import with_parts
from bayesieve.training.block_rows import BlockedRows, BlockRows
from bayesieve.training.fold_counts import FoldCounts
from bayesieve.training.learning import FoldLearner, LearnedColumns, LearnedFold, learn_columns

__all__ = ["BlockFold", "CodedBlock", "block_segments", "learn_in_blocks", "spread_segment"]

Ints = NDArray[np.int64]
Parts = NDArray[np.int32]
Dealt = tuple[BlockRows, Parts]

_MOST_COUNTS: Final = 1 << 29  # bytes that the summaries of some columns may take


class BlockFold(NamedTuple):
    """A fold that learns from all rows but one part, and scores that part; or scores what it learns from."""

    part: int
    scores_own: bool


@dataclass(frozen=True)
class CodedBlock:
    """What a block keeps: its part of each fold's scored rows, and a few rows spread over all."""

    segments: list[Segment]
    spread: Segment


def learn_in_blocks(
    sample: BlockedRows,
    told: Sequence[Any],
    folds: Sequence[BlockFold],
    rule: CodingRule,
    model: Model,
    *,
    code_last: bool,
    n_threads: int = 1,
    wanted: Collection[int] = (),
    dropped: Collection[int] = (),
) -> tuple[LearnedColumns, RowBlocks[CodedBlock]]:
    """Learn partitions and tables of each fold, and let each block code the rows that folds score.

    ``told`` says to which parts the rows of each block belong. The last fold learns from all rows; of it, only a few
    rows are coded unless ``code_last``.
    """
    dealt = with_parts(sample.rows, told)
    n_parts = 1 + max(fold.part for fold in folds)
    tally = _Tally(sample.n_classes, n_parts, [fold.part for fold in folds])
    masses = tally.masses(with_parts(sample.targets, told))
    learners = [
        FoldLearner(fold.part, sample.unit, model, mass, n_threads) for fold, mass in zip(folds, masses, strict=True)
    ]
    left = [j for j in range(len(sample.names)) if j not in dropped]
    blocks = _summaries(dealt, left, tally.n_strata, sample.n_classes, n_threads)
    lessons = learn_columns(sample, blocks, tally, learners, rule, wanted=wanted, dropped=dropped)
    orders = [_Order(fold, learnt) for fold, learnt in zip(folds, lessons.folds, strict=True)]
    wishes = (
        orders if code_last else orders[:-1],
        orders[-1].learnt,
        lessons.columns,
        spread_rows(sample.n_rows),
    )
    return lessons, dealt.map(_code_block, *wishes, sample.n_classes).keep()


@dataclass(frozen=True)
class _Order:
    """What a fold wants coded, and how."""

    fold: BlockFold
    learnt: LearnedFold


@dataclass(frozen=True)
class _Summaries(LabeledColumns):
    """Columns whose rows were counted elsewhere."""

    counts: Ints

    def take(self, which: NDArray[np.intp]) -> "_Summaries":
        """Return a block of some columns."""
        begins = self.offsets
        rows = [np.arange(begins[j], begins[j + 1]) for j in which]
        counts = self.counts[np.concatenate([np.empty(0, dtype=np.intp), *rows])]
        return _Summaries([self.columns[j] for j in which], self.n_threads, counts)


class _Tally:
    """Counts of each fold, from counts by class and by the part that a fold leaves out."""

    def __init__(self, n_classes: int, n_parts: int, left_out: Sequence[int]) -> None:
        self._n_classes, self._n_parts, self._left_out = n_classes, n_parts, left_out

    @property
    def n_strata(self) -> int:
        """Number of counts a label."""
        return self._n_classes * self._n_parts

    def count(self, block: LabeledColumns) -> FoldCounts:
        """Return the weight of each label in each class, for each fold."""
        assert isinstance(block, _Summaries)
        return self._by_fold(block.counts)

    def masses(self, dealt: RowBlocks[Dealt]) -> list[Ints]:
        """Return for each fold the weight of each class."""
        by_fold = self._by_fold(dealt.reduce(_masses, np.add, self._n_classes, self.n_strata)[None])
        return [by_fold[f][0] for f in range(len(self._left_out))]

    def _by_fold(self, counts: Ints) -> FoldCounts:
        by_part = counts.reshape(-1, self._n_parts, self._n_classes)
        return FoldCounts([by_part], [by_part.sum(axis=1)], [(0, part) for part in self._left_out])


def _summaries(
    dealt: RowBlocks[Dealt], columns: Sequence[int], n_strata: int, n_classes: int, n_threads: int
) -> Iterator[tuple[int, _Summaries]]:
    """Yield the merged summaries of neighbouring columns, with the position of the first; as many as memory allows."""
    step = max(1, _MOST_COUNTS // (8 * MOST_VALUES * n_strata))
    for begin in range(0, len(columns), step):
        some = columns[begin : begin + step]
        found: list[Any] = dealt.reduce(_tally_block, _merge_blocks, some, n_classes, n_strata)
        grids = {j: Grid.of(each) for j, each in zip(some, found, strict=True) if isinstance(each, SketchedValues)}
        if grids:
            counted = dealt.reduce(_count_block, _merge_blocks, grids, n_classes, n_strata)
            by_place = dict(zip(grids, counted, strict=True))
            found = [by_place.get(j, each) for j, each in zip(some, found, strict=True)]
        # Columns next to each other are learnt together: what a rule prepares serves all of them.
        for run in np.split(np.arange(len(some)), np.flatnonzero(np.diff(some) > 1) + 1):
            values = [
                Values(found[k].name, found[k].labels, scale=found[k].scale, borders=_borders(grids.get(some[k])))
                for k in run
            ]
            yield some[run[0]], _Summaries(values, n_threads, np.concatenate([found[k].counts for k in run]))


def _borders(grid: Grid | None) -> NDArray[np.float64] | None:
    return None if grid is None else grid.borders


def _strata(dealt: Dealt, n_classes: int, n_strata: int) -> Strata:
    rows, parts = dealt
    units = rows.weights.units
    plain = bool((units == 1).all())
    return Strata(parts * np.int32(n_classes) + rows.target.codes, n_strata, None if plain else units)


def _masses(dealt: Dealt, n_classes: int, n_strata: int) -> Ints:
    strata = _strata(dealt, n_classes, n_strata)
    mass = np.zeros(n_strata, dtype=np.int64)
    np.add.at(mass, strata.of_row, 1 if strata.weights is None else strata.weights)
    return mass


def _numbers(table: Table, j: int) -> Any:
    """Return a column's numbers and what they stand for; None where it has labels."""
    values, nominal = table.get(j)
    return None if nominal or isinstance(values, EncodedValues) else as_numbers(values)


def _tally_block(dealt: Dealt, columns: Sequence[int], n_classes: int, n_strata: int) -> list[Any]:
    table = dealt[0].table
    if table is None:
        return []
    strata = _strata(dealt, n_classes, n_strata)
    return [count_values(table.names[j], _numbers(table, j), lambda j=j: table.column(j), strata) for j in columns]


def _count_block(dealt: Dealt, grids: dict[int, Grid], n_classes: int, n_strata: int) -> list[Any]:
    table = dealt[0].table
    if table is None:
        return []
    strata = _strata(dealt, n_classes, n_strata)
    # Where a block has nothing but missing values, its type may say nothing of numbers.
    empty = np.full(table.n_rows, np.nan)
    found = ((grid, _numbers(table, j)) for j, grid in grids.items())
    return [grid.count(empty if numbers is None else numbers[0], strata) for grid, numbers in found]


def _merge_blocks(a: list[Any], b: list[Any]) -> list[Any]:
    """Merge the summaries of each column; a block without rows has none."""
    return [merge_values(*both) for both in zip(a, b, strict=True)] if a and b else a or b


def _code_block(
    dealt: Dealt,
    orders: Sequence[_Order],
    last: LearnedFold,
    columns: Ints,
    spread: NDArray[np.intp],
    n_classes: int,
) -> CodedBlock:
    rows, parts = dealt
    chosen = [_chosen(rows, parts, order.fold) for order in orders]
    own = spread[(spread >= rows.first) & (spread < rows.first + len(parts))] - rows.first
    wanted = [(order.learnt.partitions, each) for order, each in zip(orders, chosen, strict=True)]
    *coded, few = _code([*wanted, (last.partitions, own)], rows.table, columns)
    segments = [
        _segment(codes, rows, each, order.learnt.tables, n_classes)
        for codes, each, order in zip(coded, chosen, orders, strict=True)
    ]
    return CodedBlock(segments, _segment(few, rows, own, last.tables, n_classes))


def _chosen(rows: BlockRows, parts: Parts, fold: BlockFold) -> NDArray[np.intp]:
    """Return the rows that a fold scores, in the order of the classes, as the engine wants them."""
    inside = parts != fold.part if fold.part and fold.scores_own else parts == fold.part
    which = np.arange(len(parts)) if not fold.part else np.flatnonzero(inside)
    return which[np.argsort(rows.target.codes[which], kind="stable")]


def _segment(codes: Codes, rows: BlockRows, which: NDArray[np.intp], tables: Tables, n_classes: int) -> Segment:
    return Segment(codes, rows.target.codes[which], rows.weights.units[which], tables, n_classes)


def _code(
    wanted: Sequence[tuple[Sequence[Partition], NDArray[np.intp]]], table: Table | None, columns: Ints
) -> list[Codes]:
    """Return the codes of some rows under some partitions, for each such wish; each column is read once."""
    made = [Codes.empty([partition.n_bins for partition in partitions], len(which)) for partitions, which in wanted]
    for k, j in enumerate(columns.tolist() if table is not None else []):
        assert table is not None
        numbers = _numbers(table, j)
        column = None
        known: dict[int, NDArray[np.intp]] = {}
        for codes, (partitions, which) in zip(made, wanted, strict=True):
            partition = partitions[k]
            if id(partition) not in known:
                if numbers is not None and isinstance(partition, Intervals):
                    known[id(partition)] = partition.code_numbers(numbers[0])
                else:
                    column = table.column(j) if column is None else column
                    known[id(partition)] = partition.bins_of(column)[column.ids]
            codes.column(k)[:] = known[id(partition)][which]
    return made


def block_segments(
    coded: RowBlocks[CodedBlock], lessons: LearnedColumns, which: Sequence[int], n_classes: int
) -> BlockSegments:
    """Return the segments of some folds."""
    blocks = coded.map(_segments_of, which)
    masses = [tuple(each.tolist()) for each in blocks.reduce(_segment_masses, _add_masses)]
    return BlockSegments(blocks, masses, [lessons.folds[f].tables for f in which], n_classes)


def _segments_of(block: CodedBlock, which: Sequence[int]) -> list[Segment]:
    return [block.segments[f] for f in which]


def _segment_masses(segments: Sequence[Segment]) -> list[Ints]:
    return [np.array(segment.mass, dtype=np.int64) for segment in segments]


def _add_masses(a: list[Ints], b: list[Ints]) -> list[Ints]:
    return [x + y for x, y in zip(a, b, strict=True)]


def spread_segment(coded: RowBlocks[CodedBlock]) -> Segment:
    """Return the few rows that tell how columns depend on each other."""
    return coded.reduce(_spread_of, join_segments)


def _spread_of(block: CodedBlock) -> Segment:
    return block.spread
