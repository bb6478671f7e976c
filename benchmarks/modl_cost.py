# SPDX-License-Identifier: BSD-3-Clause
"""The cost of a given partition, at the granularity of lowest cost that can express it.

A search has its own granularity, and its report has few digits. To compare two partitions of one table, the costs of
both are computed here, from the class counts alone.
"""

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins.modl.cells import cell_starts
from bayesieve.bins.modl.code_lengths import to_nats
from bayesieve.bins.modl.criterion import GroupShape, KhiopsPrior, finest_granularity, group_cost, interval_cost

__all__ = ["cost_of_groups", "cost_of_intervals"]

Ints = NDArray[np.int64]

_LEAST_WITH_GARBAGE = 8  # values


def cost_of_intervals(values: Ints, bins: Ints, n_columns: int) -> float:
    """Return the cost in nats of intervals of the values, both given by their class counts, in order."""
    prior, mass = KhiopsPrior(n_columns), values.sum(axis=1)
    borders = np.searchsorted(np.cumsum(mass), np.cumsum(bins.sum(axis=1))[:-1]) + 1
    if not np.array_equal(np.add.reduceat(values, np.append(0, borders), axis=0), bins):
        raise AssertionError("These bins are not intervals of the table.")
    if len(bins) == 1:
        return to_nats(interval_cost(bins, 1.0, prior).total)
    total = float(mass.sum())
    return to_nats(
        min(
            interval_cost(bins, 1.0, prior, granularity).total
            for granularity in range(1, finest_granularity(total) + 1)
            if 2**granularity >= len(bins) and np.isin(borders, cell_starts(mass, 1.0, granularity)).all()
        )
    )


def cost_of_groups(values: Ints, groups: NDArray[np.intp], n_columns: int) -> float:
    """Return the cost in nats of groups of the values, given the values' class counts and the group of each."""
    prior, mass = KhiopsPrior(n_columns), values.sum(axis=1)
    counts = np.zeros((int(groups.max()) + 1, values.shape[1]), dtype=np.int64)
    np.add.at(counts, groups, values)
    if len(counts) == 1:
        return to_nats(group_cost(counts, 1.0, prior, GroupShape(len(values), 1)).total)
    total, costs = int(mass.sum()), []
    for granularity in range(1, finest_granularity(float(total)) + 1):
        pooled = groups[mass * 2**granularity < total]
        if 2**granularity >= total or len(np.unique(pooled)) > 1:
            continue
        places = np.append(groups[mass * 2**granularity >= total], pooled[:1])  # the pool is one value
        largest = int(np.bincount(places).max())
        garbage = (0, largest) if len(places) >= _LEAST_WITH_GARBAGE and len(counts) > 2 else (0,)
        shapes = (GroupShape(len(places), len(counts), size, granularity) for size in garbage)
        costs += [group_cost(counts, 1.0, prior, shape).total for shape in shapes]
    return to_nats(min(costs))
