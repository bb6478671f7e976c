"""Few bins per column: neighbors with similar scores are merged at one price per bin.

The price is the largest at which the expected cost per row of merged scores g against scores f,

    mean of A(g) - A(f) - p (g - f),   A(z) = log(1 + e^z),   p = sigma(f),

stays within a tolerance: it is the divergence of two Bernoulli distributions if f is right.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesieve._native import core, warn_if_missing
from bayesieve._native.elementary import exp_nonpositive, log_positive
from bayesieve._typing import Floats, Ints
from bayesieve.engine.shapes import ShapeRows
from bayesieve.training.shapes.members import AdditiveFit

__all__ = [
    "MergedColumn",
    "MergedTables",
    "bin_curvatures",
    "merge_at_price",
    "merge_scores",
    "merge_scores_numpy",
    "merge_tables",
]

_BISECTIONS: Final = 16
_PRICES: Final = (1e-6, 1e4)
_LEAST_SHARE: Final = 0.1  # of the curvature at the base rate: certain rows must not be merged for nothing
_MOST_SORTED: Final = 512  # categories; beyond, those of neighboring scores are merged first
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


def merge_scores(scores: Floats, weights: Floats, price: float) -> Ints:
    """Return the number of the merged bin of each score of a sequence."""
    if core is None:
        warn_if_missing()
        return merge_scores_numpy(scores, weights, price)
    merged: Ints = core.merge_scores(np.ascontiguousarray(scores), np.ascontiguousarray(weights), price)
    return merged


def merge_scores_numpy(scores: Floats, weights: Floats, price: float) -> Ints:
    """Specification of `merge_scores`, and its fallback: dynamic programming over the end of the last bin."""
    n = len(scores)
    mass, first, second = (
        np.concatenate([[0.0], np.cumsum(each)]) for each in (weights, weights * scores, weights * scores * scores)
    )
    best, begin = np.zeros(n + 1), np.zeros(n + 1, dtype=np.int64)
    for j in range(1, n + 1):
        sums = first[j] - first[:j]
        squares = second[j] - second[:j] - sums * sums / (mass[j] - mass[:j])
        costs = best[:j] + 0.5 * np.maximum(squares, 0.0) + price
        begin[j] = np.argmin(costs)
        best[j] = costs[begin[j]]
    starts, j = np.zeros(n, dtype=np.int64), n
    while j > 0:
        starts[begin[j]] = 1
        j = int(begin[j])
    return np.asarray(np.cumsum(starts) - 1)


def merge_tables(rows: ShapeRows, fit: AdditiveFit, tolerance: float) -> MergedTables:
    """Merge the bins of all columns at the largest price whose expected cost stays within ``tolerance``."""
    scores = _total(rows, fit, fit.tables)
    curvatures = bin_curvatures(rows, fit.columns, scores)
    best, paid, cost = merge_at_price(rows, fit, curvatures, 0.0), 0.0, 0.0
    low, high = _PRICES
    for _ in range(_BISECTIONS if tolerance > 0.0 and fit.columns else 0):
        price = float(np.sqrt(low * high))
        merged = merge_at_price(rows, fit, curvatures, price)
        expected = _expected_cost(scores, _total(rows, fit, [each.table for each in merged]), rows.weights)
        if expected <= tolerance:
            low, best, paid, cost = price, merged, price, expected
        else:
            high = price
    return MergedTables(best, paid, cost)


def merge_at_price(rows: ShapeRows, fit: AdditiveFit, curvatures: Sequence[Floats], price: float) -> list[MergedColumn]:
    """Merge the bins of all columns at a price per bin; at no price they stay as they are."""
    merged = []
    for k, table, own in zip(fit.columns, fit.tables, curvatures, strict=True):
        bins = _merged(rows, k, table, own, price) if price > 0.0 else np.arange(len(table))
        means = np.bincount(bins, weights=own * table) / np.bincount(bins, weights=own)
        merged.append(MergedColumn(bins, np.round(means, _DECIMALS) + 0.0))
    return merged


def _total(rows: ShapeRows, fit: AdditiveFit, tables: Sequence[Floats]) -> Floats:
    scores = fit.intercept + fit.offset
    own = dict(zip(fit.columns, tables, strict=True))
    for k in sorted(own):  # the order of a sum decides its last bits
        scores += own[k][rows.codes[k]]
    return scores


def bin_curvatures(rows: ShapeRows, columns: Sequence[int], scores: Floats) -> list[Floats]:
    """Return the curvature of the log-likelihood per bin, with a floor."""
    e = exp_nonpositive(-np.abs(scores))
    share = float(rows.target @ rows.weights) / float(rows.weights.sum())
    hessians = rows.weights * np.maximum(e / (1.0 + e) ** 2, _LEAST_SHARE * share * (1.0 - share))
    sums = (np.bincount(rows.codes[k], weights=hessians, minlength=len(rows.bases[k].gaps)) for k in columns)
    return [np.asarray(own + 1e-6, dtype=np.float64) for own in sums]


def _merged(rows: ShapeRows, k: int, table: Floats, curvatures: Floats, price: float) -> Ints:
    """Return the merged bin of each bin: neighbors, or categories of similar scores; missing values stay apart."""
    first = int(rows.missing[k])
    numbers = (_merge_sorted if rows.bases[k].nominal else merge_scores)(table[first:], curvatures[first:], price)
    return np.concatenate([np.zeros(first, dtype=np.int64), numbers + first])


def _merge_sorted(table: Floats, curvatures: Floats, price: float) -> Ints:
    """Merge categories in the order of their scores; of very many, those of neighboring scores first."""
    order = np.argsort(table, kind="stable")
    bins = np.empty(len(table), dtype=np.int64)
    if len(table) <= _MOST_SORTED:
        bins[order] = merge_scores(table[order], curvatures[order], price)
        return bins
    chunk = np.arange(len(table)) * _MOST_SORTED // len(table)
    mass = np.bincount(chunk, weights=curvatures[order]).astype(np.float64)
    means = np.bincount(chunk, weights=(curvatures * table)[order]) / mass
    bins[order] = merge_scores(means, mass, price)[chunk]
    return bins


def _expected_cost(scores: Floats, merged: Floats, weights: Floats) -> float:
    def softplus(z: Floats) -> Floats:
        return np.maximum(z, 0.0) + log_positive(1.0 + exp_nonpositive(-np.abs(z)))

    e = exp_nonpositive(-np.abs(scores))
    p = np.where(scores < 0.0, e, 1.0) / (1.0 + e)
    return float(weights @ (softplus(merged) - softplus(scores) - p * (merged - scores))) / float(weights.sum())
