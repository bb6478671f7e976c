# SPDX-License-Identifier: BSD-3-Clause
"""Bayes-optimal partitions as a coding rule: intervals of ordered columns, groups of nominal ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins.binning_rule import CodingRule
from bayesieve.bins.modl.cells import PartitionRules, TableTraits
from bayesieve.bins.modl.code_lengths import to_nats
from bayesieve.bins.modl.criterion import PRIORS, Prior, data_costs, level
from bayesieve.bins.modl.groups import Grouping, find_groups
from bayesieve.bins.modl.intervals import find_intervals
from bayesieve.bins.modl.tables import Tables, ValueTable, stack
from bayesieve.bins.partition import Groups, Partition
from bayesieve.bins.summary import Summary, identifying_below, sum_by_bin

__all__ = ["MODL", "PartitionCost"]

_EMPTY = Groups((), missing=False, level=0.0)


@dataclass(frozen=True)
class PartitionCost:
    """The cost of a partition, in nats.

    Attributes
    ----------
    construction : float
        The selection of the column.
    preparation : float
        The partition, and the distribution of classes in each bin.
    data : float
        The classes of the rows.
    """

    construction: float
    preparation: float
    data: float

    @property
    def total(self) -> float:
        """The sum of the three."""
        return self.construction + self.preparation + self.data


@dataclass(frozen=True)
class MODL(CodingRule):
    """The partition of least cost.

    Attributes
    ----------
    prior : {"khiops", "2006"}
        The prior of partitions.
    missing : {"own_bin", "lowest"}
        Whether missing values have a bin of their own, or are the lowest number of an ordered column and a category of
        a nominal one. If a single bin is optimal, it includes missing values.
    max_bins : int or None
        The maximum number of bins, the one of missing values included.
    min_bin_size : float
        The minimum weight of a bin.
    monotone : mapping of column name to 1 or -1
        Ordered columns in whose intervals the share of the second class must not fall, or not rise.
    n_columns : int
        The number of columns of the table, which the Khiops prior depends on.
    """

    prior: str = "khiops"
    missing: str = "own_bin"
    max_bins: int | None = None
    min_bin_size: float = 0.0
    monotone: Mapping[str, int] = field(default_factory=dict)
    n_columns: int = 1

    def for_table(self, n_columns: int) -> "MODL":
        """Return the rule for a table of `n_columns` columns."""
        return replace(self, n_columns=n_columns)

    def learn_all(self, summaries: Sequence[Summary], n_threads: int = 1) -> list[Partition]:
        """Return the partition of each column."""
        ordered = [j for j, summary in enumerate(summaries) if isinstance(summary.labels, np.ndarray)]
        nominal = [j for j, summary in enumerate(summaries) if not isinstance(summary.labels, np.ndarray)]
        partitions: dict[int, Partition] = {}
        for which, learn in ((ordered, self._intervals), (nominal, self._groups)):
            tables = [ValueTable.of(summaries[j]) for j in which]
            partitions |= zip(which, learn(tables, n_threads) if tables else [], strict=True)
        return [partitions[j] for j in range(len(summaries))]

    def _intervals(self, tables: Sequence[ValueTable], n_threads: int) -> list[Partition]:
        own_bin = self.missing == "own_bin"
        traits = [TableTraits(own_bin and table.missing, self.monotone.get(table.summary.name, 0)) for table in tables]
        rules = PartitionRules(self._prior, self.min_bin_size, self.max_bins)
        stacked = stack(tables)
        results = find_intervals(stacked, rules, traits, n_threads)
        sizes = [len(each.cuts) + 1 for each in results]
        bin_counts = _sum_between(stacked, [each.cuts for each in results])
        costs = self._costs(bin_counts, stacked.unit, sizes, [(each.cost, each.null) for each in results])
        return [
            table.intervals(each.cuts, level, cost)
            if table.has_values
            else replace(_EMPTY, missing=table.missing)  # without numbers, an interval would be empty
            for table, each, (cost, level) in zip(tables, results, costs, strict=True)
        ]

    def _groups(self, tables: Sequence[ValueTable], n_threads: int) -> list[Partition]:
        fixed = [self.missing == "own_bin" and table.missing for table in tables]
        rules = PartitionRules(self._prior, self.min_bin_size, self.max_bins)
        stacked = stack(tables)
        results = find_groups(stacked, rules, fixed, n_threads)
        sizes = [each.n_groups for each in results]
        begins = np.repeat(np.cumsum(sizes) - sizes, [len(each.groups) for each in results])
        places = np.concatenate([np.maximum(each.groups, 0) for each in results]) + begins  # -1: without weight
        bin_counts = sum_by_bin(np.minimum(places, sum(sizes)), stacked.counts, sum(sizes) + 1)[:-1]
        costs = self._costs(bin_counts, stacked.unit, sizes, [(each.cost, each.null_cost) for each in results])
        return [
            replace(_grouped(table, each), level=level, cost=cost)
            for table, each, (cost, level) in zip(tables, results, costs, strict=True)
        ]

    @property
    def _prior(self) -> Prior:
        return PRIORS[self.prior](n_attributes=self.n_columns)

    def _costs(
        self, bin_counts: NDArray[np.int64], unit: float, sizes: Sequence[int], totals: Sequence[tuple[int, int]]
    ) -> list[tuple[PartitionCost, float]]:
        """Return the cost and the level of each partition.

        Given are the weight of each bin of each column by class, the numbers of bins, and the total costs of the
        partition and of the null model.
        """
        ends = np.cumsum(sizes)
        sums = np.append(0, np.cumsum(data_costs(bin_counts, unit)))
        construct = cache(self._prior.construction)
        costs = []
        for n_bins, end, (total, null) in zip(sizes, ends.tolist(), totals, strict=True):
            data = int(sums[end] - sums[end - n_bins])
            construction = construct(n_bins) if n_bins else 0
            cost = PartitionCost(to_nats(construction), to_nats(total - construction - data), to_nats(data))
            costs.append((cost, level(total, null)))
        return costs


def _sum_between(tables: Tables, cuts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the weight by class of each interval of each table."""
    starts = [begin + np.append(0, each) for begin, each in zip(tables.offsets[:-1], cuts, strict=True)]
    # A table without rows takes its neighbor's first row, or the row of zeros at the end; its cost is not used.
    counts = tables.counts if len(tables[len(tables) - 1]) else np.append(tables.counts, tables.counts[:1] * 0, axis=0)
    sums: NDArray[np.int64] = np.add.reduceat(counts, np.concatenate(starts), axis=0)
    return sums


def _grouped(table: ValueTable, grouping: Grouping) -> Groups:
    """Return the groups of labels.

    Labels that would identify a row are not listed, where they are in the group of labels that training did not have:
    the Khiops prior pools those that occur once.
    """
    ids, labels = grouping.groups.tolist(), table.summary.labels
    weights = np.asarray(table.summary.mass * table.summary.unit, dtype=np.float64)
    absent = ids[0] if table.missing else None
    members: list[list[object]] = [[] for _ in range(grouping.n_groups)]
    listed: list[list[object]] = [[] for _ in range(grouping.n_groups)]
    listed_from = identifying_below(weights) if grouping.other >= 0 else 0.0
    for label, weight, group in zip(labels, weights.tolist(), ids[int(table.missing) :], strict=True):
        if group >= 0:
            members[group].append(label)
            if group != grouping.other or weight >= listed_from:
                listed[group].append(label)
    # A group of missing values alone is the bin of missing values, which is not among the groups.
    own_bin = absent is not None and not members[absent]
    place_of = np.cumsum([bool(group) for group in members]) - 1
    return Groups(
        tuple(tuple(own) for own, group in zip(listed, members, strict=True) if group),
        own_bin,
        joined=None if own_bin or absent is None else int(place_of[absent]),
        other=int(place_of[grouping.other]) if grouping.other >= 0 and members[grouping.other] else None,
    )
