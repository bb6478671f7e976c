# SPDX-License-Identifier: BSD-3-Clause
"""Few bins per column: neighbors with similar scores are merged at one price per bin.

The price is the largest at which the expected cost per row of merged scores g against scores f,

    mean of A(g) - A(f) - p (g - f),   A(z) = log(1 + e^z),   p = sigma(f),

stays within a tolerance: it is the divergence of two Bernoulli distributions if f is right. With more than two classes,
bins are common to them: squares are added over the classes, and A is the logarithm of the sum of exponentials.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.additive import ShapeRows, log_losses, softmax
from bayesieve.additive.members import AdditiveFit
from bayesieve.bins.merge import merge_scores, merge_sorted_scores, sums_per_bin
from bayesieve.exact import exp_nonpositive

__all__ = [
    "MergedColumn",
    "MergedTables",
    "bin_curvatures",
    "merge_at_price",
    "merge_tables",
    "merge_within",
]

_BISECTIONS: Final = 16
_PRICES: Final = (1e-6, 1e4)
_LEAST_SHARE: Final = 0.1  # of the curvature at the base rate: certain rows must not be merged for nothing
_MOST_ROWS: Final = 5000  # whose expected cost is computed, with more than two classes
_DECIMALS: Final = 2


@dataclass(frozen=True)
class MergedColumn:
    """The merged bin of each bin of a column, and the scores of merged bins, rounded to two decimals."""

    bins: Ints
    scores: Floats

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


def merge_tables(
    rows: ShapeRows, fit: AdditiveFit, tolerance: float, masses: Sequence[Floats] | None = None
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
    every = 1 if rows.n_classes == 2 else -(-rows.n_rows // _MOST_ROWS)
    cost_of = _ExpectedCost(rows, fit, scores[::every], every)
    low, high = _PRICES
    for _ in range(_BISECTIONS if tolerance > 0.0 and fit.columns else 0):
        price = float(np.sqrt(low * high))
        merged = merge_at_price(rows, fit, curvatures, price)
        expected = cost_of(merged)
        if expected <= tolerance:
            low, best, paid, cost = price, merged, price, expected
        else:
            high = price
    return MergedTables(best, paid, cost)


def merge_at_price(rows: ShapeRows, fit: AdditiveFit, curvatures: Sequence[Floats], price: float) -> list[MergedColumn]:
    """Merge the bins of all columns at a price per bin; at no price they stay as they are."""
    bins = [
        _merged(rows, k, table, own, price) if price > 0.0 else np.arange(len(table))
        for k, table, own in zip(fit.columns, fit.tables, curvatures, strict=True)
    ]
    if rows.n_classes == 2 and bins:
        means = _means_of_all(bins, fit.tables, curvatures)
    else:
        by_column = zip(fit.columns, bins, fit.tables, curvatures, strict=True)
        means = [_means(rows, *own) for own in by_column]
    return list(map(MergedColumn, bins, means))


def _means_of_all(bins: Sequence[Ints], tables: Sequence[Floats], curvatures: Sequence[Floats]) -> list[Floats]:
    """Return the same as `_means` of each column, of two classes: sums of all columns in one call."""
    ends = np.cumsum([len(own) for own in bins])
    first = np.concatenate([[0], ends[:-1]])
    weights, places = np.concatenate(curvatures), np.concatenate(bins) + np.repeat(first, np.diff(ends, prepend=0))
    mass = np.bincount(places, weights=weights, minlength=int(ends[-1]))
    used = np.flatnonzero(np.bincount(places, minlength=int(ends[-1])))  # a column has fewer merged bins than bins
    means = np.bincount(places, weights=weights * np.concatenate(tables), minlength=int(ends[-1]))[used] / mass[used]
    rounded = np.round(means, _DECIMALS) + 0.0
    borders = np.searchsorted(used, ends).tolist()
    return [rounded[begin:end] for begin, end in pairwise([0, *borders])]


def merge_within(
    rows: ShapeRows, fit: AdditiveFit, curvatures: Sequence[Floats], price: float, tolerance: float
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
        price = price * min(most / cost, 0.5) if price > _PRICES[0] else 0.0
        merged = merge_at_price(rows, fit, curvatures, price)
    return merged


def _expected_cost(merged: Sequence[MergedColumn], tables: Sequence[Floats], curvatures: Sequence[Floats]) -> float:
    """Return the cost of merging to second order, without what is less than a rounded digit."""
    if not merged or tables[0].ndim > 1:
        changes = [np.abs(each.table - table) for each, table in zip(merged, tables, strict=True)]
        squares = [np.maximum(change - 0.5 * 10.0**-_DECIMALS, 0.0) ** 2 for change in changes]
        return 0.5 * sum(float((own * square).sum()) for own, square in zip(curvatures, squares, strict=True))
    change = np.abs(np.concatenate([each.table for each in merged]) - np.concatenate(tables))
    costs = np.concatenate(curvatures) * np.maximum(change - 0.5 * 10.0**-_DECIMALS, 0.0) ** 2
    ends = np.cumsum([len(table) for table in tables]).tolist()
    return 0.5 * sum(float(costs[begin:end].sum()) for begin, end in pairwise([0, *ends]))


def _means(rows: ShapeRows, k: int, bins: Ints, table: Floats, curvatures: Floats) -> Floats:
    """Return the scores of merged bins, rounded."""
    is_lead = rows.n_classes > 2 and bool(rows.monotone[k])
    if is_lead:  # with weights that are common to the classes, means keep the order of a lead
        curvatures = np.repeat(curvatures.sum(axis=1, keepdims=True), rows.n_classes, axis=1)
    means = sums_per_bin(bins, curvatures * table) / sums_per_bin(bins, curvatures)
    rounded: Floats = np.round(means, _DECIMALS) + 0.0
    if is_lead:
        lead, first, sign = means[:, rows.lead[k]][:, None], int(rows.missing[k]), int(rows.monotone[k])
        leads = np.round(lead - means, _DECIMALS)
        leads[first:] = sign * np.maximum.accumulate(sign * leads[first:], axis=0)
        rounded = np.round(np.round(lead, _DECIMALS) - leads, _DECIMALS) + 0.0
    return rounded


def _total(rows: ShapeRows, fit: AdditiveFit, tables: Sequence[Floats], every: int = 1) -> Floats:
    """Return the scores of each row, or of every second, every third, and so on."""
    scores = fit.intercept + fit.offset[::every]
    own = dict(zip(fit.columns, tables, strict=True))
    for k in sorted(own):  # the order of a sum decides its last bits
        scores += own[k].take(rows.codes[k][::every], axis=0)
    return scores


def bin_curvatures(rows: ShapeRows, columns: Sequence[int], scores: Floats) -> list[Floats]:
    """Return the curvature of the log-likelihood per bin, with a floor; with more than two classes, of each."""
    if rows.n_classes == 2:
        e = exp_nonpositive(-np.abs(scores))
        share = float((rows.target * rows.weights).sum()) / float(rows.weights.sum())
        hessians = rows.weights * np.maximum(e / (1.0 + e) ** 2, _LEAST_SHARE * share * (1.0 - share))
        sums = (np.bincount(rows.codes[k], weights=hessians, minlength=len(rows.bases[k].gaps)) for k in columns)
        return [np.asarray(own + 1e-6, dtype=np.float64) for own in sums]
    p = _softmax(scores)[0]
    mass = np.bincount(rows.target.astype(np.intp), weights=rows.weights, minlength=rows.n_classes)
    shares = mass / mass.sum()
    by_class = (np.maximum(p * (1.0 - p), _LEAST_SHARE * shares * (1.0 - shares)) * rows.weights[:, None]).T
    curvatures = []
    for k in columns:
        n_bins = len(rows.bases[k].gaps)
        own = [np.bincount(rows.codes[k], weights=each, minlength=n_bins) for each in by_class]
        curvatures.append(np.asarray(np.array(own).T + 1e-6, dtype=np.float64))
    return curvatures


def _of_all_rows(rows: ShapeRows, k: int, curvatures: Floats, mass: Floats) -> Floats:
    """Return curvatures per bin as all rows have them, to the scale of a sample; it may have no row of a bin."""
    here = np.bincount(rows.codes[k], weights=rows.weights, minlength=len(mass))
    means = (curvatures.T / np.where(here > 0.0, here, 1.0)).T
    means[here == 0.0] = curvatures.sum(axis=0) / here.sum()
    return np.asarray((means.T * (mass * (here.sum() / mass.sum()))).T + 1e-6)


def _softmax(scores: Floats) -> tuple[Floats, Floats]:
    """Return probabilities, and the logarithm of the sum of exponentials."""
    p, top, log_totals = softmax(scores)
    return p, top + log_totals


def _merged(rows: ShapeRows, k: int, table: Floats, curvatures: Floats, price: float) -> Ints:
    """Return the merged bin of each bin: neighbors, or categories of similar scores; missing values stay apart."""
    first = int(rows.missing[k])
    numbers = (merge_sorted_scores if rows.bases[k].nominal else merge_scores)(table[first:], curvatures[first:], price)
    return np.concatenate([np.zeros(first, dtype=np.int64), numbers + first]) if first else numbers


class _ExpectedCost:
    """The expected cost per row of merged bins. Neighboring prices often merge the same ones, whose cost is known."""

    def __init__(self, rows: ShapeRows, fit: AdditiveFit, scores: Floats, every: int) -> None:
        self._rows, self._fit, self._scores, self._every = rows, fit, scores, every
        self._weights = rows.weights[::every]
        if scores.ndim == 2:
            self._p, self._before = _softmax(scores)
        else:
            e = exp_nonpositive(-np.abs(scores))
            self._p, self._before = np.where(scores < 0.0, e, 1.0) / (1.0 + e), _softplus(scores)
        self._costs: dict[tuple[bytes, ...], float] = {}

    def __call__(self, merged: Sequence[MergedColumn]) -> float:
        bins = tuple(each.bins.tobytes() for each in merged)
        if bins not in self._costs:
            self._costs[bins] = self._cost(_total(self._rows, self._fit, [each.table for each in merged], self._every))
        return self._costs[bins]

    def _cost(self, merged: Floats) -> float:
        change = self._p * (merged - self._scores)
        if merged.ndim == 2:
            costs = _softmax(merged)[1] - self._before - np.cumsum(change, axis=1)[:, -1]
        else:
            costs = _softplus(merged) - self._before - change
        return float((self._weights * costs).sum()) / float(self._weights.sum())


def _softplus(z: Floats) -> Floats:
    """Return log(1 + e^z): the log loss of rows of the first class."""
    return log_losses(z, np.zeros(len(z)))
