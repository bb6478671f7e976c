# SPDX-License-Identifier: BSD-3-Clause
"""Values of rows in blocks, counted in two passes: a sample decides how a column is counted, then all rows are.

Columns whose sample has few distinct numbers are counted value by value. If there are more than expected after all,
these columns are counted again by the cells of a grid.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bayesieve._typing import Ints
from bayesieve.coding.value_counts import (
    CountedValues,
    Counts,
    GridCounts,
    ManyValues,
    count_column,
    count_on_grid,
    count_values,
    merge_values,
)
from bayesieve.coding.value_sample import (
    MOST_SAMPLED,
    MOST_VALUES,
    ExpectedValues,
    Grid,
    ValueSample,
    merge_samples,
    refuse_mixed,
)
from bayesieve.data import RowBlocks, Strata, Table, Values
from bayesieve.data.blocks.spread_rows import spread_rows
from bayesieve.training.block_folds import NumberedRows

_Sent = Grid | ExpectedValues | None

__all__ = ["ColumnPlan", "CountShape", "count_planned", "plan_columns", "strata_of"]


class CountShape(NamedTuple):
    """Numbers of rows, classes, and counts per value."""

    n_rows: int
    n_classes: int
    n_strata: int


@dataclass(frozen=True)
class ColumnPlan:
    """How a column is counted.

    Attributes
    ----------
    sample : ValueSample or None
        The sample of a column of numbers; None for a column of labels.
    values : Grid, ExpectedValues or None
        The cells of a column of many numbers, or the numbers that are expected; None for a column of labels.
    n_counts : int
        Number of values or cells that are counted; about, if the sample leaves it open.
    """

    sample: ValueSample | None
    values: Grid | ExpectedValues | None
    n_counts: int

    @classmethod
    def of(cls, sample: ValueSample | None, has_all_rows: bool) -> "ColumnPlan":
        """Return how to count a column, given its sample."""
        if sample is None:
            return cls(None, None, MOST_VALUES)
        labels, has_single = sample.labels()
        expected = ExpectedValues(sample.name, labels, sample.scale)
        if len(labels) > MOST_VALUES:
            return cls(sample, expected, 0).on_grid()
        # What occurs once in a sample leaves room for what does not occur in it.
        is_open = has_single and not has_all_rows
        return cls(sample, expected, MOST_VALUES if is_open else len(labels))

    def on_grid(self) -> "ColumnPlan":
        """Return the same column, counted by cells."""
        assert self.sample is not None
        grid = self.sample.grid()
        return ColumnPlan(None, grid, len(grid.labels))


def plan_columns(rows: RowBlocks[NumberedRows], columns: Sequence[int], shape: CountShape) -> dict[int, ColumnPlan]:
    """Sample some columns, and return how each is counted."""
    every = -(-shape.n_rows // MOST_SAMPLED)
    samples: list[Any] = rows.reduce(_sample_values, _merge_samples, columns, every)
    return {j: ColumnPlan.of(sample, every == 1) for j, sample in zip(columns, samples, strict=True)}


def count_planned(
    rows: RowBlocks[NumberedRows], plans: Mapping[int, ColumnPlan], shape: CountShape
) -> dict[int, tuple[Values, Ints]]:
    """Return the values of each column with their counts."""
    counted = _count(rows, plans, shape)
    more = {j: plans[j].on_grid() for j, counts in counted.items() if isinstance(counts, ManyValues)}
    if more:
        counted |= _count(rows, more, shape)
    final = {**plans, **more}
    return {j: _with_values(counts, final[j].values) for j, counts in counted.items()}


def _with_values(counts: Counts, grid: Any) -> tuple[Values, Ints]:
    if isinstance(counts, CountedValues):
        return Values(counts.name, counts.labels, scale=counts.scale), counts.counts
    assert isinstance(counts, GridCounts)
    return Values(grid.name, grid.labels, scale=grid.scale, borders=grid.borders), counts.counts


def _count(rows: RowBlocks[NumberedRows], plans: Mapping[int, ColumnPlan], shape: CountShape) -> dict[int, Counts]:
    sent = {j: plan.values for j, plan in plans.items()}  # the samples stay here
    counted: list[Counts] = rows.reduce(_count_values, _merge_counts, sent, shape.n_classes, shape.n_strata)
    return dict(zip(plans, counted, strict=True))


def strata_of(numbered: NumberedRows, n_classes: int, n_strata: int) -> Strata:
    """Return the rows of a block by class and fold number."""
    rows, numbers = numbered
    units = rows.weights.units
    plain = bool((units == 1).all())
    return Strata(numbers * np.int32(n_classes) + rows.target.codes, n_strata, None if plain else units)


def _sample_values(numbered: NumberedRows, columns: Sequence[int], every: int) -> list[ValueSample | None]:
    table = numbered[0].table
    if table is None:
        return []
    which = spread_rows(numbered[0].first, table.n_rows, every)
    by_column = zip(columns, table.column_numbers(columns), strict=True)
    return [None if found is None else ValueSample(table.names[j], found[0][which], found[1]) for j, found in by_column]


def _merge_samples(a: list[Any], b: list[Any]) -> list[Any]:
    """Merge the samples of each column; a block without rows has none."""
    return [merge_samples(*both) for both in zip(a, b, strict=True)] if a and b else a or b


def _count_values(numbered: NumberedRows, plans: Mapping[int, _Sent], n_classes: int, n_strata: int) -> list[Counts]:
    table = numbered[0].table
    if table is None:
        return []
    return list(_counts(table, plans, strata_of(numbered, n_classes, n_strata)))


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
