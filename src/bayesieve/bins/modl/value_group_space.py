# SPDX-License-Identifier: BSD-3-Clause
"""The search space of groupings: the values of a table at one granularity, and the cost of a grouping."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins.modl.code_lengths import log_factorial_cost
from bayesieve.bins.modl.prior import GroupShape, Prior

__all__ = ["NEVER", "NO_LIMIT", "BinCosts", "GroupSpace", "Limits", "sum_by_label"]

Labels = NDArray[np.intp]

NO_LIMIT: Final = 2**31 - 1
NEVER: Final = 2**61  # the cost of groupings that are not allowed; the sum of two still fits 64 bits
_LARGEST_TABLE: Final = 2**20


@dataclass(frozen=True)
class Limits:
    """Constraints of a grouping.

    Attributes
    ----------
    min_size : int
        The minimum weight of a group, in units; a group of missing values only is exempt.
    max_bins : int
        The maximum number of groups.
    """

    min_size: int = 0
    max_bins: int = NO_LIMIT


class BinCosts:
    """The cost of bins, log (m+J-1)! - log (J-1)! - sum log m_j!, tabulated if the counts are small enough."""

    def __init__(self, n_classes: int, unit: float, total: int) -> None:
        self.unit, self.total = unit, total
        self._others = float(n_classes - 1)
        self._stored = total <= _LARGEST_TABLE
        if self._stored:
            units = np.arange(total + 1)
            self._all, self._each = self._compute_all(units), self._compute_each(units)

    def __call__(self, counts: Ints) -> Ints:
        """Return the cost of each bin; counts have shape (..., n_classes)."""
        mass = counts.sum(axis=-1)
        if self._stored:
            costs: Ints = self._all[mass] - self._each[counts].sum(axis=-1)
        else:
            costs = self._compute_all(mass) - self._compute_each(counts).sum(axis=-1)
        return costs

    def _compute_all(self, units: Ints) -> Ints:
        shifted = units.astype(np.float64) * self.unit + self._others
        return log_factorial_cost(shifted) - log_factorial_cost(self._others)

    def _compute_each(self, units: Ints) -> Ints:
        return log_factorial_cost(units.astype(np.float64) * self.unit)


@dataclass(frozen=True)
class GroupSpace:
    """Values to be grouped, and the criterion.

    Attributes
    ----------
    values : int64 array of shape (n_values, n_classes)
        Weight of each value, in units; the most frequent first, a pool of rare values last.
    granularity : int
        0 if the prior has none.
    n_fixed : int
        1 if missing values have their own group; they are not among ``values``, but a value and a group to the prior.
    """

    values: Ints
    granularity: int
    n_fixed: int
    bin_costs: BinCosts
    prior: Prior
    limits: Limits
    _structure_costs: dict[tuple[int, int], int] = field(default_factory=dict)

    @property
    def n_values(self) -> int:
        """Number of values to the prior."""
        return len(self.values) + self.n_fixed

    @property
    def max_groups(self) -> int:
        """The maximum number of groups of the values that are not fixed."""
        return min(len(self.values), self.limits.max_bins - self.n_fixed)

    @property
    def allows_garbage(self) -> bool:
        """Whether the prior has groupings with a garbage group."""
        return self.prior.granular and self.n_values > 7

    def structure(self, n_groups: int, largest: int) -> int:
        """Return the structure cost of a grouping, with the largest group as garbage group if that is cheaper.

        No smaller group is a better garbage group: the more values it holds, the fewer have to be encoded.
        """
        return min(self.encoded(n_groups, 0), self.encoded(n_groups, largest))

    def encoded(self, n_groups: int, n_garbage: int) -> int:
        """Return the structure cost with or without a garbage group; `NEVER` if the prior has no such grouping."""
        if n_garbage and not (self.allows_garbage and n_groups + self.n_fixed > 2):
            return NEVER
        key = n_groups, n_garbage
        if key not in self._structure_costs:
            shape = GroupShape(self.n_values, n_groups + self.n_fixed, n_garbage, self.granularity)
            total = float(self.bin_costs.total) * self.bin_costs.unit
            self._structure_costs[key] = self.prior.construction(shape.n_groups) + self.prior.groups(shape, total)
        return self._structure_costs[key]

    def too_small(self, counts: Ints) -> NDArray[np.bool_]:
        """Return which groups have too little weight; counts have shape (..., n_classes)."""
        small: NDArray[np.bool_] = counts.sum(axis=-1) < self.limits.min_size
        return small


def sum_by_label(labels: Labels, rows: Ints) -> Ints:
    """Add up the rows of each label."""
    sums = np.zeros((int(labels.max()) + 1, *rows.shape[1:]), dtype=np.int64)
    np.add.at(sums, labels, rows)
    return sums
