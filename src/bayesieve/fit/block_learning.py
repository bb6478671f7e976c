# SPDX-License-Identifier: BSD-3-Clause
"""Bins and tables of rows in blocks, from the counts of their values.

Values are counted in two passes: a sample decides how a column is counted, then all rows are. Columns whose sample has
few distinct numbers are counted value by value. If there are more than expected after all, these columns are counted
again by the cells of a grid.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins.value_counts import (
    MOST_SAMPLED,
    MOST_VALUES,
    CountedValues,
    Counts,
    ExpectedValues,
    Grid,
    GridCounts,
    ManyValues,
    ValueSample,
    count_column,
    count_on_grid,
    count_values,
    merge_samples,
    merge_values,
    refuse_mixed,
)
from bayesieve.data import LabeledColumns, RowBlocks, Strata, Table, Values
from bayesieve.data.blocks.block_survey import SurveyedBlocks
from bayesieve.data.blocks.row_blocks import spread_rows
from bayesieve.fit.block_folds import NumberedRows
from bayesieve.fit.learning import FoldCounts, FoldLearner, LearnedColumns, LearningOptions, learn_columns

__all__ = ["BlockSplit", "learn_in_blocks"]

_MOST_BYTES: Final = 1 << 29  # that the samples or counts of some columns may take
_Sent = Grid | ExpectedValues | None


class BlockSplit(NamedTuple):
    """A fold whose training rows are all but those of its number; it scores the latter, or its training rows."""

    number: int
    scores_training_rows: bool


def learn_in_blocks(
    blocks: SurveyedBlocks,
    rows: RowBlocks[NumberedRows],
    targets: RowBlocks[NumberedRows],
    folds: Sequence[BlockSplit],
    how: LearningOptions,
) -> LearnedColumns:
    """Learn partitions and tables of each fold; the last one learns from all rows.

    Each block counts the values of its columns, the counts are merged, and from the merged ones every fold learns as it
    would from rows in this process.
    """
    counter = _BlockCounter(blocks.n_classes, 1 + max(fold.number for fold in folds), [fold.number for fold in folds])
    masses = counter.masses(targets)
    learners = [FoldLearner(fold.number, blocks.unit, mass, how) for fold, mass in zip(folds, masses, strict=True)]
    n_columns = len(blocks.names)
    columns = [j for j in range(n_columns) if j not in how.dropped]
    shape = _CountShape(blocks.n_rows, blocks.n_classes, counter.n_strata)
    batches = _counted_columns(rows, columns, shape, how.n_threads)
    return learn_columns(batches, counter, learners, n_columns, blocks.unit, how)


@dataclass(frozen=True)
class _CountedColumns(LabeledColumns):
    """Columns whose rows were counted elsewhere."""

    counts: Ints

    def take(self, which: NDArray[np.intp]) -> "_CountedColumns":
        """Return some of the columns."""
        begins = self.offsets
        rows = [np.arange(begins[j], begins[j + 1]) for j in which]
        counts = self.counts[np.concatenate([np.empty(0, dtype=np.intp), *rows])]
        return _CountedColumns([self.columns[j] for j in which], self.n_threads, counts)


class _BlockCounter:
    """Counts of each fold, from counts by class and fold number."""

    def __init__(self, n_classes: int, n_numbers: int, left_out: Sequence[int]) -> None:
        self._n_classes = n_classes
        self._n_numbers = n_numbers
        self._left_out = left_out

    @property
    def n_strata(self) -> int:
        """Number of counts per label."""
        return self._n_classes * self._n_numbers

    def count(self, batch: LabeledColumns) -> FoldCounts:
        """Return the weight of each label in each class, for each fold."""
        assert isinstance(batch, _CountedColumns)
        return self._by_fold(batch.counts)

    def masses(self, targets: RowBlocks[NumberedRows]) -> list[Ints]:
        """Return for each fold the weight of each class."""
        by_fold = self._by_fold(targets.reduce(_masses, np.add, self._n_classes, self.n_strata)[None])
        return [by_fold[f][0] for f in range(len(self._left_out))]

    def _by_fold(self, counts: Ints) -> FoldCounts:
        by_number = counts.reshape(-1, self._n_numbers, self._n_classes)
        return FoldCounts.of([by_number], [(0, number) for number in self._left_out])


class _CountShape(NamedTuple):
    """Numbers of rows, classes, and counts per value."""

    n_rows: int
    n_classes: int
    n_strata: int


@dataclass(frozen=True)
class _ColumnPlan:
    """How a column is counted.

    Attributes
    ----------
    values : Grid, ExpectedValues or None
        The cells of a column of many numbers, or the numbers that are expected; None for a column of labels.
    grid : Grid or None
        The cells that are counted if there are more numbers than expected.
    n_counts : int
        Number of values or cells that are counted; about, if the sample leaves it open.
    """

    values: Grid | ExpectedValues | None
    grid: Grid | None
    n_counts: int

    @classmethod
    def of(cls, sample: ValueSample | None, has_all_rows: bool) -> "_ColumnPlan":
        """Return how to count a column, given its sample."""
        if sample is None:
            return cls(None, None, MOST_VALUES)
        labels, has_single = sample.labels()
        if len(labels) > MOST_VALUES:
            grid = sample.grid()
            return cls(grid, None, len(grid.labels))
        # What occurs once in a sample leaves room for what does not occur in it.
        is_open = has_single and not has_all_rows
        expected = ExpectedValues(sample.name, labels, sample.scale)
        return cls(expected, None if has_all_rows else sample.grid(), MOST_VALUES if is_open else len(labels))


@dataclass(frozen=True)
class _Samples:
    """The samples of all columns in some blocks; a block without rows has none."""

    n_blocks: int
    columns: list[ValueSample | None]

    def plans(self, has_all_rows: bool) -> list[_ColumnPlan]:
        """Return how each column is counted."""
        return [_ColumnPlan.of(sample, has_all_rows) for sample in self.columns]


def _counted_columns(
    rows: RowBlocks[NumberedRows], columns: Sequence[int], shape: _CountShape, n_threads: int
) -> Iterator[tuple[int, _CountedColumns]]:
    """Yield the merged counts of neighboring columns, with the position of the first; as many as memory allows."""
    step = max(1, _MOST_BYTES // (8 * MOST_SAMPLED))
    for begin in range(0, len(columns), step):
        plans = _plan_columns(rows, columns[begin : begin + step], shape)
        for some in _batches(plans, shape):
            counted = _count_planned(rows, some, shape)
            # Neighboring columns are learned together: what a rule prepares serves all of them.
            positions = list(counted)
            for run in np.split(np.array(positions), np.flatnonzero(np.diff(positions) > 1) + 1):
                values = [counted[j][0] for j in run.tolist()]
                counts = np.concatenate([counted[j][1] for j in run.tolist()])
                yield int(run[0]), _CountedColumns(values, n_threads, counts)


def _batches(plans: Mapping[int, _ColumnPlan], shape: _CountShape) -> Iterator[dict[int, _ColumnPlan]]:
    """Yield some columns at a time, whose counts fit the memory."""
    some: dict[int, _ColumnPlan] = {}
    room = _MOST_BYTES
    for j, plan in plans.items():
        need = 8 * shape.n_strata * plan.n_counts
        if some and need > room:
            yield some
            some = {}
            room = _MOST_BYTES
        some[j] = plan
        room = room - need
    if some:
        yield some


def _plan_columns(rows: RowBlocks[NumberedRows], columns: Sequence[int], shape: _CountShape) -> dict[int, _ColumnPlan]:
    """Sample some columns, and return how each is counted."""
    every = -(-shape.n_rows // MOST_SAMPLED)
    merge = partial(_merge_samples, len(rows), every == 1)
    sampled: Any = rows.reduce(_sample_values, merge, columns, every)
    plans = sampled.plans(every == 1) if isinstance(sampled, _Samples) else sampled
    return dict(zip(columns, plans, strict=True))


def _count_planned(
    rows: RowBlocks[NumberedRows], plans: Mapping[int, _ColumnPlan], shape: _CountShape
) -> dict[int, tuple[Values, Ints]]:
    """Return the values of each column with their counts."""
    counted = _count(rows, plans, shape)
    more = {j: replace(plans[j], values=plans[j].grid) for j, each in counted.items() if isinstance(each, ManyValues)}
    if more:
        counted |= _count(rows, more, shape)
    final = {**plans, **more}
    return {j: _with_values(counts, final[j].values) for j, counts in counted.items()}


def _with_values(counts: Counts, grid: Any) -> tuple[Values, Ints]:
    if isinstance(counts, CountedValues):
        return Values(counts.name, counts.labels, scale=counts.scale, levels=counts.levels), counts.counts
    assert isinstance(counts, GridCounts)
    return Values(grid.name, grid.labels, scale=grid.scale, borders=grid.borders), counts.counts


def _count(rows: RowBlocks[NumberedRows], plans: Mapping[int, _ColumnPlan], shape: _CountShape) -> dict[int, Counts]:
    sent = {j: plan.values for j, plan in plans.items()}
    counted: list[Counts] = rows.reduce(_count_values, _merge_counts, sent, shape.n_classes, shape.n_strata)
    return dict(zip(plans, counted, strict=True))


def _sample_values(numbered: NumberedRows, columns: Sequence[int], every: int) -> _Samples:
    table = numbered[0].table
    if table is None:
        return _Samples(1, [])
    which = spread_rows(numbered[0].first, table.n_rows, every)
    by_column = zip(columns, table.column_numbers(columns), strict=True)
    return _Samples(
        1, [None if each is None else ValueSample(table.names[j], each[0][which], each[1]) for j, each in by_column]
    )


def _merge_samples(n_blocks: int, has_all_rows: bool, a: _Samples, b: _Samples) -> _Samples | list[_ColumnPlan]:
    """Join the samples of blocks, and return plans when all blocks are there: these are smaller than samples."""
    columns = a.columns or b.columns
    if a.columns and b.columns:
        columns = [merge_samples(*both) for both in zip(a.columns, b.columns, strict=True)]
    merged = _Samples(a.n_blocks + b.n_blocks, columns)
    return merged.plans(has_all_rows) if merged.n_blocks == n_blocks else merged


def _count_values(numbered: NumberedRows, plans: Mapping[int, _Sent], n_classes: int, n_strata: int) -> list[Counts]:
    table = numbered[0].table
    if table is None:
        return []
    return list(_counts(table, plans, _strata_of(numbered, n_classes, n_strata)))


def _counts(table: Table, plans: Mapping[int, _Sent], strata: Strata) -> Iterator[Counts]:
    for (j, plan), found in zip(plans.items(), table.column_numbers(list(plans)), strict=True):
        if plan is None:
            yield count_column(table, j, strata)
            continue
        # A block of missing values only may have any type.
        numbers, scale = (np.full(table.n_rows, np.nan), plan.scale) if found is None else found
        if found is None and len(table.column(j).labels):
            raise refuse_mixed(plan.name)
        if len(plan.labels) and scale is not plan.scale:
            if not np.isnan(numbers).all():
                raise refuse_mixed(plan.name)
            scale = plan.scale
        if isinstance(plan, Grid):
            yield count_on_grid(plan, numbers, strata)
        else:
            yield count_values(plan, numbers, scale, strata)


def _merge_counts(a: list[Counts], b: list[Counts]) -> list[Counts]:
    """Merge the counts of each column; a block without rows has none."""
    return [merge_values(*both) for both in zip(a, b, strict=True)] if a and b else a or b


def _masses(numbered: NumberedRows, n_classes: int, n_strata: int) -> Ints:
    strata = _strata_of(numbered, n_classes, n_strata)
    mass = np.zeros(n_strata, dtype=np.int64)
    np.add.at(mass, strata.of_row, 1 if strata.weights is None else strata.weights)
    return mass


def _strata_of(numbered: NumberedRows, n_classes: int, n_strata: int) -> Strata:
    """Return the rows of a block by class and fold number."""
    rows, numbers = numbered
    units = rows.weights.units
    plain = bool((units == 1).all())
    return Strata(numbers * np.int32(n_classes) + rows.target.codes, n_strata, None if plain else units)
