# SPDX-License-Identifier: BSD-3-Clause
"""A sample of a column's numbers, and the cells that it suggests: borders at quantiles, frequent values alone.

One row of each stretch is sampled, 2^17 in all, and a border stands at every 32nd of the sorted sample, so that there
are 4,096 cells of about equal size. The rows of a cell that are sampled are a sum of independent draws, to which
Chernoff's bound applies: the probability that a cell of s sampled rows holds more than c shares of 1/4096 of all rows
is at most exp(-(32 c - s - s ln(32 c / s))).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesieve._typing import Floats
from bayesieve.bins.cells import Numbers
from bayesieve.bins.finest_bins import readable_between
from bayesieve.data import Scale
from bayesieve.data.column import refuse_infinite
from bayesieve.exceptions import DataError

__all__ = ["MOST_SAMPLED", "MOST_VALUES", "ExpectedValues", "Grid", "ValueSample", "merge_samples", "refuse_mixed"]

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
