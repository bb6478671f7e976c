# SPDX-License-Identifier: BSD-3-Clause
"""Univariate scores, each a formula on the contingency tables of columns and class.

In nats, with I the mutual information and H the entropy. All are 0 for a column that is independent of the class,
except the conditional entropy, which is H(class). The correlation with the class is computed from the counts of values.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.bins import Codes, LearnedBins
from bayesieve.data import Values, add_by_class
from bayesieve.exact import log_positive, ordered_sum

__all__ = [
    "FORMULAS",
    "ClassTables",
    "FixedLogs",
    "chi_square",
    "conditional_entropy",
    "correlation",
    "gain_ratio",
    "mutual_information",
    "shared_uncertainty",
    "symmetric_uncertainty",
]

_BITS = 48  # of N log N: a sum of 2^15 of them fits an integer, and a nat has some 44 fractional bits


@dataclass(frozen=True)
class FixedLogs:
    """n log n of the weights of bins, in fixed point; ``total`` is the weight of all rows in units."""

    total: int

    @cached_property
    def shift(self) -> int:
        """The number of fractional bits."""
        return _BITS - int(np.frexp(max(1.0, _n_log_n(np.array([float(self.total)]))[0]))[1])

    @cached_property
    def of_total(self) -> int:
        """N log N."""
        return int(self.of(np.array([self.total]))[0])

    def of(self, counts: Ints) -> Ints:
        """Return n log n of each count, 0 for 0."""
        return self._table[counts] if counts.size > self.total else self._fixed(counts)

    @cached_property
    def _table(self) -> Ints:
        """The logarithms of all counts that there can be, for many counts of few rows."""
        return self._fixed(np.arange(self.total + 1))

    def _fixed(self, counts: Ints) -> Ints:
        return np.rint(np.ldexp(_n_log_n(counts.astype(np.float64)), self.shift)).astype(np.int64)

    def sums(self, counts: Ints, begins: Ints) -> Ints:
        """Return the sum of n log n over the rows from each begin to the next; none may be empty."""
        logs = self.of(counts)
        cells = logs if logs.ndim == 1 else logs.sum(axis=1)
        return np.add.reduceat(cells, begins) if len(begins) else np.empty(0, dtype=np.int64)

    def nats(self, sums: Ints) -> Floats:
        """Convert N times an entropy, in fixed point, to nats."""
        return np.ldexp(np.asarray(sums).astype(np.float64), -self.shift) / float(self.total)


def _n_log_n(n: Floats) -> Floats:
    return n * log_positive(np.maximum(n, 1.0))


@dataclass(frozen=True)
class ClassTables:
    """Contingency tables of some columns and the class, stacked.

    Attributes
    ----------
    counts : int64 array of shape (offsets[-1], n_classes)
        Weight of each bin in each class, in units.
    offsets : int64 array of shape (n_columns + 1,)
        Where the bins of each column begin; a column has at least one bin.
    mass : int64 array of shape (n_classes,)
        Weight of each class, the same in every column.
    unit : float
        The unit of the weights.
    """

    counts: Ints
    offsets: Ints
    mass: Ints
    unit: float = 1.0

    @classmethod
    def stack(cls, tables: Sequence[Ints], mass: Ints, unit: float = 1.0) -> "ClassTables":
        """Stack tables of shape (n_bins, n_classes), one per column."""
        counts = np.concatenate([np.empty((0, len(mass)), dtype=np.int64), *tables])
        return cls(counts, np.append(0, np.cumsum([len(table) for table in tables])).astype(np.int64), mass, unit)

    @classmethod
    def of_bins(cls, bins: Sequence[LearnedBins], mass: Ints, unit: float = 1.0) -> "ClassTables":
        """Stack the counts of learned bins."""
        none = np.empty((0, len(mass)), dtype=np.int64)
        counts = [np.delete(some.counts, some.offsets[1:] - 1, axis=0) for some in bins]  # without *unseen*
        n_bins = np.concatenate([np.zeros(1, dtype=np.int64), *(some.n_bins for some in bins)])
        return cls(np.concatenate([none, *counts]), np.cumsum(n_bins), mass, unit)

    @classmethod
    def of_codes(cls, codes: Codes, target: NDArray[np.int32], weights: Ints, n_classes: int) -> "ClassTables":
        """Count coded columns, in which no row has the code of unseen values."""
        counts = codes.count(target, weights, n_classes)
        unseen = codes.offsets[1:] - 1
        mass = add_by_class(target, weights, n_classes)
        return cls(np.delete(counts, unseen, axis=0), np.append(0, np.cumsum(codes.n_bins)), mass)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.offsets) - 1

    @cached_property
    def logs(self) -> FixedLogs:
        """Logarithms for this total weight."""
        return FixedLogs(int(self.mass.sum()))

    @cached_property
    def bins(self) -> Ints:
        """Σ n log n over the bins of each column."""
        return self.logs.sums(self.counts.sum(axis=1), self.offsets[:-1])

    @cached_property
    def cell_log_sums(self) -> Ints:
        """Σ n log n over the bins of each column and the classes."""
        return self.logs.sums(self.counts, self.offsets[:-1])

    @cached_property
    def classes(self) -> int:
        """Σ n log n over the classes."""
        return int(self.logs.of(self.mass).sum())

    @cached_property
    def information(self) -> Ints:
        """N times the mutual information of each column and the class, in fixed point; never negative."""
        return np.asarray(np.maximum(self.logs.of_total - self.classes - self.bins + self.cell_log_sums, 0))


def mutual_information(tables: ClassTables) -> Floats:
    """Return I(X; Y) = H(X) + H(Y) - H(X, Y)."""
    return tables.logs.nats(tables.information)


def conditional_entropy(tables: ClassTables) -> Floats:
    """Return H(Y | X) = H(Y) - I(X; Y): smaller is better."""
    return tables.logs.nats(tables.logs.of_total - tables.classes - tables.information)


def gain_ratio(tables: ClassTables) -> Floats:
    """Return I(X; Y) / H(X), 0 if H(X) is 0."""
    return _ratio(tables.information, tables.logs.of_total - tables.bins)


def symmetric_uncertainty(tables: ClassTables) -> Floats:
    """Return 2 I(X; Y) / (H(X) + H(Y)), 0 if either entropy is 0."""
    return shared_uncertainty(tables.information, 2 * tables.logs.of_total - tables.bins - tables.classes)


def shared_uncertainty(information: Ints, entropies: Ints) -> Floats:
    """Return the symmetric uncertainty of two variables: twice their information by the sum of their entropies."""
    return _ratio(2 * information, entropies)


def _ratio(numerator: NDArray[np.int64], total: NDArray[np.int64]) -> Floats:
    return np.divide(numerator, total, out=np.zeros(numerator.shape), where=(total > 0) & (numerator > 0))


def chi_square(tables: ClassTables) -> Floats:
    """Return Pearson's Σ (n - e)² / e over the cells, where e is the expected count under independence."""
    mass = tables.counts.sum(axis=1)
    total = float(tables.mass.sum())
    expected = mass[:, None].astype(np.float64) * tables.mass / total
    gaps = tables.counts - expected
    terms = np.divide(gaps * gaps, expected, out=np.zeros_like(expected), where=expected > 0)
    # Sums of integers do not depend on their order; the sum is at most N · classes.
    shift = 60 - int(np.frexp(total * len(tables.mass))[1])
    cells = np.rint(np.ldexp(terms, shift)).astype(np.int64).sum(axis=1)
    sums = np.add.reduceat(cells, tables.offsets[:-1]) if tables.n_columns else np.empty(0, dtype=np.int64)
    return np.ldexp(sums.astype(np.float64), -shift) * tables.unit


FORMULAS: dict[str, Callable[[ClassTables], Floats]] = {
    "mutual_info": mutual_information,
    "conditional_entropy": conditional_entropy,
    "gain_ratio": gain_ratio,
    "symmetric_uncertainty": symmetric_uncertainty,
    "chi2": chi_square,
}


def correlation(column: Values, counts: Ints) -> float:
    """Return the weighted mean over classes of |r| between the column and the class indicator.

    For two classes this is |r| itself. For a column of labels, |r| is averaged over the indicators of the labels,
    weighted by their frequency. Missing values are left out.

    Parameters
    ----------
    column : Values
        The distinct values.
    counts : int64 array of shape (n_labels + 1, n_classes)
        Weight of each value in each class; missing values last, which are not used.
    """
    table = counts[:-1].astype(np.float64)
    by_label, by_class = ordered_sum(table, axis=1), ordered_sum(table, axis=0)
    total = ordered_sum(by_class)
    if total == 0.0:
        return 0.0
    if isinstance(column.labels, np.ndarray):
        return _weighted(_numeric(column.labels, table, by_label, by_class, total), by_class, total)
    joint = table / total
    gaps = joint - by_label[:, None] * by_class / total**2
    spread = np.sqrt((by_label * (total - by_label))[:, None] * (by_class * (total - by_class))) / total**2
    each = np.abs(np.divide(gaps, spread, out=np.zeros_like(gaps), where=spread > 0))
    return _weighted(np.array([_weighted(row, by_class, total) for row in each]), by_label, total)


def _numeric(labels: Floats, table: Floats, by_label: Floats, by_class: Floats, total: float) -> Floats:
    """Return |r| of numbers and each class's indicator, with the numbers scaled so that nothing overflows."""
    used = labels[by_label > 0]
    low, high = used[0] / 2, used[-1] / 2
    if low == high:
        return np.zeros(table.shape[1])
    scaled = np.where(by_label > 0, (labels / 2 - low) / (high - low), 0.0)
    centered = scaled - ordered_sum(scaled * by_label) / total
    variance = ordered_sum(centered * centered * by_label)
    covariance = ordered_sum(centered[:, None] * table, axis=0)
    spread = np.sqrt(variance * by_class * (total - by_class) / total)
    return np.asarray(np.abs(np.divide(covariance, spread, out=np.zeros(len(spread)), where=spread > 0)))


def _weighted(values: Floats, weights: Floats, total: float) -> float:
    return ordered_sum(values * weights) / total
