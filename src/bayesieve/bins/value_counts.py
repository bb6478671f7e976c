# SPDX-License-Identifier: BSD-3-Clause
"""A sample of a column's numbers, and the cells that it suggests: borders at quantiles, frequent values alone.

One row of each stretch is sampled, 2^17 in all, and a border stands at every 32nd of the sorted sample, so that there
are 4,096 cells of about equal size. The rows of a cell that are sampled are a sum of independent draws, to which
Chernoff's bound applies: the probability that a cell of s sampled rows holds more than c shares of 1/4096 of all rows
is at most exp(-(32 c - s - s ln(32 c / s))).
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.bins.cells import Numbers, count_cells
from bayesieve.bins.finest_bins import readable_between
from bayesieve.data import DenseBatch, Scale, Strata, Table
from bayesieve.data.column import in_order, refuse_infinite
from bayesieve.exceptions import DataError

__all__ = [
    "MOST_SAMPLED",
    "MOST_VALUES",
    "CountedValues",
    "ExpectedValues",
    "Grid",
    "GridCounts",
    "ManyValues",
    "ValueSample",
    "count_column",
    "count_on_grid",
    "count_values",
    "merge_samples",
    "merge_values",
    "refuse_mixed",
]


MOST_VALUES: Final = 1 << 15  # numbers that are counted exactly
MOST_SAMPLED: Final = 1 << 17  # rows
_CELLS: Final = 4096


@dataclass(frozen=True)
class ValueSample:
    """Numbers of some rows of a column, NaN if missing."""

    name: str
    numbers: Numbers
    scale: Scale

    def labels(self) -> tuple[Floats, bool]:
        """Return the distinct numbers in order, and whether one of them was sampled only once."""
        labels, sizes = np.unique(self._present(), return_counts=True)
        wide = labels.astype(np.float64)
        refuse_infinite(self.name, wide)
        return wide, bool((sizes == 1).any())

    def grid(self) -> "Grid":
        """Return cells of about equal size, and cells of single frequent values.

        A border has few digits: it stands anywhere between the neighbors of a quantile, at most an eighth of a cell
        away. A value that fills a cell of the sample has a cell of its own.
        """
        ordered = np.sort(self._present()).astype(np.float64)
        n = len(ordered)
        size, reach = max(1, n // _CELLS), max(1, n // _CELLS // 8)
        places = np.unique(np.arange(1, _CELLS) * n // _CELLS)
        places = places[(places >= reach) & (places <= n - reach)]
        left, right = ordered[places - reach], ordered[places + reach - 1]
        borders = np.where(left < right, readable_between(left, right), left)
        apart = max(2, size) - 1
        alone = np.unique(ordered[apart:][ordered[apart:] == ordered[: max(0, n - apart)]])
        borders = np.unique(np.concatenate([borders, alone, np.nextafter(alone, -np.inf)]))
        return Grid(self.name, _labels(ordered, borders), borders, self.scale)

    def _present(self) -> Numbers:
        return self.numbers[~np.isnan(self.numbers)] + self.numbers.dtype.type(0)


def _labels(ordered: Floats, borders: Floats) -> Floats:
    """Return for each cell the middle one of its sampled numbers, or another number if it has none."""
    ends = np.append(ordered.searchsorted(borders, side="right"), len(ordered))
    begins = np.append(0, ends[:-1])
    beyond = np.nextafter(borders[-1:], np.inf) if len(borders) else np.zeros(1)
    sampled = np.append(ordered, 0.0)[np.minimum((begins + ends - 1) // 2, len(ordered))]
    labels: Floats = np.where(begins < ends, sampled, np.append(borders, beyond))
    return labels


@dataclass(frozen=True)
class Grid:
    """Cells of numbers: each has a label and borders to its neighbors; a border belongs to the cell below."""

    name: str
    labels: Floats
    borders: Floats
    scale: Scale = Scale.numeric


@dataclass(frozen=True)
class ExpectedValues:
    """Numbers that are counted one by one; there may be others."""

    name: str
    labels: Floats
    scale: Scale = Scale.numeric


def merge_samples(a: ValueSample | None, b: ValueSample | None) -> ValueSample | None:
    """Join the samples of two blocks of rows; None stands for labels, which are not sampled."""
    if a is None or b is None:
        other = b if a is None else a
        if other is not None and not np.isnan(other.numbers).all():
            raise refuse_mixed(other.name)
        return None
    has_numbers = [not np.isnan(each.numbers).all() for each in (a, b)]
    if all(has_numbers) and a.scale is not b.scale:
        raise refuse_mixed(a.name)
    return ValueSample(a.name, np.concatenate([a.numbers, b.numbers]), (b if has_numbers[1] else a).scale)


def refuse_mixed(name: str) -> DataError:
    """Return the error of a column whose blocks differ in kind."""
    return DataError(
        f"Column {name!r} holds different kinds of values (numbers, dates, labels) in different blocks of rows; "
        "one type in all of them is expected."
    )


Labels = Floats | tuple[Any, ...]

_MOST_LABELS: Final = 1 << 20
_INFINITE: Final = np.array([np.inf])


@dataclass(frozen=True)
class CountedValues:
    """Distinct values in order, and the weight of each in each stratum, missing values last; levels as in `Values`."""

    name: str
    labels: Labels
    counts: Ints
    scale: Scale = Scale.numeric
    levels: tuple[Any, ...] | None = None

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
    counts = DenseBatch.of([column]).count(strata)
    return CountedValues(column.name, column.labels, counts, column.scale, column.levels)


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
    return CountedValues(a.name, labels, counts, kind.scale, _merge_levels(a, b))


def _merge_levels(a: CountedValues, b: CountedValues) -> tuple[Any, ...] | None:
    """Return the order of categories, which is the same in all blocks that have values."""
    if a.levels != b.levels and len(a.labels) and len(b.labels):
        orders = " and ".join("none" if each is None else f"{list(each)!r:.60}" for each in (a.levels, b.levels))
        raise DataError(f"Column {a.name!r} has different orders of its categories in different blocks: {orders}.")
    return a.levels if len(a.labels) else b.levels


def _too_many(name: str) -> DataError:
    return DataError(
        f"Column {name!r} has more than {_MOST_LABELS} distinct labels; it looks like an identifier, so leave it out."
    )
