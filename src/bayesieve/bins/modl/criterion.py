# SPDX-License-Identifier: BSD-3-Clause
"""The MODL criterion: the length in nats of a code for a partition and for the classes given the partition.

With any prior, a bin with m_j rows of class j, m in total, adds

    log C(m+J-1, J-1)        for its distribution of classes (preparation), and
    log (m! / prod m_j!)     for the classes of its rows (data),

which together are log (m+J-1)! - log (J-1)! - sum log m_j!. A smaller cost is a more probable model; the cost of a
single bin is that of the null model.

A prior adds the cost of a partition without the classes in its bins. It depends on the number of bins, not on their
bounds. N is the total weight, rounded up where a formula needs an integer.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import ClassVar, Final, Protocol

import numpy as np

from bayesieve._typing import Ints
from bayesieve.bins.modl.code_lengths import log_bell, log_factorial_cost, to_cost, universal_cost
from bayesieve.exact import log_positive

__all__ = [
    "PRIORS",
    "BinCosts",
    "BoullePrior",
    "Cost",
    "GroupShape",
    "KhiopsPrior",
    "Prior",
    "bin_costs",
    "data_costs",
    "finest_granularity",
    "group_cost",
    "interval_cost",
    "level",
    "total_weight",
]


_SMALLEST_GARBAGE_DOMAIN: Final = 7  # with more values, the prior encodes whether there is a garbage group


@dataclass(frozen=True)
class GroupShape:
    """The sizes that a grouping's structure cost depends on.

    Attributes
    ----------
    n_values : int
        Number of values to group, after granularization.
    n_groups : int
        Number of groups, the garbage group included.
    n_garbage : int
        Number of values in the garbage group; 0 if there is none.
    granularity : int
        0 if no values are pooled.
    """

    n_values: int
    n_groups: int
    n_garbage: int = 0
    granularity: int = 0


class Prior(Protocol):
    """Structure costs of intervals and of groups."""

    name: ClassVar[str]
    granular: ClassVar[bool]

    @property
    def n_attributes(self) -> int:
        """The number of attributes among which this one is selected."""
        ...

    def construction(self, n_bins: int) -> int:
        """Return the cost of selecting this attribute, or none if there is a single bin."""
        ...

    def intervals(self, n_bins: Ints, total: float, granularity: int) -> Ints:
        """Return the structure costs of partitions into intervals, without construction."""
        ...

    def groups(self, shape: GroupShape, total: float) -> int:
        """Return the structure cost of a grouping, without construction."""
        ...


@dataclass(frozen=True)
class BoullePrior:
    """The priors of the papers: Boullé 2006 for intervals, Boullé 2005 for groups.

    Intervals: log N + log C(N+I-1, I-1). Groups: log V + log B(V, K). The number of attributes does not matter.
    """

    n_attributes: int = 1
    name: ClassVar[str] = "2006"
    granular: ClassVar[bool] = False

    def construction(self, n_bins: int) -> int:
        """Return 0: the papers encode one attribute."""
        return 0

    def intervals(self, n_bins: Ints, total: float, granularity: int) -> Ints:
        """Return log N + log C(N+I-1, I-1)."""
        others = n_bins.astype(np.float64) - 1.0
        binomial = log_factorial_cost(total + others) - log_factorial_cost(total) - log_factorial_cost(others)
        return _log_cost(total) + binomial

    def groups(self, shape: GroupShape, total: float) -> int:
        """Return log V + log B(V, K)."""
        return _log_cost(shape.n_values) + int(to_cost(log_bell(shape.n_values, shape.n_groups)))


@dataclass(frozen=True)
class KhiopsPrior:
    """The priors of Khiops: universal codes, a granularity, and the choice of an attribute among several.

    With U(n | m) the universal code, g the granularity, G = ceil(log2 N) and P = min(2^g, N):
    intervals: U(g | G) + U(I-1 | P-1) + (I-1) log(P-1) - log (I-1)!, and 0 for one interval.
    """

    n_attributes: int = 1
    name: ClassVar[str] = "khiops"
    granular: ClassVar[bool] = True

    def construction(self, n_bins: int) -> int:
        """Return log 2, plus the cost of selecting the attribute if it has several bins."""
        return _log_cost(2.0) + (_log_cost(max(1, self.n_attributes)) if n_bins > 1 else 0)

    def intervals(self, n_bins: Ints, total: float, granularity: int) -> Ints:
        """Return U(g | G) + U(I-1 | P-1) + (I-1) log(P-1) - log (I-1)!, or 0 if I = 1."""
        slots = min(2**granularity, ceil(min(total, 2.0**62))) - 1
        others = np.maximum(n_bins - 1, 1)
        positions = to_cost(others.astype(np.float64) * float(log_positive(np.array(float(slots)))))
        cost = universal_cost(others, slots) + positions - log_factorial_cost(others)
        cost += universal_cost(granularity, finest_granularity(total))
        return np.where(n_bins > 1, cost, 0)

    def groups(self, shape: GroupShape, total: float) -> int:
        """Return the cost of granularity, garbage group, number of groups and grouping; 0 for one group.

        With V values, M of them garbage, V' = V - M and K' = K - [M > 0]:
        U(g | G) if g > 0, log 2 if V > 7, U(V'-1 | V-2) + V' log V - log V'! if M > 0, U(K'-1 | V'-1) + log B(V', K').
        """
        has_garbage = shape.n_garbage > 0
        kept, n_groups = shape.n_values - shape.n_garbage, shape.n_groups - has_garbage
        if n_groups == 1:
            return 0
        cost = int(universal_cost(n_groups - 1, kept - 1)) + int(to_cost(log_bell(kept, n_groups)))
        if shape.granularity > 0:
            cost += int(universal_cost(shape.granularity, finest_granularity(total)))
        if shape.n_values > _SMALLEST_GARBAGE_DOMAIN:
            cost += _log_cost(2.0)
        if has_garbage:
            selection = to_cost(float(kept) * float(log_positive(np.array(float(shape.n_values)))))
            cost += int(universal_cost(kept - 1, shape.n_values - 2)) + int(selection) - int(log_factorial_cost(kept))
        return cost


def finest_granularity(total: float) -> int:
    """Return G = ceil(log2 N), at most 62: the compiled core has 64 bits."""
    return (ceil(min(total, 2.0**62)) - 1).bit_length()


@lru_cache(maxsize=256)
def _log_cost(x: float) -> int:
    return int(to_cost(log_positive(np.array(float(x)))))


PRIORS: Final = {prior.name: prior for prior in (KhiopsPrior, BoullePrior)}


@dataclass(frozen=True)
class Cost:
    """The three terms of a cost, in multiples of 2^-28 nats.

    Attributes
    ----------
    construction : int
        The choice of the attribute.
    preparation : int
        The partition, and the distribution of classes in each bin.
    data : int
        The classes of the rows.
    """

    construction: int
    preparation: int
    data: int

    @property
    def total(self) -> int:
        """The sum of the three."""
        return self.construction + self.preparation + self.data


def total_weight(counts: Ints, unit: float) -> float:
    """Return N, the total weight of a contingency table."""
    return float(int(counts.sum())) * unit


def bin_costs(counts: Ints, unit: float) -> tuple[Ints, Ints]:
    """Return the preparation cost and the data cost of each bin.

    Parameters
    ----------
    counts : int64 array of shape (..., n_classes)
        Weight of each class in each bin, in units.
    unit : float
        A power of two.
    """
    other_classes = counts.shape[-1] - 1
    mass = counts.sum(axis=-1).astype(np.float64) * unit
    rows = log_factorial_cost(mass)
    preparation = log_factorial_cost(mass + float(other_classes)) - log_factorial_cost(other_classes) - rows
    data = rows - log_factorial_cost(counts.astype(np.float64) * unit).sum(axis=-1)
    return preparation, data


_LARGEST_TABLE: Final = 2**20


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


def data_costs(counts: Ints, unit: float) -> Ints:
    """Return the data cost of each bin: the second of `bin_costs`, alone.

    Parameters
    ----------
    counts : int64 array of shape (n_bins, n_classes)
        Weight of each class in each bin, in units.
    unit : float
        A power of two.
    """
    weights = np.append(counts.sum(axis=1, keepdims=True), counts, axis=1).astype(np.float64) * unit
    costs = log_factorial_cost(weights)
    difference: Ints = costs[:, 0] - costs[:, 1:].sum(axis=1)
    return difference


def interval_cost(counts: Ints, unit: float, prior: Prior, granularity: int = 0) -> Cost:
    """Return the cost of a partition into intervals, given the weight of each class in each interval.

    One interval is the null model. The granularity matters where the prior has one.
    """
    structure = prior.intervals(np.array(len(counts)), total_weight(counts, unit), granularity)
    return _with_bins(counts, unit, prior, int(structure))


def group_cost(counts: Ints, unit: float, prior: Prior, shape: GroupShape) -> Cost:
    """Return the cost of a grouping of values, given the weight of each class in each group."""
    return _with_bins(counts, unit, prior, prior.groups(shape, total_weight(counts, unit)))


def level(cost: int, null: int) -> float:
    """Return the share of the null model's cost that a partition saves, 0 if none."""
    return max(0.0, 1.0 - cost / null) if null > 0 else 0.0


def _with_bins(counts: Ints, unit: float, prior: Prior, structure: int) -> Cost:
    preparation, data = bin_costs(counts, unit)
    return Cost(prior.construction(len(counts)), structure + int(preparation.sum()), int(data.sum()))
