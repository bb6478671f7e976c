# SPDX-License-Identifier: BSD-3-Clause
"""Few bins per column: neighbors with similar scores are merged at one price per bin.

The price is the largest at which the expected cost per row of merged scores g against scores f,

    mean of A(g) - A(f) - p (g - f),   A(z) = log(1 + e^z),   p = sigma(f),

stays within a tolerance: it is the divergence of two Bernoulli distributions if f is right. With more than two classes,
bins are common to them: squares are added over the classes, and A is the logarithm of the sum of exponentials. Other
losses have an A of their own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.additive.constants import DECIMALS, MERGE_BISECTIONS, MERGE_PRICES
from bayesieve.additive.members import AdditiveFit
from bayesieve.additive.rows import AdditiveRows
from bayesieve.bins.merge import merge_scores, merge_sorted_scores, sums_per_bin

__all__ = [
    "MergedColumn",
    "MergedTables",
    "bin_curvatures",
    "merge_at_price",
    "merge_tables",
    "merge_within",
    "with_errors",
]


@dataclass(frozen=True)
class MergedColumn:
    """The merged bin of each bin of a column, and the scores of merged bins, rounded to two decimals.

    ``errors`` are standard errors of these scores, if they are known.
    """

    bins: Ints
    scores: Floats
    errors: Floats | None = None

    @property
    def table(self) -> Floats:
        """The score of each bin."""
        return self.scores[self.bins]


@dataclass(frozen=True)
class MergedTables:
    """Merged columns, the price per bin at which they were merged, and the expected cost per row."""

    columns: list[MergedColumn]
    price: float
    cost: float


def with_errors(
    columns: Sequence[MergedColumn], tables: Sequence[Floats], variances: Sequence[Floats], masses: Sequence[Floats]
) -> list[MergedColumn]:
    """Return merged columns with standard errors, given tables before merging, their variances and weights of bins.

    The score of a row differs from that of its own bin as well, which merging has ignored.
    """
    if not columns:
        return []
    first = np.cumsum([0, *(len(each.scores) for each in columns)])
    places = np.concatenate([each.bins + begin for each, begin in zip(columns, first.tolist(), strict=False)])
    weights = np.concatenate(masses) + np.finfo(float).tiny
    change = np.concatenate(tables) - np.concatenate([each.table for each in columns])
    squares = np.concatenate(variances) + change * change
    sums = np.array([np.bincount(places, weights * own, first[-1]) for own in squares.T]).T
    errors = np.sqrt(sums / np.bincount(places, weights, first[-1])[:, None])
    return [replace(each, errors=own) for each, own in zip(columns, np.split(errors, first[1:-1]), strict=True)]


def merge_tables(
    rows: AdditiveRows, fit: AdditiveFit, tolerance: float, masses: Sequence[Floats] | None = None
) -> MergedTables:
    """Merge the bins of all columns at the largest price whose expected cost stays within ``tolerance``.

    Where the rows are a sample, ``masses`` are the weights of the bins of each column in all rows.
    """
    scores = _total(rows, fit, fit.tables)
    curvatures = bin_curvatures(rows, fit.columns, scores)
    if masses is not None:
        by_column = zip(fit.columns, curvatures, masses, strict=True)
        curvatures = [_of_all_rows(rows, k, own, mass) for k, own, mass in by_column]
    best, paid, cost = merge_at_price(rows, fit, curvatures, 0.0), 0.0, 0.0
    most = rows.loss.tuning.merge_rows
    every = 1 if most is None else -(-rows.n_rows // most)
    cost_of = _ExpectedCost(rows, fit, scores[::every], every)
    low, high = MERGE_PRICES
    for _ in range(MERGE_BISECTIONS if tolerance > 0.0 and fit.columns else 0):
        price = float(np.sqrt(low * high))
        merged = merge_at_price(rows, fit, curvatures, price)
        expected = cost_of(merged)
        if expected <= tolerance:
            low, best, paid, cost = price, merged, price, expected
        else:
            high = price
    return MergedTables(best, paid, cost)


def merge_at_price(
    rows: AdditiveRows, fit: AdditiveFit, curvatures: Sequence[Floats], price: float
) -> list[MergedColumn]:
    """Merge the bins of all columns at a price per bin; at no price they stay as they are."""
    bins = [
        _merged(rows, k, table, own, price) if price > 0.0 else np.arange(len(table))
        for k, table, own in zip(fit.columns, fit.tables, curvatures, strict=True)
    ]
    return list(map(MergedColumn, bins, _means(rows, fit, bins, curvatures)))


def merge_within(
    rows: AdditiveRows, fit: AdditiveFit, curvatures: Sequence[Floats], price: float, tolerance: float
) -> list[MergedColumn]:
    """Merge the bins of all columns at a price per bin, or at a lower one where that would cost too much.

    The expected cost of all rows is, to second order, half the curvature times the square of what a score changes by.
    """
    most = tolerance * float(rows.weights.sum())
    merged = merge_at_price(rows, fit, curvatures, price)
    while price > 0.0:
        cost = _expected_cost(merged, fit.tables, curvatures)
        if cost <= most:
            break
        price = price * min(most / cost, 0.5) if price > MERGE_PRICES[0] else 0.0
        merged = merge_at_price(rows, fit, curvatures, price)
    return merged


def _expected_cost(merged: Sequence[MergedColumn], tables: Sequence[Floats], curvatures: Sequence[Floats]) -> float:
    """Return the cost of merging to second order, without what is less than a rounded digit."""
    if not merged:
        return 0.0
    change = np.abs(np.concatenate([each.table for each in merged]) - np.concatenate(tables))
    costs = np.concatenate(curvatures) * np.maximum(change - 0.5 * 10.0**-DECIMALS, 0.0) ** 2
    ends = np.cumsum([len(table) for table in tables]).tolist()
    return 0.5 * sum(float(costs[begin:end].sum()) for begin, end in pairwise([0, *ends]))


def _means(rows: AdditiveRows, fit: AdditiveFit, bins: Sequence[Ints], curvatures: Sequence[Floats]) -> list[Floats]:
    """Return the scores of merged bins of all columns, rounded: sums of all columns in one call."""
    if not bins:
        return []
    directions = [rows.direction(k) for k in fit.columns]
    weights = np.concatenate(list(map(rows.loss.merge_weights, curvatures, directions)))
    ends = np.cumsum([len(own) for own in bins])
    first = np.concatenate([[0], ends[:-1]])
    places, n_places = np.concatenate(bins) + np.repeat(first, np.diff(ends, prepend=0)), int(ends[-1])
    used = np.flatnonzero(np.bincount(places, minlength=n_places))  # a column has fewer merged bins than bins
    mass, sums = (
        sums_per_bin(places, each, n_places)[used] for each in (weights, weights * np.concatenate(fit.tables))
    )
    means, borders = sums / mass, [0, *np.searchsorted(used, ends).tolist()]
    rounded = rows.loss.merged_scores(means, None)
    return [
        rounded[begin:end] if direction is None else rows.loss.merged_scores(means[begin:end], direction)
        for (begin, end), direction in zip(pairwise(borders), directions, strict=True)
    ]


def _total(rows: AdditiveRows, fit: AdditiveFit, tables: Sequence[Floats], every: int = 1) -> Floats:
    """Return the scores of each row, or of every second, every third, and so on."""
    scores = fit.intercept + fit.offset[::every]
    own = dict(zip(fit.columns, tables, strict=True))
    for k in sorted(own):  # the order of a sum decides its last bits
        scores += own[k].take(rows.codes[k][::every], axis=0)
    return scores


def bin_curvatures(rows: AdditiveRows, columns: Sequence[int], scores: Floats) -> list[Floats]:
    """Return the curvature of the log-likelihood per bin and score, with a floor."""
    by_score, curvatures = np.ascontiguousarray(rows.loss.curvatures(scores, rows.target, rows.weights).T), []
    for k in columns:
        n_bins = len(rows.bases[k].gaps)
        own = [np.bincount(rows.codes[k], weights=each, minlength=n_bins) for each in by_score]
        curvatures.append(np.asarray(np.array(own).T + 1e-6, dtype=np.float64))
    return curvatures


def _of_all_rows(rows: AdditiveRows, k: int, curvatures: Floats, mass: Floats) -> Floats:
    """Return curvatures per bin as all rows have them, to the scale of a sample; it may have no row of a bin."""
    here = np.bincount(rows.codes[k], weights=rows.weights, minlength=len(mass))
    means = (curvatures.T / np.where(here > 0.0, here, 1.0)).T
    means[here == 0.0] = curvatures.sum(axis=0) / here.sum()
    return np.asarray((means.T * (mass * (here.sum() / mass.sum()))).T + 1e-6)


def _merged(rows: AdditiveRows, k: int, table: Floats, curvatures: Floats, price: float) -> Ints:
    """Return the merged bin of each bin: neighbors, or categories of similar scores; missing values stay apart."""
    first = int(rows.missing[k])
    numbers = (merge_sorted_scores if rows.bases[k].nominal else merge_scores)(table[first:], curvatures[first:], price)
    return np.concatenate([np.zeros(first, dtype=np.int64), numbers + first]) if first else numbers


class _ExpectedCost:
    """The expected cost per row of merged bins. Neighboring prices often merge the same ones, whose cost is known."""

    def __init__(self, rows: AdditiveRows, fit: AdditiveFit, scores: Floats, every: int) -> None:
        self._rows, self._fit, self._scores, self._every = rows, fit, scores, every
        self._weights = rows.weights[::every]
        self._mean, self._before = rows.loss.mean(scores), rows.loss.potential(scores)
        self._costs: dict[tuple[bytes, ...], float] = {}

    def __call__(self, merged: Sequence[MergedColumn]) -> float:
        bins = tuple(each.bins.tobytes() for each in merged)
        if bins not in self._costs:
            self._costs[bins] = self._cost(_total(self._rows, self._fit, [each.table for each in merged], self._every))
        return self._costs[bins]

    def _cost(self, merged: Floats) -> float:
        """Return the mean of A(g) - A(f) - p (g - f)."""
        terms = (self._mean * (merged - self._scores)).T
        linear = terms[0]
        for own in terms[1:]:
            linear = linear + own
        costs = self._rows.loss.potential(merged) - self._before - linear
        return float((self._weights * costs).sum()) / float(self._weights.sum())
