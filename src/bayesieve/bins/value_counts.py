# SPDX-License-Identifier: BSD-3-Clause
"""The values of a column with their weights, counted per block of rows and merged.

Few distinct values are counted one by one, and many numbers by the cells of a grid. Both are exact counts.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.bins.cells import Numbers, count_cells
from bayesieve.bins.value_sample import MOST_VALUES, ExpectedValues, Grid, refuse_mixed
from bayesieve.data import DenseBatch, Scale, Strata, Table
from bayesieve.data.column import in_order, refuse_infinite
from bayesieve.exceptions import DataError

__all__ = ["CountedValues", "GridCounts", "ManyValues", "count_column", "count_on_grid", "count_values", "merge_values"]

Labels = Floats | tuple[Any, ...]

_MOST_LABELS: Final = 1 << 20
_INFINITE: Final = np.array([np.inf])


@dataclass(frozen=True)
class CountedValues:
    """Distinct values in order, and the weight of each in each stratum, missing values last."""

    name: str
    labels: Labels
    counts: Ints
    scale: Scale = Scale.numeric

    @property
    def ordered(self) -> bool:
        """Whether the values are numbers."""
        return isinstance(self.labels, np.ndarray)


@dataclass(frozen=True)
class GridCounts:
    """The weight of each cell of a grid in each stratum, missing values last."""

    name: str
    counts: Ints


@dataclass(frozen=True)
class ManyValues:
    """A column with too many distinct numbers to count them one by one."""

    name: str
    scale: Scale


Counts = CountedValues | GridCounts | ManyValues


def count_on_grid(grid: Grid, numbers: Numbers, strata: Strata) -> GridCounts:
    """Count the numbers of some rows by cell."""
    counts, _, infinite = count_cells(numbers, grid.borders, strata)
    if infinite:
        refuse_infinite(grid.name, _INFINITE)
    return GridCounts(grid.name, counts)


def count_values(expected: ExpectedValues, numbers: Numbers, scale: Scale, strata: Strata) -> Counts:
    """Count the numbers of some rows one by one: those that are expected, and others."""
    name, labels = expected.name, expected.labels
    counts, rows, infinite = count_cells(numbers, labels, strata, are_labels=True)
    if infinite:
        refuse_infinite(name, _INFINITE)
    if not len(rows):
        return CountedValues(name, labels, counts, scale)
    others, places = np.unique(numbers[rows].astype(np.float64) + 0.0, return_inverse=True)
    if len(labels) + len(others) > MOST_VALUES:
        return ManyValues(name, scale)
    added = np.zeros((len(others) + 1, strata.n), dtype=np.int64)
    weights = 1 if strata.weights is None else strata.weights[rows]
    np.add.at(added, (places.ravel(), strata.of_row[rows]), weights)
    return _merge_counted(CountedValues(name, labels, counts, scale), CountedValues(name, others, added, scale))


def count_column(table: Table, j: int, strata: Strata) -> CountedValues:
    """Count the distinct values of a column of labels, or of missing values only."""
    column = table.column(j)
    if not column.ordered and len(column.labels) > _MOST_LABELS:
        raise _too_many(column.name)
    return CountedValues(column.name, column.labels, DenseBatch.of([column]).count(strata), column.scale)


def merge_values(a: Counts, b: Counts) -> Counts:
    """Merge the counts of two blocks of rows."""
    if isinstance(a, GridCounts) and isinstance(b, GridCounts):
        return GridCounts(a.name, a.counts + b.counts)
    assert not isinstance(a, GridCounts)
    assert not isinstance(b, GridCounts)
    if isinstance(a, CountedValues) and isinstance(b, CountedValues):
        return _merge_counted(a, b)
    for one, other in ((a, b), (b, a)):
        if isinstance(other, CountedValues) and not len(other.labels):
            return one
    if a.scale is not b.scale or any(isinstance(each, CountedValues) and not each.ordered for each in (a, b)):
        raise refuse_mixed(a.name)
    return ManyValues(a.name, a.scale)


def _merge_counted(a: CountedValues, b: CountedValues) -> Counts:
    if len(a.labels) and len(b.labels) and (a.ordered != b.ordered or a.scale is not b.scale):
        raise refuse_mixed(a.name)
    kind = a if len(a.labels) else b
    if isinstance(kind.labels, np.ndarray):
        own = [np.asarray(each.labels, dtype=np.float64) for each in (a, b)]
        if np.array_equal(own[0], own[1]):
            return CountedValues(a.name, own[0], a.counts + b.counts, kind.scale)
        labels: Labels = np.union1d(*own)
        if len(labels) > MOST_VALUES:
            return ManyValues(a.name, kind.scale)
        places = [np.searchsorted(labels, each) for each in own]
    else:
        both = {*a.labels, *b.labels}
        labels = in_order(both)
        place = {label: i for i, label in enumerate(labels)}
        places = [np.array([place[label] for label in each.labels], dtype=np.intp) for each in (a, b)]
        if len(labels) > _MOST_LABELS:
            raise _too_many(a.name)
    counts = np.zeros((len(labels) + 1, a.counts.shape[1]), dtype=np.int64)
    for each, positions in zip((a, b), places, strict=True):
        counts[positions] += each.counts[:-1]
        counts[-1] += each.counts[-1]
    return CountedValues(a.name, labels, counts, kind.scale)


def _too_many(name: str) -> DataError:
    return DataError(
        f"Column {name!r} has more than {_MOST_LABELS} distinct labels; it looks like an identifier, so leave it out."
    )
