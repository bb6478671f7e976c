# SPDX-License-Identifier: BSD-3-Clause
"""A contingency table prepared for a search: values of positive weight, and the allowed cuts between them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np

from bayesieve._typing import Ints
from bayesieve.bins.modl.cells import Cells
from bayesieve.bins.modl.cost import bin_costs, interval_cost, total_weight
from bayesieve.bins.modl.granularity import cell_starts, explored
from bayesieve.bins.modl.rules import PartitionRules
from bayesieve.exact import monotone_blocks

__all__ = ["TableTraits", "Values", "read_rows", "read_values"]


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
        least = self.rules.least_units(self.unit)
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
        starts = np.append(starts[:head], monotone_blocks(counts[rows[head:]], traits.monotone) + head)
    begins = np.append(0, rows[:-1] + 1)[starts]
    return np.add.reduceat(counts[rows], starts, axis=0), begins, head
