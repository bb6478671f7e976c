# SPDX-License-Identifier: BSD-3-Clause
"""Intervals by recursive entropy cuts with an MDL stopping rule: Fayyad and Irani 1993.

A range of N rows with k classes and entropy H is cut where the remaining entropy is smallest, if

    N (H - (N1 H1 + N2 H2) / N)  >  log(N - 1) + log(3^k - 2) - (k H - k1 H1 - k2 H2),

and then both sides recursively. Entropies are integers, multiples of 2^-28 nats, as MODL's costs are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Ints
from bayesieve.bins.binning_rule import CodingRule, distinct_groups
from bayesieve.bins.modl.cells import TableTraits, pure_runs, read_rows
from bayesieve.bins.modl.code_lengths import COST_ONE, to_cost
from bayesieve.bins.modl.tables import Tables, ValueTable, least_units, stack
from bayesieve.bins.partition import Partition
from bayesieve.bins.summary import Summary
from bayesieve.exact import log_positive

__all__ = ["MDLP", "MdlpRules", "find_mdlp_cuts", "find_mdlp_cuts_numpy"]


_NEVER = 2**62


@dataclass(frozen=True)
class MdlpRules:
    """Bounds of a partition.

    Attributes
    ----------
    min_size : float
        The minimum weight of an interval; the bin of missing values may be smaller.
    max_bins : int or None
        The maximum number of bins, missing values included; ranges with the largest gain are cut first.
    """

    min_size: float = 0.0
    max_bins: int | None = None


def find_mdlp_cuts(
    tables: Tables, rules: MdlpRules, traits: Sequence[TableTraits] | None = None, n_threads: int = 1
) -> list[Ints]:
    """Return the cuts of each table, with the compiled core if it is available.

    Parameters are those of `bayesieve.bins.modl.intervals.find_intervals`. Each cut is the number of rows to its
    left.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[9, 0], [8, 1], [9, 0], [1, 9], [0, 8], [0, 9]])
    >>> find_mdlp_cuts(Tables.stack([counts]), MdlpRules())
    [array([3])]
    """
    if core is None:
        warn_if_missing()
        return find_mdlp_cuts_numpy(tables, rules, traits)
    table_traits = [TableTraits()] * len(tables) if traits is None else traits
    cuts, offsets = core.mdlp_intervals(
        tables.counts,
        tables.offsets,
        tables.unit,
        np.array([trait.fixed_first for trait in table_traits], dtype=np.uint8),
        np.array([trait.monotone for trait in table_traits], dtype=np.int8),
        least_units(rules.min_size, tables.unit),
        rules.max_bins or 0,
        n_threads,
    )
    return [cuts[begin:end] for begin, end in pairwise(offsets)]


def find_mdlp_cuts_numpy(tables: Tables, rules: MdlpRules, traits: Sequence[TableTraits] | None = None) -> list[Ints]:
    """Specification of `find_mdlp_cuts`, and its fallback without the compiled core."""
    table_traits = [TableTraits()] * len(tables) if traits is None else traits
    tables.check()
    if tables.counts.shape[1] != 2 and any(trait.monotone for trait in table_traits):
        raise ValueError("monotone needs two classes")
    return [_cut_table(tables[t], tables.unit, rules, table_traits[t]) for t in range(len(tables))]


def _cut_table(counts: Ints, unit: float, rules: MdlpRules, traits: TableTraits) -> Ints:
    if not counts.any():
        return np.empty(0, dtype=np.int64)
    values, begins, head = read_rows(counts, traits)
    starts = np.append(np.arange(int(head)), pure_runs(values[head:]) + head)
    sums = np.concatenate([np.zeros_like(values[:1]), np.cumsum(np.add.reduceat(values, starts, axis=0), axis=0)])
    limit = rules.max_bins or len(values)
    borders = _Splitting(sums, unit, least_units(rules.min_size, unit)).run(int(head), limit)
    return begins[starts[borders]]


class _Splitting:
    """Recursive cuts of a sequence of blocks, given the cumulative sums of their counts."""

    def __init__(self, sums: Ints, unit: float, least: int) -> None:
        self.sums, self.unit, self.least = sums, unit, least

    def run(self, head: int, limit: int) -> list[int]:
        """Return the blocks before which a cut lies; a head is a bin from the start, kept alone only if it pays."""
        n = len(self.sums) - 1
        borders = [1] * head
        waiting = self.best(head, n) if head < limit else []
        while waiting and len(borders) + 1 < limit:
            best_cut = min(waiting)
            waiting.remove(best_cut)
            _, begin, cut, end = best_cut
            borders.append(cut)
            waiting += self.best(begin, cut) + self.best(cut, end)
        if head and len(borders) == 1 and (limit < 2 or not self.evaluate(0, 1, n)[1]):
            return []
        return sorted(borders)

    def best(self, begin: int, end: int) -> list[tuple[int, int, int, int]]:
        """Return the best cut of a range if its gain exceeds its penalty: minus the gain, begin, cut and end."""
        left, right = self.sums[begin + 1 : end] - self.sums[begin], self.sums[end] - self.sums[begin + 1 : end]
        allowed = np.minimum(left.sum(axis=1), right.sum(axis=1)) >= self.least
        if not allowed.any():
            return []
        costs = np.where(allowed, self.entropy(left) + self.entropy(right), _NEVER)
        cut = begin + 1 + int(costs.argmin())
        gain, is_worth_it = self.evaluate(begin, cut, end)
        return [(-gain, begin, cut, end)] if is_worth_it else []

    def entropy(self, counts: Ints) -> Ints:
        """Return N times the entropy, N log N - sum m log m."""
        costs: Ints = self._x_log_x(counts.sum(axis=-1)) - self._x_log_x(counts).sum(axis=-1)
        return costs

    def _x_log_x(self, units: Ints) -> Ints:
        x = units.astype(np.float64) * self.unit
        return np.where(units > 0, to_cost(x * log_positive(np.where(units > 0, x, 1.0))), 0)

    def evaluate(self, begin: int, cut: int, end: int) -> tuple[int, bool]:
        """Return the gain of a cut, times N, and whether it exceeds the penalty for describing both sides."""
        ranges = [self.sums[j] - self.sums[i] for i, j in ((begin, end), (begin, cut), (cut, end))]
        total, left, right = (int(self.entropy(counts)) for counts in ranges)
        described = [self._described(counts) for counts in ranges]
        n_classes = int((ranges[0] > 0).sum())
        others = float(int(ranges[0].sum())) * self.unit - 1.0
        penalty = _log(max(others, 1.0)) + (_log_labelings(n_classes) - (described[0] - (described[1] + described[2])))
        gain = total - left - right
        return gain, gain > int(to_cost(penalty))

    def _described(self, counts: Ints) -> float:
        """Return k H."""
        weight = float(int(counts.sum())) * self.unit
        return float(int((counts > 0).sum())) * (float(int(self.entropy(counts))) / float(COST_ONE) / weight)


def _log_labelings(n_classes: int) -> float:
    """Return log(3^k - 2), the code length of the labelings of both sides."""
    if n_classes > 33:  # 3^34 is not exact as a float
        return float(n_classes) * _log(3.0)
    return _log(float(3**n_classes) - 2.0)


def _log(x: float) -> float:
    return float(log_positive(np.array(x)))


@dataclass(frozen=True)
class MDLP(CodingRule):
    """Intervals of numbers by recursive entropy cuts; missing values and each category have their own bin.

    Attributes
    ----------
    max_bins : int or None
        The maximum number of bins, the one of missing values included.
    min_bin_size : float
        The minimum weight of an interval.
    """

    max_bins: int | None = None
    min_bin_size: float = 0.0

    def learn_all(self, summaries: Sequence[Summary], n_threads: int = 1) -> list[Partition]:
        """Return the partition of each column."""
        numeric = [isinstance(summary.labels, np.ndarray) and bool(summary.mass.any()) for summary in summaries]
        tables = [ValueTable.of(summary) for summary, is_numeric in zip(summaries, numeric, strict=True) if is_numeric]
        traits = [TableTraits(fixed_first=table.missing) for table in tables]
        rules = MdlpRules(self.min_bin_size, self.max_bins)
        cuts = iter(find_mdlp_cuts(stack(tables), rules, traits, n_threads) if tables else [])
        numeric_tables = iter(tables)
        return [
            next(numeric_tables).intervals(next(cuts)) if is_numeric else distinct_groups(summary)
            for summary, is_numeric in zip(summaries, numeric, strict=True)
        ]
