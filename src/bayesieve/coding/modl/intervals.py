"""Optimal intervals: the MODL search for each of many contingency tables.

At each granularity that is worth it, pure runs are joined, intervals are merged greedily, and the best state on that
way is improved by small changes. The prior of 2006 has no granularities, and with them no second beginning: there, the
states a few merges before and after the best are improved as well. One part with everything is compared at the end and
wins ties.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve.coding.modl.cells import Cells, pure_runs
from bayesieve.coding.modl.factorial import TOLERANCE
from bayesieve.coding.modl.greedy import merge_greedily
from bayesieve.coding.modl.local import improve
from bayesieve.coding.modl.rules import PartitionRules
from bayesieve.coding.modl.tables import Tables
from bayesieve.coding.modl.values import TableTraits, Values, read_values

__all__ = ["FoundIntervals", "find_intervals", "find_intervals_numpy", "search_greedily", "search_table"]

Ints = NDArray[np.int64]
Search = Callable[[Cells], Ints]

_NO_CUTS: Ints = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class FoundIntervals:
    """A partition of a table's rows into intervals.

    Attributes
    ----------
    cuts : int64 array
        Numbers of rows to the left of each cut. Rows without weight beside a cut are to its right.
    granularity : int
        0 where there is none.
    cost, null : int
        Cost of the partition and of one part with everything, in multiples of 2^-28 nats.
    """

    cuts: Ints
    granularity: int
    cost: int
    null: int


def find_intervals(
    tables: Tables, rules: PartitionRules, traits: Sequence[TableTraits] | None = None, n_threads: int = 1
) -> list[FoundIntervals]:
    """Return the best partition of each table, with the compiled core where there is one.

    Parameters
    ----------
    tables : Tables
    rules : PartitionRules
    traits : sequence of TableTraits, one a table, optional
        Monotone tables have two classes.
    n_threads : int

    Examples
    --------
    >>> import numpy as np
    >>> from bayesieve.coding.modl.prior import KhiopsPrior
    >>> counts = np.array([[9, 0], [8, 1], [9, 0], [1, 9], [0, 8], [0, 9]])
    >>> find_intervals(Tables.stack([counts]), PartitionRules(KhiopsPrior()))[0].cuts
    array([3])
    """
    if core is None:
        warn_if_missing()
        return find_intervals_numpy(tables, rules, traits)
    shown = [TableTraits()] * len(tables) if traits is None else traits
    cuts, offsets, granularities, costs = core.modl_intervals(
        tables.counts,
        tables.offsets,
        tables.unit,
        rules.prior.name,
        rules.prior.n_attributes,
        np.array([trait.fixed_first for trait in shown], dtype=np.uint8),
        np.array([trait.monotone for trait in shown], dtype=np.int8),
        ceil(rules.min_size / tables.unit),
        rules.max_bins or 0,
        n_threads,
    )
    return [
        FoundIntervals(cuts[begin:end], granularity, *cost)
        for begin, end, granularity, cost in zip(
            offsets[:-1], offsets[1:], granularities.tolist(), costs.tolist(), strict=True
        )
    ]


def find_intervals_numpy(
    tables: Tables, rules: PartitionRules, traits: Sequence[TableTraits] | None = None, search: Search | None = None
) -> list[FoundIntervals]:
    """Find as `find_intervals` does: its specification, and its fallback without a compiled core."""
    shown = [TableTraits()] * len(tables) if traits is None else traits
    tables.check()
    if tables.counts.shape[1] != 2 and any(trait.monotone for trait in shown):
        raise ValueError("monotone needs two classes")
    found = search or search_greedily
    return [search_table(tables[t], tables.unit, rules, shown[t], found) for t in range(len(tables))]


def search_greedily(cells: Cells) -> Ints:
    """Return the cuts that merging and small changes lead to."""
    starts = pure_runs(cells.counts)
    found = [improve(cells, starts, kept)[1:] for kept in merge_greedily(cells, starts)]
    best, cost = found[0], cells.cost(found[0])
    for other in found[1:]:
        if cells.cost(other) < cost - TOLERANCE:
            best, cost = other, cells.cost(other)
    return best


def search_table(
    counts: Ints, unit: float, rules: PartitionRules, traits: TableTraits, search: Search = search_greedily
) -> FoundIntervals:
    """Return the best partition of one table."""
    if not counts.any():
        return FoundIntervals(_NO_CUTS, 0, 0, 0)
    values = read_values(counts, unit, rules, traits)
    best = FoundIntervals(_NO_CUTS, 0, values.null, values.null)
    before = floor = 0
    for granularity, starts in values.granularities():
        cells = values.cells(granularity, starts)
        if cells.limit >= 1:
            found = search(cells)
            cost = cells.cost(found)
            if cost < best.cost - TOLERANCE:
                borders = starts[values.head :][found] if not values.head else starts[np.append(1, found + 1)]
                best, floor = replace(best, cuts=borders, granularity=granularity, cost=cost), before
        before = granularity
    return _coarsened(values, best, floor)


def _coarsened(values: Values, found: FoundIntervals, floor: int) -> FoundIntervals:
    """State the cuts at the coarsest granularity that has them, and as rows of the table."""
    granularity = values.coarsest(found.granularity, floor, found.cuts)
    cost = found.cost
    if granularity < found.granularity:
        prior, n_bins = values.rules.prior, np.array(len(found.cuts) + 1)
        for sign, g in ((1, granularity), (-1, found.granularity)):
            cost += sign * int(prior.intervals(n_bins, values.total, g))
    return replace(found, cuts=values.begins[found.cuts], granularity=granularity, cost=cost)
