# SPDX-License-Identifier: BSD-3-Clause
"""Rows in bins that are given, of which some have points that are set.

A column with the set points p of some bins, of which the rows have the masses m, has mean 0 over all rows: its other
bins have the level -sum of m p over set bins / sum of m over the others, and what they are above it has mean 0. So the
level and the set points are added to the scores of rows beforehand, and the column is fitted in bins of which the
first, neutral one holds all rows with set points: its score is the mean of the others, 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Bools, Floats, Ints
from bayesieve.additive.columns import AdditiveColumns
from bayesieve.additive.members import AdditiveFit
from bayesieve.additive.priors import ShapeBasis, column_basis
from bayesieve.additive.problem import AdditiveProblem, CodedColumn
from bayesieve.additive.rows import AdditiveRows
from bayesieve.bins import Partition, has_order
from bayesieve.bins.merge import n_mergeable
from bayesieve.exact import nearest_fixed, ordered_sum

__all__ = ["GivenBins", "GivenColumn", "GivenRows", "given_counts"]

_CLOSED: Final = column_basis(np.array([1.0, 0.0]), None, has_missing=0)
"""Of a column that no fit changes, in which all rows have one bin; a column has two at least."""


@dataclass(frozen=True, eq=False)
class GivenColumn:
    """The bins that a column is given.

    Attributes
    ----------
    partition : Partition
        Its bins.
    bins : int array
        The given bin of each of the finest bins.
    points : array of shape (n_bins, n_scores)
        The points that are set; NaN for those that are learned.
    """

    partition: Partition
    bins: Ints
    points: Floats

    @cached_property
    def is_held(self) -> Bools:
        """Whether the points of each bin are set."""
        return np.asarray(~np.isnan(self.points[:, 0]))


class GivenBins:
    """A column of the rows in given bins: those that have no place in the order first, missing values before others.

    ``order`` has the given bin of each of these bins, and ``fitted`` the bin of the fit that each is.
    """

    def __init__(self, problem: AdditiveProblem, data: AdditiveColumns, k: int, given: GivenColumn) -> None:
        self.given, self._column = given, problem.columns[data.columns[k]]
        n, n_free = given.partition.n_bins, n_mergeable(given.partition)
        free = np.arange(n_free)
        self._reversed = bool(data.reversed[k])
        self.order = np.concatenate([np.arange(n_free, n)[::-1], free[::-1] if self._reversed else free])
        self.n_apart = n - n_free
        places = np.empty(n, dtype=np.int64)
        places[self.order] = np.arange(n)
        self.codes = places[given.bins[data.bin_orders[k]]][data.rows.codes[k]].astype(np.uint16)
        counts = self._column.counts[: len(given.bins)].sum(axis=1) * data.unit
        self.mass = np.asarray(np.bincount(given.bins, counts, n)[self.order], dtype=np.float64)
        self.is_neutral = data.rows.neutral_shares(k) is not None and bool(getattr(given.partition, "missing", False))
        self.held = given.is_held[self.order]
        self._counts = counts

    @cached_property
    def pooled(self) -> Bools:
        """Whether the score of each bin is known beforehand."""
        pooled: Bools = self.held.copy()
        pooled[0] |= self.is_neutral and bool(self.held.any())
        return pooled

    @property
    def is_open(self) -> bool:
        """Whether there are two bins at least whose points are learned."""
        return int(np.count_nonzero(~self.pooled)) > 1

    @cached_property
    def offset(self) -> Floats:
        """The points that each bin has beforehand, shape (n_bins, n_scores)."""
        offset = np.zeros((len(self.order), self.given.points.shape[1]))
        if not self.held.any():
            return offset
        offset[self.held] = self.given.points[self.order][self.held]
        others = ~self.pooled
        mass = ordered_sum(self.mass[others])
        if mass > 0.0:
            offset[others] = -ordered_sum((self.mass[:, None] * offset)[self.held], 0) / mass
        return offset

    @property
    def fitted(self) -> Ints:
        """The bin of the fit that each bin is: the first one holds those whose points are set."""
        if not self.held.any():
            return np.arange(len(self.order))
        return np.where(self.pooled, 0, np.cumsum(~self.pooled))

    @property
    def n_before(self) -> int:
        """How many bins of the fit have no place in the order."""
        return self.n_apart if not self.held.any() else 1 + int((~self.pooled[: self.n_apart]).sum())

    def basis(self, *, fitted: bool) -> ShapeBasis:
        """Return what priors know of the bins, or of those of the fit."""
        mass, values = self.mass, self._values()
        if fitted and self.held.any():
            mass = _sums(self.fitted, self.mass)
            values = values if values is None else (values[0][~self.pooled[self.n_apart :]], values[1])
        n_before = self.n_before if fitted else self.n_apart
        if values is not None and not len(values[0]):  # all that have a place are set
            values = None
        return column_basis(mass, values, has_missing=n_before)

    def _values(self) -> tuple[Floats, tuple[float, float]] | None:
        """Return the mean values of the bins that have a place, in the order of these rows."""
        if self._column.values is None or not has_order(self._column.partition):
            return None
        means, (low, high) = self._column.values
        n = n_mergeable(self.given.partition)
        bins, mass = self.given.bins[: len(means)], self._counts[: len(means)]
        here = bins < n
        sums, total = (np.bincount(bins[here], each[here], n) for each in (mass * means, mass))
        known = np.flatnonzero(total > 0.0)
        values = np.interp(np.arange(n), known, sums[known] / total[known])  # a bin without rows is between others
        return (-values[::-1], (-high, -low)) if self._reversed else (values, (low, high))


class GivenRows:
    """Rows in given bins: ``plain`` ones, as the model has them, and ``fitted`` ones, in which set points are apart."""

    def __init__(self, problem: AdditiveProblem, data: AdditiveColumns, given: Sequence[GivenColumn | None]) -> None:
        self._data, self.given = data, [given[j] for j in data.columns]
        self.columns = [None if own is None else GivenBins(problem, data, k, own) for k, own in enumerate(self.given)]
        self.plain = self._rows(fitted=False)
        is_closed = len(self.open_columns) < len(self.columns)
        self.fitted = self._rows(fitted=True) if self.has_points or is_closed else self.plain

    @cached_property
    def has_points(self) -> bool:
        """Whether the points of a bin are set."""
        return any(own is not None and own.held.any() for own in self.columns)

    @cached_property
    def open_columns(self) -> list[int]:
        """The columns of which points are learned."""
        return [k for k, own in enumerate(self.columns) if own is None or own.is_open]

    def _rows(self, *, fitted: bool) -> AdditiveRows:
        rows, codes, bases = self._data.rows, list[NDArray[np.uint16]](), list[ShapeBasis]()
        missing, neutral = rows.missing.astype(np.uint8), list(rows.neutral or [None] * rows.n_columns)
        for k, own in enumerate(self.columns):
            if own is None:
                codes.append(rows.codes[k])
                bases.append(rows.bases[k])
                continue
            if fitted and not own.is_open:
                codes.append(np.zeros_like(own.codes))
                bases.append(_CLOSED)
                missing[k], neutral[k] = 0, None
                continue
            places = own.fitted if fitted else np.arange(len(own.order))
            codes.append(places.astype(np.uint16)[own.codes])
            bases.append(own.basis(fitted=fitted))
            missing[k] = own.n_before if fitted else own.n_apart
            is_neutral = own.is_neutral or (fitted and bool(own.held.any()))
            neutral[k] = _sums(places, own.mass) if is_neutral else None
        given = replace(rows, codes=codes, bases=bases, missing=missing, neutral=neutral)
        return replace(given, offset=self._offset()) if fitted and self.has_points else given

    def _offset(self) -> Floats:
        """Return what set points, and the levels that follow from them, add to each row."""
        total = np.zeros((self._data.rows.n_rows, self._data.rows.loss.n_scores))
        for own in self.columns:
            if own is not None and own.held.any():
                total = total + own.offset[own.codes]
        return nearest_fixed(total)

    def expand(self, fit: AdditiveFit, columns: Sequence[int]) -> AdditiveFit:
        """Return a fit of open columns with tables of all columns, in the bins of ``plain``.

        The score of the first bin of a column with set points is the level of the others, which the intercept takes.
        """
        found, intercept = dict(zip(fit.columns, fit.tables, strict=True)), fit.intercept
        tables = []
        for k in columns:
            own, table = self.columns[k], found.get(k)
            if own is None:
                assert table is not None
                tables.append(table)
                continue
            learned = np.zeros_like(own.offset) if table is None else table[own.fitted]
            if own.held.any() and table is not None:
                learned, intercept = learned - table[0], intercept + table[0]
            tables.append(own.offset + learned)
        return replace(fit, columns=tuple(columns), tables=tables, intercept=intercept)


def _sums(bins: Ints, mass: Floats) -> Floats:
    """Return the weight of the rows in each of the bins in which others are."""
    return np.asarray(np.bincount(bins, mass), dtype=np.float64)


def given_counts(column: CodedColumn, given: GivenColumn) -> Ints:
    """Return the weight of each class in given bins, in units."""
    counts = np.zeros((given.partition.n_bins, column.counts.shape[1]), dtype=np.int64)
    np.add.at(counts, given.bins, column.counts[: len(given.bins)])
    return counts
