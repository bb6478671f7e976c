# SPDX-License-Identifier: BSD-3-Clause
"""Bins and tables of rows in blocks.

Each block counts the values of its columns, the counts are merged, and from the merged ones every fold learns as it
would from rows in this process.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.coding import CodingRule, Grid, SketchedValues, count_values, merge_values
from bayesieve.coding.value_counts import MOST_VALUES
from bayesieve.data import LabeledColumns, RowBlocks, Strata, Table, Values
from bayesieve.data.blocks.block_survey import SurveyedBlocks
from bayesieve.data.column import ordered_numbers
from bayesieve.models import Model
from bayesieve.training.block_folds import NumberedRows
from bayesieve.training.fold_counts import FoldCounts
from bayesieve.training.learning import ColumnRecord, FoldLearner, LearnedColumns, learn_columns

__all__ = ["BlockFold", "column_numbers", "learn_in_blocks"]


_MOST_COUNTS: Final = 1 << 29  # bytes that the counts of some columns may take


class BlockFold(NamedTuple):
    """A fold whose training rows are all but those of its number; it scores the latter, or its training rows."""

    number: int
    scores_training_rows: bool


def learn_in_blocks(
    blocks: SurveyedBlocks,
    rows: RowBlocks[NumberedRows],
    targets: RowBlocks[NumberedRows],
    folds: Sequence[BlockFold],
    rule: CodingRule,
    model: Model,
    *,
    n_threads: int = 1,
    required: Collection[int] = (),
    dropped: Collection[int] = (),
    with_values: bool = False,
) -> LearnedColumns:
    """Learn partitions and tables of each fold; the last one learns from all rows."""
    counter = _BlockCounter(blocks.n_classes, 1 + max(fold.number for fold in folds), [fold.number for fold in folds])
    masses = counter.masses(targets)
    learners = [
        FoldLearner(fold.number, blocks.unit, model, mass, n_threads) for fold, mass in zip(folds, masses, strict=True)
    ]
    n_columns = len(blocks.names)
    columns = [j for j in range(n_columns) if j not in dropped]
    batches = _counted_columns(rows, columns, counter.n_strata, blocks.n_classes, n_threads)
    record = ColumnRecord(n_columns, required, dropped, with_values=with_values)
    return learn_columns(batches, counter, learners, rule.for_table(n_columns), blocks.unit, record)


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
        self._n_classes, self._n_numbers, self._left_out = n_classes, n_numbers, left_out

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
        return FoldCounts([by_number], [by_number.sum(axis=1)], [(0, number) for number in self._left_out])


def _counted_columns(
    rows: RowBlocks[NumberedRows], columns: Sequence[int], n_strata: int, n_classes: int, n_threads: int
) -> Iterator[tuple[int, _CountedColumns]]:
    """Yield the merged counts of neighboring columns, with the position of the first; as many as memory allows."""
    step = max(1, _MOST_COUNTS // (8 * MOST_VALUES * n_strata))
    for begin in range(0, len(columns), step):
        some = columns[begin : begin + step]
        counted: list[Any] = rows.reduce(_count_values, _merge_blocks, some, n_classes, n_strata)
        grids = {j: Grid.of(each) for j, each in zip(some, counted, strict=True) if isinstance(each, SketchedValues)}
        if grids:
            on_grids = rows.reduce(_count_on_grids, _merge_blocks, grids, n_classes, n_strata)
            by_position = dict(zip(grids, on_grids, strict=True))
            counted = [by_position.get(j, each) for j, each in zip(some, counted, strict=True)]
        # Neighboring columns are learned together: what a rule prepares serves all of them.
        for run in np.split(np.arange(len(some)), np.flatnonzero(np.diff(some) > 1) + 1):
            values = [
                Values(counted[k].name, counted[k].labels, scale=counted[k].scale, borders=_borders(grids.get(some[k])))
                for k in run
            ]
            counts = np.concatenate([counted[k].counts for k in run])
            yield some[run[0]], _CountedColumns(values, n_threads, counts)


def _borders(grid: Grid | None) -> NDArray[np.float64] | None:
    return None if grid is None else grid.borders


def _strata(numbered: NumberedRows, n_classes: int, n_strata: int) -> Strata:
    rows, numbers = numbered
    units = rows.weights.units
    plain = bool((units == 1).all())
    return Strata(numbers * np.int32(n_classes) + rows.target.codes, n_strata, None if plain else units)


def _masses(numbered: NumberedRows, n_classes: int, n_strata: int) -> Ints:
    strata = _strata(numbered, n_classes, n_strata)
    mass = np.zeros(n_strata, dtype=np.int64)
    np.add.at(mass, strata.of_row, 1 if strata.weights is None else strata.weights)
    return mass


def column_numbers(table: Table, j: int) -> Any:
    """Return a column's numbers and their scale; None for a column of labels."""
    values, nominal = table.get(j)
    return ordered_numbers(table.names[j], values, nominal)


def _count_values(numbered: NumberedRows, columns: Sequence[int], n_classes: int, n_strata: int) -> list[Any]:
    table = numbered[0].table
    if table is None:
        return []
    strata = _strata(numbered, n_classes, n_strata)
    return [
        count_values(table.names[j], column_numbers(table, j), lambda j=j: table.column(j), strata) for j in columns
    ]


def _count_on_grids(numbered: NumberedRows, grids: dict[int, Grid], n_classes: int, n_strata: int) -> list[Any]:
    table = numbered[0].table
    if table is None:
        return []
    strata = _strata(numbered, n_classes, n_strata)
    # A block of missing values only may have a type that is not numeric.
    empty = np.full(table.n_rows, np.nan)
    by_grid = ((grid, column_numbers(table, j)) for j, grid in grids.items())
    return [grid.count(empty if numbers is None else numbers[0], strata) for grid, numbers in by_grid]


def _merge_blocks(a: list[Any], b: list[Any]) -> list[Any]:
    """Merge the counts of each column; a block without rows has none."""
    return [merge_values(*both) for both in zip(a, b, strict=True)] if a and b else a or b
