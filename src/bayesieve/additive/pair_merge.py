# SPDX-License-Identifier: BSD-3-Clause
"""Few bins per column of a pair: neighbors with similar scores in all cells are merged, at one price per bin.

The rows of a table are merged as the bins of a column are, with a score per cell, and then its columns. The price is
the largest at which the expected cost of all tables together stays within a tolerance: to second order, half the
curvature times the square of what a score changes by.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from bayesieve._typing import Bools, Floats, Ints
from bayesieve.additive.constants import DECIMALS, MERGE_PRICES, PAIR_MERGE_BISECTIONS
from bayesieve.additive.members import AdditiveFit, PairFit
from bayesieve.additive.pair_tables import Pair
from bayesieve.additive.rows import PairRows
from bayesieve.bins.merge import merge_scores

__all__ = ["MergedPair", "PairMerge", "merge_pair"]

_LEAST_CURVATURE: Final = 1e-6


@dataclass(frozen=True)
class MergedPair:
    """The merged bin of each bin of both columns of a pair, and the scores of merged cells, rounded to two decimals."""

    bins: tuple[Ints, Ints]
    scores: Floats
    errors: Floats | None = None

    @property
    def table(self) -> Floats:
        """The scores of all cells."""
        a, b = self.bins
        return np.asarray(self.scores[a[:, None], b[None, :]])


@dataclass(frozen=True, eq=False)
class PairMerge:
    """Merges the tables of a fit's pairs.

    Attributes
    ----------
    rows : PairRows
        Rows with the bins of tables.
    missing : bool array of shape (n_columns,)
        Whether the last bin of a column is that of missing values, which are not merged with others.
    fit : AdditiveFit
        The fit at whose scores merging costs what it does.
    """

    rows: PairRows
    missing: Bools
    fit: AdditiveFit

    @cached_property
    def _curvatures(self) -> Floats:
        return np.asarray(self.rows.loss.curvatures(self.fit.out_of_fold, self.rows.target, self.rows.weights).T)

    def price(self, tolerance: float) -> float:
        """Return the largest price per bin at which the expected cost per row stays within ``tolerance``."""
        pairs, most = self.fit.pairs, tolerance * float(self.rows.weights.sum())
        if not pairs or not most > 0.0:
            return 0.0
        curvatures, paid = [self.of_cells(each.columns) for each in pairs], 0.0
        low, high = MERGE_PRICES
        for _ in range(PAIR_MERGE_BISECTIONS):
            price, cost = float(np.sqrt(low * high)), 0.0
            for pair, own in zip(pairs, curvatures, strict=True):
                cost += _expected_cost(self._merged(pair, own, price), pair.table, own)
            if cost <= most:
                low = paid = price
            else:
                high = price
        return paid

    def at_price(self, pair: PairFit, price: float, variances: Floats) -> MergedPair:
        """Return the table of a pair with bins that are merged at a price, given the variances of its cells.

        The score of a row differs from that of its own cell as well, which merging has ignored.
        """
        merged = self._merged(pair, self.of_cells(pair.columns), price)
        mass = self._mass(pair.columns)[..., None] + np.finfo(float).tiny
        squares = variances + (pair.table - merged.table) ** 2
        sums, total = (_sums_of_cells(own, merged) for own in (mass * squares, mass))
        return replace(merged, errors=np.sqrt(sums / total))

    def of_cells(self, pair: Pair) -> Floats:
        """Return the curvature of the log-likelihood in each cell, shape (n_a, n_b, n_scores), with a floor."""
        by_score = [self._sums(pair, own) for own in self._curvatures]
        return np.asarray(np.stack(by_score, axis=-1) + _LEAST_CURVATURE)

    def _mass(self, pair: Pair) -> Floats:
        return self._sums(pair, self.rows.weights)

    def _sums(self, pair: Pair, values: Floats) -> Floats:
        n_a, n_b = self.rows.shape(pair)
        cells = self.rows.codes[pair[0]].astype(np.intp) * n_b + self.rows.codes[pair[1]]
        return np.asarray(np.bincount(cells, weights=values, minlength=n_a * n_b).reshape(n_a, n_b))

    def _merged(self, pair: PairFit, curvatures: Floats, price: float) -> MergedPair:
        a, b = pair.columns
        return merge_pair(pair.table, curvatures, price, (bool(self.missing[a]), bool(self.missing[b])))


def merge_pair(table: Floats, curvatures: Floats, price: float, missing: tuple[bool, bool]) -> MergedPair:
    """Merge the bins of the rows of a table of shape (n_a, n_b, n_scores), and given them those of its columns."""
    if not price > 0.0:
        n_a, n_b = table.shape[:2]
        return MergedPair((np.arange(n_a), np.arange(n_b)), table)
    bins_a = _merged_rows(table, curvatures, price, missing[0])
    means, mass = _joined(table, curvatures, bins_a)
    bins_b = _merged_rows(means.swapaxes(0, 1), mass.swapaxes(0, 1), price, missing[1])
    means = _joined(means.swapaxes(0, 1), mass.swapaxes(0, 1), bins_b)[0].swapaxes(0, 1)
    return MergedPair((bins_a, bins_b), np.round(means, DECIMALS) + 0.0)


def _merged_rows(table: Floats, curvatures: Floats, price: float, missing: bool) -> Ints:
    """Return the merged bin of each row of a table; the last one may be that of missing values."""
    n = len(table) - int(missing)
    flat, mass = (np.ascontiguousarray(own).reshape(len(table), -1) for own in (table, curvatures))
    bins = merge_scores(flat[:n], mass[:n], price) if n else np.empty(0, dtype=np.int64)
    return np.append(bins, bins.max(initial=-1) + 1) if missing else bins


def _joined(table: Floats, curvatures: Floats, bins: Ints) -> tuple[Floats, Floats]:
    """Return the means and the curvatures of merged rows."""
    first = np.flatnonzero(np.diff(bins, prepend=-1))
    mass, sums = (np.add.reduceat(own, first, axis=0) for own in (curvatures, curvatures * table))
    return sums / mass, mass


def _sums_of_cells(values: Floats, merged: MergedPair) -> Floats:
    """Return the sums of values of cells per merged cell."""
    first_a, first_b = (np.flatnonzero(np.diff(own, prepend=-1)) for own in merged.bins)
    return np.asarray(np.add.reduceat(np.add.reduceat(values, first_a, axis=0), first_b, axis=1))


def _expected_cost(merged: MergedPair, table: Floats, curvatures: Floats) -> float:
    """Return the cost of merging to second order, without what is less than a rounded digit."""
    change = np.maximum(np.abs(merged.table - table) - 0.5 * 10.0**-DECIMALS, 0.0)
    return 0.5 * float((curvatures * change * change).sum())
