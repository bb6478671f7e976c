# SPDX-License-Identifier: BSD-3-Clause
"""Rows in the bins of pairs, and what training asks of them: pairs, their evidence, and their tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.additive.cell_prior import SEARCH_PRIOR, model_prior
from bayesieve.additive.columns import AdditiveColumns
from bayesieve.additive.pair_tables import Pair, PairTerm, cross_fit, pair_log_bayes_factors, refit_together
from bayesieve.additive.pairs import find_pairs, find_weak_pairs
from bayesieve.additive.problem import AdditiveProblem
from bayesieve.additive.rows import AdditiveRows, PairRows
from bayesieve.bins import Groups, Intervals
from bayesieve.bins.merge import coarse_bins
from bayesieve.exact import nearest_fixed

__all__ = ["JudgedScores", "PairData", "given_pairs", "make_pair_data", "most_influential"]


@dataclass(frozen=True)
class JudgedScores:
    """The fold of each row on which gains of pairs are judged, and scores given which tables without it are fitted.

    ``scores`` has the shape (n_judged, n_rows, n_classes); those of the judged fold itself are 0.
    """

    fold: Ints
    scores: Floats


@dataclass(frozen=True, eq=False)
class PairData:
    """Rows in the bins of pairs.

    Attributes
    ----------
    rows : PairRows
        The rows of the shapes, in the same order.
    bins : list of int arrays
        The pair bin of each bin of a column's partition.
    """

    rows: PairRows
    bins: list[Ints]
    _by_fold: dict[int | None, PairRows] = field(default_factory=dict, repr=False)
    _weighted: dict[tuple[int, int], PairRows] = field(default_factory=dict, repr=False)

    def contribution(self, pair: Pair, table: Floats) -> Floats:
        """Return what a table adds to each row, in multiples of 2^-40."""
        return np.asarray(nearest_fixed(table)[self.rows.codes[pair[0]], self.rows.codes[pair[1]]])

    def find(
        self, offset: Floats, judged: JudgedScores | None, most: int, columns: Ints, check: Callable[[], None]
    ) -> list[Pair]:
        """Return the pairs of some columns with evidence given out-of-fold scores, and gains on judged folds."""
        rows, scores = replace(self.rows, screened=columns, prior=SEARCH_PRIOR), offset
        if judged is not None:
            rows, scores = replace(rows, fold=judged.fold), np.concatenate([judged.scores, offset[None]])
        choice = find_pairs(rows, scores, most=most, check=check)
        found = [term.columns for term in choice.terms]
        if not found:  # without one that stands out, there are no weak ones
            return found
        limit = most
        if rows.loss.tuning.most_weak is not None:  # a pair has a table per score
            limit = min(most, rows.loss.tuning.most_weak, len(rows.n_bins))
        return found + find_weak_pairs(
            replace(rows, prior=self.rows.prior), choice.scores, found, limit - len(found), check
        )

    def refit(
        self, offset: Floats, pairs: Sequence[Pair], start: Sequence[PairTerm], check: Callable[[], None]
    ) -> tuple[PairTerm, ...]:
        """Return tables of given pairs given out-of-fold scores, from zero or from terms given other scores."""
        return refit_together(self.rows, offset, pairs, start=start, check=check)

    def table(self, pair: Pair, fold: int | None, scores: Floats) -> Floats:
        """Return the table of a pair given scores, from all rows or without a fold."""
        rows = self._without(fold)
        start = np.zeros((1, *rows.shape(pair), rows.loss.n_scores))
        return np.asarray(cross_fit(rows, pair, scores, start).tables[0])

    def _without(self, fold: int | None) -> PairRows:
        """Return rows of which those of a fold are in the first of two folds, which a first table leaves out."""
        if fold not in self._by_fold:
            outside = np.asarray(self.rows.fold != (-1 if fold is None else fold)).astype(np.int64)
            self._by_fold[fold] = replace(self.rows, fold=outside)
        return self._by_fold[fold]

    def log_bayes_factors(self, pairs: Sequence[Pair], held_out: tuple[int, int], scores: Floats) -> Floats:
        """Return the log Bayes factor of pairs given scores, without the held-out rows from a first to a last one."""
        if held_out not in self._weighted:
            weights = self.rows.weights.copy()
            weights[slice(*held_out)] = 0.0
            self._weighted[held_out] = replace(self.rows, weights=weights)
        return pair_log_bayes_factors(self._weighted[held_out], scores, pairs)


def most_influential(rows: AdditiveRows, columns: Sequence[int], tables: Sequence[Floats]) -> Ints:
    """Return the columns whose pairs are screened: where there are many scores, those of the largest squared ones."""
    most, most_tables = len(columns), rows.loss.tuning.most_screened
    if most_tables is not None:
        most = int((2 * most_tables / rows.loss.n_scores) ** 0.5)
    sizes = []
    for k, table in zip(columns, tables, strict=True):
        mass = np.bincount(rows.codes[k], weights=rows.weights, minlength=len(table))
        sizes.append(float((mass[:, None] * table**2).sum()))
    order = np.argsort(-np.array(sizes), kind="stable")[:most]
    return np.sort(np.asarray(columns, dtype=np.int64)[order])


def given_pairs(problem: AdditiveProblem, data: AdditiveColumns) -> list[Pair] | None:
    """Return the pairs of columns of the rows that must be taken, None if they are to be found."""
    if problem.pairs is None:
        return None
    place = {j: k for k, j in enumerate(data.columns)}
    placed = [(place[a], place[b]) for a, b in problem.pairs if a in place and b in place]
    return sorted((min(pair), max(pair)) for pair in placed)


def make_pair_data(problem: AdditiveProblem, data: AdditiveColumns) -> PairData:
    """Divide every column into at most 8 bins, as unions of the bins that it has."""
    rows = data.rows
    bins, codes = [], np.empty((rows.n_columns, rows.n_rows), dtype=np.uint8)
    for k, j in enumerate(data.columns):
        partition = problem.columns[j].partition
        assert isinstance(partition, Groups | Intervals)
        counts = problem.columns[j].counts[: partition.n_bins]
        own = coarse_bins(counts, nominal=isinstance(partition, Groups), has_missing=bool(partition.missing))
        bins.append(own)
        codes[k] = own[data.bin_orders[k]][rows.codes[k]]
    n_bins = np.array([int(own.max()) + 1 for own in bins], dtype=np.int64)
    options = problem.options
    backend = "reference" if options.backend == "reference" else "auto"
    pair_rows = PairRows(
        codes,
        n_bins,
        rows.target,
        rows.weights,
        data.fold,
        options.n_threads,
        backend,
        rows.loss,
        prior=model_prior(rows.loss.tuning),
    )
    return PairData(pair_rows, bins)
