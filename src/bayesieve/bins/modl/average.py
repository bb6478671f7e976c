# SPDX-License-Identifier: BSD-3-Clause
"""The average over all partitions of a column, instead of the best partition.

A column has n elementary bins in order. A partition joins neighbors to blocks; a block with m_j rows of class j has the
cost of a MODL bin, and the number of blocks has a prior (`bayesieve.bins.modl.average`). Values of a nominal
column are first sorted by their class rates. Sums over all partitions of several blocks, by a forward and a backward
pass, give

    log Bayes factor   log of (probability of several blocks / probability of one block)
    share(s, t)        the posterior probability that the bins s .. t-1 are a block
    curve(v, j)        sum over the blocks that hold v of share x log ((m_j + a p_j) / p_j),   p_j the share of class j

so that curve(v, j) is the log-likelihood of bin v given class j, up to a constant per bin. ``lowered`` is the same with
m_j - 1 in place of m_j: the curve if one of the bin's rows of that class had not been counted (leave-one-out).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.bins.modl.code_lengths import COST_ONE, code_lengths, log_bells, log_factorial, log_normalizer, to_nats
from bayesieve.bins.modl.criterion import bin_costs
from bayesieve.bins.modl.tables import Tables
from bayesieve.exact import exp_nonpositive, log_positive, ordered_sum

__all__ = [
    "Averages",
    "average_partitions",
    "average_partitions_numpy",
    "partition_priors",
]

_MAX_BLOCKS: Final = 24  # of a small table: blocks of a row or two cost no more than a single block, and follow noise
_ROWS_PER_BLOCK: Final = 64  # in larger tables


def partition_priors(tables: Tables, ordered: Sequence[bool]) -> Floats:
    """Return exp(-prior(I)) of the tables, stacked, with I from 1 to the number of bins of each."""
    totals = np.append(0, np.cumsum(tables.counts.sum(axis=1)))[tables.offsets]
    max_blocks = np.maximum(_MAX_BLOCKS, np.diff(totals) * tables.unit // _ROWS_PER_BLOCK).astype(np.int64)
    sizes = np.diff(tables.offsets)
    each = zip(sizes.tolist(), ordered, np.minimum(sizes, max_blocks).tolist(), strict=True)
    return np.concatenate([np.empty(0), *(_prior(n, bool(is_ordered), blocks) for n, is_ordered, blocks in each)])


@cache
def _prior(n: int, ordered: bool, max_blocks: int) -> Floats:
    """Return exp(-prior(I)) for I = 1 .. n, 0 for more than `max_blocks` blocks; a single block needs no code."""
    prior = _full_prior(n, ordered).copy()
    prior[max_blocks:] = 0.0
    return prior


@cache
def _full_prior(n: int, ordered: bool) -> Floats:
    if n < 2:
        return np.ones(n)
    others = np.arange(1, n)
    room = 1 << n.bit_length()  # a power of two, so that few tables are computed
    code = (log_normalizer(n - 1) + _codes(room)[1:n]) / COST_ONE
    if ordered:
        factorials = _log_factorials(room)
        ways = factorials[n - 1] - factorials[others] - factorials[n - 1 - others]
    else:
        ways = log_bells(n, n)[1:]
    return np.append(1.0, exp_nonpositive(-np.maximum(code + ways, 0.0)))


@cache
def _log_factorials(end: int) -> Floats:
    return log_factorial(np.arange(end))


@cache
def _codes(end: int) -> Ints:
    """Return the universal code of each number below ``end`` without its normalizer; 0 has the code of 1."""
    return code_lengths(np.maximum(np.arange(end), 1))


_MIN_BLOCKS: Final = 8  # partitions of up to this many blocks are always summed
_NEGLIGIBLE: Final = 1e-9  # of all partitions
_MIN_SHARE: Final = 2.0**-50  # of all partitions


@dataclass(frozen=True)
class Averages:
    """Averages over the partitions of several tables.

    Attributes
    ----------
    log_bayes_factors : float64 array of shape (n_tables,)
        Log Bayes factor of several bins against one, per table.
    curves, lowered : float64 arrays of shape (n_rows, n_classes)
        The weight of evidence of each elementary bin for each class; and without one row of that class in the bin.
    """

    log_bayes_factors: Floats
    curves: Floats
    lowered: Floats


def average_partitions(tables: Tables, ordered: Sequence[bool], pseudo: float = 2.0, n_threads: int = 1) -> Averages:
    """Average over the partitions of each table, with the compiled core if it is available.

    Parameters
    ----------
    tables : Tables
        One row per elementary bin; those of nominal columns by increasing class rate.
    ordered : sequence of bool
        Whether each table is of an ordered column.
    pseudo : float
        The pseudo-count of each block, a above.
    n_threads : int
        Number of threads.
    """
    priors = partition_priors(tables, ordered)
    if core is None:
        warn_if_missing()
        return average_partitions_numpy(tables, priors, pseudo)
    return Averages(*core.modl_average(tables.counts, tables.offsets, tables.unit, priors, pseudo, n_threads))


def average_partitions_numpy(tables: Tables, priors: Floats, pseudo: float) -> Averages:
    """Specification of the average in the compiled core, and its fallback."""
    tables.check()
    log_bayes_factors = np.zeros(len(tables))
    curves, lowered = np.zeros(tables.counts.shape), np.zeros(tables.counts.shape)
    for t in range(len(tables)):
        rows = slice(int(tables.offsets[t]), int(tables.offsets[t + 1]))
        if rows.stop - rows.start > 1:
            column = _Column(tables[t], tables.unit, priors[rows])
            log_bayes_factors[t] = column.log_bayes_factor
            curves[rows], lowered[rows] = (column.average(pseudo, lost) for lost in (0.0, 1.0))
    return Averages(log_bayes_factors, curves, lowered)


class _Column:
    """Sums over the partitions of one table.

    A block (s, t) has the weight exp(-(potential(s) + cost(s, t) - potential(t))), potential(t) being the least cost
    of a partition of the first t bins: no weight exceeds 1, and no relevant weight underflows. Sums run in the order of
    indices, so that the compiled core gives the same bits.
    """

    def __init__(self, counts: Ints, unit: float, prior: Floats) -> None:
        self._n, self._unit, self._prior = len(counts), unit, prior
        self._sums = np.concatenate([np.zeros((1, counts.shape[1]), dtype=np.int64), np.cumsum(counts, axis=0)])
        blocks = self._sums[None, 1:] - self._sums[:-1, None]  # (s, t - 1)
        upper = np.triu(np.ones((self._n, self._n), dtype=bool))
        preparation, data = bin_costs(np.where(upper[:, :, None], blocks, 0), unit)
        costs = preparation + data
        potential = np.zeros(self._n + 1, dtype=np.int64)
        for t in range(1, self._n + 1):
            potential[t] = (potential[:t] + costs[:t, t - 1]).min()
        excess = np.where(upper, potential[:-1, None] + costs - potential[None, 1:], 0)
        self._weights = np.zeros((self._n, self._n + 1))
        self._weights[:, 1:] = np.where(upper, exp_nonpositive(-excess / float(COST_ONE)), 0.0)
        self._sum_forward()
        self.log_bayes_factor = float(log_positive(np.array(self._total))) + to_nats(int(costs[0, -1] - potential[-1]))

    def _sum_forward(self) -> None:
        """Sum over the partitions of the first t bins into k blocks, until more blocks add nothing."""
        n = self._n
        self._forward, self._total = [np.eye(1, n + 1)[0]], 0.0
        for k in range(1, n + 1):
            level = np.zeros(n + 1)
            for s in range(k - 1, n):
                level[s + 1 :] += self._forward[-1][s] * self._weights[s, s + 1 :]
            self._forward.append(level)
            term = float(level[n] * self._prior[k - 1]) if k > 1 else 0.0
            self._total += term
            if k >= _MIN_BLOCKS and self._total > 0.0 and term < _NEGLIGIBLE * self._total:
                break

    def _shares(self) -> Floats:
        """Return the posterior probability of each block (s, t) among all partitions of several blocks."""
        n, max_blocks = self._n, len(self._forward) - 1
        backward = [np.eye(1, n + 1, n)[0]]
        for _ in range(1, max_blocks):
            level = np.zeros(n + 1)
            for t in range(1, n + 1):
                level[:t] += backward[-1][t] * self._weights[:t, t]
            backward.append(level)
        shares = np.zeros((n, n + 1))
        for k in range(max_blocks):
            rest = np.zeros(n + 1)
            for blocks in range(1 if k == 0 else 0, max_blocks - k):
                rest += self._prior[k + blocks] * backward[blocks]
            shares += self._forward[k][:n, None] * rest
        return shares * self._weights / self._total

    def average(self, pseudo: float, lost: float) -> Floats:
        """Return the curve of each bin and class, with ``lost`` rows left out."""
        shares = self._shares()
        shares = np.where(shares < _MIN_SHARE, 0.0, shares)
        mass = self._sums[-1]
        curves = np.zeros((self._n, len(mass)))
        for c in np.flatnonzero(mass):
            share = float(mass[c]) / float(mass.sum())
            weight = (self._sums[None, :, c] - self._sums[:-1, None, c]) * self._unit
            values = log_positive(np.maximum(weight - lost, 0.0) + pseudo * share) - log_positive(np.array(share))
            values = shares * values
            begins, ends = ordered_sum(values, axis=1), ordered_sum(values, axis=0)
            level = 0.0
            for v in range(self._n):
                level = (level + begins[v]) - ends[v]
                curves[v, c] = level
        return curves
