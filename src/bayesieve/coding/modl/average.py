"""The average over all partitions of a column, instead of the best one.

A column has n elementary parts in order. A partition joins neighbours to blocks; a block with m_j rows of class j costs
what a part of MODL costs, and their number has a prior (`bayesieve.coding.modl.partition_prior`). Values of a nominal
column are put in the order of their class rates first. Sums over all partitions of several blocks, by a forward and a
backward pass, give

    evidence      log of (their probability / that of one block), the Bayes factor of what the column has to say
    share(s, t)   the posterior probability that the parts s .. t-1 are a block
    curve(v, j)   sum over the blocks that hold v of share x log ((m_j + a p_j) / p_j),    p_j the share of class j

so that part v speaks for class j with curve(v, j), up to a constant of the part. ``lowered`` is the same with m_j - 1
in place of m_j: what the part would say of class j if one of its rows of that class had not been counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._native.elementary import exp_nonpositive, log_positive
from bayesieve.coding.modl.cost import part_costs
from bayesieve.coding.modl.factorial import COST_ONE, to_nats
from bayesieve.coding.modl.partition_prior import partition_priors
from bayesieve.coding.modl.tables import Tables

__all__ = ["Averages", "average_partitions", "average_partitions_numpy"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_FEWEST: Final = 8  # numbers of blocks that are always summed
_NEGLIGIBLE: Final = 1e-9  # of all partitions
_LEAST: Final = 2.0**-50  # of all partitions that hold a part


@dataclass(frozen=True)
class Averages:
    """What the partitions of some tables say together.

    Attributes
    ----------
    evidence : float64 array of shape (n_tables,)
        Log Bayes factor of several parts against one.
    curves, lowered : float64 arrays of shape (n_rows, n_classes)
        What each elementary part says of each class; and when a row of that class is taken out of the part.
    """

    evidence: Floats
    curves: Floats
    lowered: Floats


def average_partitions(tables: Tables, ordered: Sequence[bool], pseudo: float = 2.0, n_threads: int = 1) -> Averages:
    """Average over the partitions of each table, with the compiled core where there is one.

    Parameters
    ----------
    tables : Tables
        A row an elementary part; those of nominal columns by increasing class rate.
    ordered : sequence of bool
        Whether each table is of an ordered column.
    pseudo : float
        The weight of the class shares in a block, a above.
    n_threads : int
    """
    stacked = partition_priors(tables, ordered)
    if core is None:
        warn_if_missing()
        return average_partitions_numpy(tables, stacked, pseudo)
    return Averages(*core.modl_average(tables.counts, tables.offsets, tables.unit, stacked, pseudo, n_threads))


def average_partitions_numpy(tables: Tables, priors: Floats, pseudo: float) -> Averages:
    """Average as the compiled core does: its specification, and its fallback."""
    tables.check()
    evidence = np.zeros(len(tables))
    curves, lowered = np.zeros(tables.counts.shape), np.zeros(tables.counts.shape)
    for t in range(len(tables)):
        rows = slice(int(tables.offsets[t]), int(tables.offsets[t + 1]))
        if rows.stop - rows.start > 1:
            column = _Column(tables[t], tables.unit, priors[rows])
            evidence[t] = column.evidence
            curves[rows], lowered[rows] = (column.average(pseudo, lost) for lost in (0.0, 1.0))
    return Averages(evidence, curves, lowered)


class _Column:
    """Sums over the partitions of one table.

    A block (s, t) has the weight exp(-(potential(s) + cost(s, t) - potential(t))), potential(t) being the cheapest way
    to divide the first t parts: no weight exceeds 1, and nothing that matters underflows. Sums run in the order of
    indices, so that the compiled core has the same bits.
    """

    def __init__(self, counts: Ints, unit: float, prior: Floats) -> None:
        self._n, self._unit, self._prior = len(counts), unit, prior
        self._sums = np.concatenate([np.zeros((1, counts.shape[1]), dtype=np.int64), np.cumsum(counts, axis=0)])
        blocks = self._sums[None, 1:] - self._sums[:-1, None]  # (s, t - 1)
        upper = np.triu(np.ones((self._n, self._n), dtype=bool))
        preparation, data = part_costs(np.where(upper[:, :, None], blocks, 0), unit)
        costs = preparation + data
        potential = np.zeros(self._n + 1, dtype=np.int64)
        for t in range(1, self._n + 1):
            potential[t] = (potential[:t] + costs[:t, t - 1]).min()
        excess = np.where(upper, potential[:-1, None] + costs - potential[None, 1:], 0)
        self._weights = np.zeros((self._n, self._n + 1))
        self._weights[:, 1:] = np.where(upper, exp_nonpositive(-excess / float(COST_ONE)), 0.0)
        self._sum_forward()
        self.evidence = float(log_positive(np.array(self._total))) + to_nats(int(costs[0, -1] - potential[-1]))

    def _sum_forward(self) -> None:
        """Sum over the ways to divide the first t parts into k blocks, until more blocks add nothing."""
        n = self._n
        self._forward, self._total = [np.eye(1, n + 1)[0]], 0.0
        for k in range(1, n + 1):
            level = np.zeros(n + 1)
            for s in range(k - 1, n):
                level[s + 1 :] += self._forward[-1][s] * self._weights[s, s + 1 :]
            self._forward.append(level)
            term = float(level[n] * self._prior[k - 1]) if k > 1 else 0.0
            self._total += term
            if k >= _FEWEST and self._total > 0.0 and term < _NEGLIGIBLE * self._total:
                break

    def _shares(self) -> Floats:
        """Return the share of each block (s, t) in all partitions of several blocks."""
        n, most = self._n, len(self._forward) - 1
        backward = [np.eye(1, n + 1, n)[0]]
        for _ in range(1, most):
            level = np.zeros(n + 1)
            for t in range(1, n + 1):
                level[:t] += backward[-1][t] * self._weights[:t, t]
            backward.append(level)
        shares = np.zeros((n, n + 1))
        for k in range(most):
            rest = np.zeros(n + 1)
            for blocks in range(1 if k == 0 else 0, most - k):
                rest += self._prior[k + blocks] * backward[blocks]
            shares += self._forward[k][:n, None] * rest
        return shares * self._weights / self._total

    def average(self, pseudo: float, lost: float) -> Floats:
        """Return what each part says of each class."""
        shares = self._shares()
        shares = np.where(shares < _LEAST, 0.0, shares)
        mass = self._sums[-1]
        curves = np.zeros((self._n, len(mass)))
        for c in np.flatnonzero(mass):
            share = float(mass[c]) / float(mass.sum())
            weight = (self._sums[None, :, c] - self._sums[:-1, None, c]) * self._unit
            values = log_positive(np.maximum(weight - lost, 0.0) + pseudo * share) - log_positive(np.array(share))
            values = shares * values
            # accumulate adds in order; sum would add in pairs.
            begins = np.add.accumulate(values, axis=1)[:, -1]
            ends = np.add.accumulate(values, axis=0)[-1]
            level = 0.0
            for v in range(self._n):
                level = (level + begins[v]) - ends[v]
                curves[v, c] = level
        return curves
