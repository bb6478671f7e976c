# SPDX-License-Identifier: BSD-3-Clause
"""Optimal intervals: the MODL search for each of many contingency tables.

At each searched granularity, pure runs are joined, intervals are merged greedily, and the best state is improved by
small changes. The prior of 2006 has no granularities and so only one start: there, the states a few merges before and
after the best are improved as well. A single bin is compared at the end and wins ties.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Ints
from bayesieve.bins.modl.cells import Cells, pure_runs
from bayesieve.bins.modl.code_lengths import TOLERANCE
from bayesieve.bins.modl.greedy import merge_greedily
from bayesieve.bins.modl.local_cuts import improve
from bayesieve.bins.modl.rules import PartitionRules
from bayesieve.bins.modl.tables import Tables
from bayesieve.bins.modl.values import TableTraits, Values, read_values

__all__ = ["OptimalIntervals", "find_intervals", "find_intervals_numpy", "search_greedily", "search_table"]

Search = Callable[[Cells], Ints]

_NO_CUTS: Ints = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class OptimalIntervals:
    """A partition of a table's rows into intervals.

    Attributes
    ----------
    cuts : int64 array
        Numbers of rows to the left of each cut. Rows without weight beside a cut are to its right.
    granularity : int
        0 if there is none.
    cost, null : int
        Cost of the partition and of a single bin, in multiples of 2^-28 nats.
    """

    cuts: Ints
    granularity: int
    cost: int
    null: int


def find_intervals(
    tables: Tables, rules: PartitionRules, traits: Sequence[TableTraits] | None = None, n_threads: int = 1
) -> list[OptimalIntervals]:
    """Return the best partition of each table, with the compiled core if it is available.

    Parameters
    ----------
    tables : Tables
        One table per column.
    rules : PartitionRules
        The prior and the constraints.
    traits : sequence of TableTraits, one per table, optional
        Monotone tables must have two classes.
    n_threads : int
        Number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesieve.bins.modl.prior import KhiopsPrior
    >>> counts = np.array([[9, 0], [8, 1], [9, 0], [1, 9], [0, 8], [0, 9]])
    >>> find_intervals(Tables.stack([counts]), PartitionRules(KhiopsPrior()))[0].cuts
    array([3])
    """
    if core is None:
        warn_if_missing()
        return find_intervals_numpy(tables, rules, traits)
    table_traits = [TableTraits()] * len(tables) if traits is None else traits
    cuts, offsets, granularities, costs = core.modl_intervals(
        tables.counts,
        tables.offsets,
        tables.unit,
        rules.prior.name,
        rules.prior.n_attributes,
        np.array([trait.fixed_first for trait in table_traits], dtype=np.uint8),
        np.array([trait.monotone for trait in table_traits], dtype=np.int8),
        rules.least_units(tables.unit),
        rules.max_bins or 0,
        n_threads,
    )
    return [
        OptimalIntervals(cuts[begin:end], granularity, *cost)
        for begin, end, granularity, cost in zip(
            offsets[:-1], offsets[1:], granularities.tolist(), costs.tolist(), strict=True
        )
    ]


def find_intervals_numpy(
    tables: Tables, rules: PartitionRules, traits: Sequence[TableTraits] | None = None, search: Search | None = None
) -> list[OptimalIntervals]:
    """Specification of `find_intervals`, and its fallback without the compiled core."""
    table_traits = [TableTraits()] * len(tables) if traits is None else traits
    tables.check()
    if tables.counts.shape[1] != 2 and any(trait.monotone for trait in table_traits):
        raise ValueError("monotone needs two classes")
    used_search = search or search_greedily
    return [search_table(tables[t], tables.unit, rules, table_traits[t], used_search) for t in range(len(tables))]


def search_greedily(cells: Cells) -> Ints:
    """Return the cuts after greedy merges and small changes."""
    starts = pure_runs(cells.counts)
    candidates = [improve(cells, starts, kept)[1:] for kept in merge_greedily(cells, starts)]
    best, cost = candidates[0], cells.cost(candidates[0])
    for other in candidates[1:]:
        if cells.cost(other) < cost - TOLERANCE:
            best, cost = other, cells.cost(other)
    return best


def search_table(
    counts: Ints, unit: float, rules: PartitionRules, traits: TableTraits, search: Search = search_greedily
) -> OptimalIntervals:
    """Return the best partition of one table."""
    if not counts.any():
        return OptimalIntervals(_NO_CUTS, 0, 0, 0)
    values = read_values(counts, unit, rules, traits)
    best = OptimalIntervals(_NO_CUTS, 0, values.null, values.null)
    before = floor = 0
    for granularity, starts in values.granularities():
        cells = values.cells(granularity, starts)
        if cells.limit >= 1:
            cuts = search(cells)
            cost = cells.cost(cuts)
            if cost < best.cost - TOLERANCE:
                borders = starts[values.head :][cuts] if not values.head else starts[np.append(1, cuts + 1)]
                best, floor = replace(best, cuts=borders, granularity=granularity, cost=cost), before
        before = granularity
    return _coarsened(values, best, floor)


def _coarsened(values: Values, partition: OptimalIntervals, floor: int) -> OptimalIntervals:
    """Return the partition at the coarsest granularity that has its cuts, with cuts as rows of the table."""
    granularity = values.coarsest(partition.granularity, floor, partition.cuts)
    cost = partition.cost
    if granularity < partition.granularity:
        prior, n_bins = values.rules.prior, np.array(len(partition.cuts) + 1)
        for sign, g in ((1, granularity), (-1, partition.granularity)):
            cost += sign * int(prior.intervals(n_bins, values.total, g))
    return replace(partition, cuts=values.begins[partition.cuts], granularity=granularity, cost=cost)
