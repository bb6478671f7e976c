# SPDX-License-Identifier: BSD-3-Clause
"""A contingency table prepared for a search of intervals: its values, the cells at each granularity, and their costs.

At granularity g, cuts are borders of about 2^g cells of equal weight.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins.modl.criterion import BinCosts, Prior, bin_costs, finest_granularity, interval_cost, total_weight
from bayesieve.bins.modl.tables import least_units
from bayesieve.exact import pool_violators

__all__ = [
    "Cells",
    "PartitionRules",
    "TableTraits",
    "Values",
    "cell_starts",
    "explored",
    "pure_runs",
    "read_rows",
    "read_values",
]


def cell_starts(mass: Ints, unit: float, granularity: int, fixed_first: bool = False) -> Ints:
    """Return where the cells begin, as positions among the values.

    The border of cell q is the border between two values nearest to N (q + 1) / 2^g, the outer one on ties. Cells
    without a value are dropped; with ``fixed_first`` the first value is a cell of its own. The computation uses integer
    units, so that weights are exactly copies.
    """
    cumulative = np.cumsum(mass)
    total = int(cumulative[-1])
    size = 2**granularity
    # With at least as many cells as units, each border between values is the nearest one of some cell.
    if size >= min(total, ceil(total * unit)):
        return np.arange(len(mass))
    q = np.arange(1, size) if size <= 16 * len(mass) else _decisive_cells(cumulative, size)
    # The aim total · q / size, as an integer and a remainder out of size; neither product overflows.
    quotient, rest = total >> granularity, total & (size - 1)
    aim, remainder = quotient * q + ((rest * q) >> granularity), (rest * q) & (size - 1)
    right = np.searchsorted(cumulative, (aim + (remainder > 0)).astype(np.int64))
    gap = 2 * aim + (2 * remainder >> granularity) - cumulative[np.maximum(right - 1, 0)] - cumulative[right]
    beyond_middle = (gap > 0) | ((gap == 0) & ((2 * remainder & (size - 1) > 0) | (q > size // 2)))
    borders = np.where((right == 0) | beyond_middle, right + 1, right)
    return np.unique(np.append([0, 1] if fixed_first else 0, borders[borders < len(mass)]))


def _decisive_cells(cumulative: Ints, size: int) -> NDArray[np.object_]:
    """Return the first and the last cell whose aim lies within each value, as integers of any size.

    Borders do not decrease with q, so that these have all borders.
    """
    last = np.minimum(cumulative.astype(object) * size // int(cumulative[-1]), size - 1)
    first = np.append(1, last[:-1] + 1)
    return np.unique(np.append(last, first)[np.append(first <= last, first <= last)])


def explored(mass: Ints, unit: float, fixed_first: bool) -> Iterator[tuple[int, Ints]]:
    """Yield the granularities to search, with the starts of their cells.

    A granularity is searched if it has at least 1.5 times as many cells as the previous one, and at most 2 / 3 as many
    as there are values. The last is the first whose cells are the values.
    """
    before = 0
    finest = finest_granularity(float(int(mass.sum())) * unit)
    for granularity in range(1, finest + 1):
        starts = cell_starts(mass, unit, granularity, fixed_first)
        last = len(starts) == len(mass) or granularity == finest
        if last or (2 * len(starts) >= 3 * before and 3 * len(starts) <= 2 * len(mass)):
            yield granularity, starts
        before = len(starts)
        if last:
            return


@dataclass(frozen=True)
class Cells:
    """Cells of positive weight, in order.

    Attributes
    ----------
    counts : int64 array of shape (n_cells, n_classes)
        Weight of each class in each cell, in units.
    unit : float
        A weight is ``counts * unit``.
    structure : int64 array of shape (n_cells + 1,)
        ``structure[k]`` is the cost of the number k of intervals and their bounds; ``structure[0]`` is not used.
    limit : int
        The maximum number of intervals, at least 1.
    least : int
        The minimum weight of an interval, in units. A single interval is always allowed.
    detours : int
        The search also starts from partitions with up to this many intervals more or fewer than the best merge.
    """

    counts: Ints
    unit: float
    structure: Ints
    limit: int
    least: int
    detours: int = 0

    @cached_property
    def bin_costs(self) -> BinCosts:
        """The costs of intervals, given their counts, without the structure."""
        return BinCosts(self.counts.shape[1], self.unit, int(self.counts.sum()))

    def cost(self, cuts: Ints) -> int:
        """Return the cost of the partition with these cuts (numbers of cells to their left)."""
        counts = np.add.reduceat(self.counts, np.append(0, cuts), axis=0)
        return int(self.bin_costs(counts).sum() + self.structure[len(counts)])


def pure_runs(counts: Ints) -> Ints:
    """Return the starts of runs of cells that no optimal cut separates: neighbors with only one, common class.

    Boullé 2006: an optimal cut never separates two rows of one class.
    """
    pure = (counts > 0).sum(axis=1) == 1
    inside = pure[1:] & pure[:-1] & (counts.argmax(axis=1)[1:] == counts.argmax(axis=1)[:-1])
    return np.flatnonzero(np.append(True, ~inside)).astype(np.int64)


@dataclass(frozen=True)
class PartitionRules:
    """The prior and the constraints of a partition.

    Attributes
    ----------
    prior : Prior
        The structure costs.
    min_size : float
        The minimum weight of a bin, unless there is only one; the bin of missing values may be smaller.
    max_bins : int or None
        The maximum number of bins, missing values included.
    """

    prior: Prior
    min_size: float = 0.0
    max_bins: int | None = None


_DETOURS = 2


@dataclass(frozen=True)
class TableTraits:
    """Constraints of one table.

    Attributes
    ----------
    fixed_first : bool
        Whether the first row is *missing*, with its own bin unless a single bin is optimal.
    monotone : int
        1: the share of the second of two classes does not fall from interval to interval; -1: it does not rise.
    """

    fixed_first: bool = False
    monotone: int = 0


@dataclass(frozen=True)
class Values:
    """The values of a table.

    Attributes
    ----------
    counts : int64 array of shape (n_values, n_classes)
        Weight of each value in each class, in units.
    begins : int64 array of shape (n_values,)
        Row of the table after which a cut before this value lies.
    unit : float
        A weight is ``counts * unit``.
    rules : PartitionRules
        The prior and the constraints.
    head : bool
        Whether the first value must have its own bin.
    """

    counts: Ints
    begins: Ints
    unit: float
    rules: PartitionRules
    head: bool

    @cached_property
    def mass(self) -> Ints:
        """Weight of each value, in units."""
        mass: Ints = self.counts.sum(axis=1)
        return mass

    @property
    def total(self) -> float:
        """Weight of all values."""
        return total_weight(self.counts, self.unit)

    @property
    def null(self) -> int:
        """Cost of a single bin."""
        return interval_cost(self.counts.sum(axis=0, keepdims=True), self.unit, self.rules.prior).total

    def granularities(self) -> Iterator[tuple[int, Ints]]:
        """Yield granularities and the values at which their cells begin; 0 and every value if the prior has none."""
        if self.rules.prior.granular:
            return explored(self.mass, self.unit, self.head)
        return iter([(0, np.arange(len(self.mass)))])

    def limit(self, granularity: int) -> int:
        """Return the maximum number of bins at a granularity, the head included."""
        limit = len(self.mass) if self.rules.max_bins is None else self.rules.max_bins
        return min(limit, 2**granularity, ceil(self.total)) if self.rules.prior.granular else limit

    def cells(self, granularity: int, starts: Ints) -> Cells:
        """Return the cells of a granularity without the head, whose cost is included in the structure cost."""
        prior, head = self.rules.prior, int(self.head)
        counts = np.add.reduceat(self.counts, starts, axis=0)
        n_bins = np.arange(len(counts) - head + 1) + head
        structure = prior.intervals(np.maximum(n_bins, 1), self.total, granularity)
        structure += np.where(n_bins > 1, prior.construction(2), prior.construction(1))
        structure += sum(int(cost.sum()) for cost in bin_costs(counts[:head], self.unit))
        least = least_units(self.rules.min_size, self.unit)
        # Several granularities are enough starts.
        detours = 0 if prior.granular else _DETOURS
        return Cells(counts[head:], self.unit, structure, self.limit(granularity) - head, least, detours)

    def coarsest(self, granularity: int, floor: int, borders: Ints) -> int:
        """Return the lowest granularity above ``floor`` that has these borders, as do all between."""
        while granularity > floor + 1:
            coarser = cell_starts(self.mass, self.unit, granularity - 1, self.head)
            if not np.isin(borders, coarser).all() or len(borders) + 1 > self.limit(granularity - 1):
                break
            granularity -= 1
        return granularity


def read_values(counts: Ints, unit: float, rules: PartitionRules, traits: TableTraits) -> Values:
    """Return the values of a table that has some weight."""
    values, begins, head = read_rows(counts, traits)
    return Values(values, begins, unit, rules, head)


def read_rows(counts: Ints, traits: TableTraits) -> tuple[Ints, Ints, bool]:
    """Return the rows that have weight, the cut before each, and whether the first must have its own bin.

    If bins must be monotone, rows are pooled until they are in order.
    """
    rows = np.flatnonzero(counts.any(axis=1))
    head = bool(traits.fixed_first and rows[0] == 0 and len(rows) > 1)
    starts = np.arange(len(rows))
    if traits.monotone != 0:
        starts = np.append(starts[:head], pool_violators(counts[rows[head:]], traits.monotone) + head)
    begins = np.append(0, rows[:-1] + 1)[starts]
    return np.add.reduceat(counts[rows], starts, axis=0), begins, head
