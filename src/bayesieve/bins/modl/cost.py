# SPDX-License-Identifier: BSD-3-Clause
"""The MODL criterion: the length in nats of a code for a partition and for the classes given the partition.

With any prior, a bin with m_j rows of class j, m in total, adds

    log C(m+J-1, J-1)        for its distribution of classes (preparation), and
    log (m! / prod m_j!)     for the classes of its rows (data),

which together are log (m+J-1)! - log (J-1)! - sum log m_j!. The prior adds a cost of the structure. A smaller cost is a
more probable model; the cost of a single bin is that of the null model.
"""

from dataclasses import dataclass

import numpy as np

from bayesieve._typing import Ints
from bayesieve.bins.modl.code_lengths import log_factorial_cost
from bayesieve.bins.modl.prior import GroupShape, Prior

__all__ = ["Cost", "bin_costs", "data_costs", "group_cost", "interval_cost", "level", "total_weight"]


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


def level(cost: Cost, null: Cost) -> float:
    """Return the share of the null model's cost that a partition saves, 0 if none."""
    return max(0.0, 1.0 - cost.total / null.total) if null.total > 0 else 0.0


def _with_bins(counts: Ints, unit: float, prior: Prior, structure: int) -> Cost:
    preparation, data = bin_costs(counts, unit)
    return Cost(prior.construction(len(counts)), structure + int(preparation.sum()), int(data.sum()))
