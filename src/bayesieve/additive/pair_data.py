# SPDX-License-Identifier: BSD-3-Clause
"""Rows in the bins of pairs, and what training asks of them: pairs, their evidence, and their tables."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bayesieve._typing import Floats, Ints
from bayesieve.additive.columns import AdditiveColumns
from bayesieve.additive.constants import FINE_PAIR_BINS, PAIR_BINS, SPIKE_SHARE
from bayesieve.additive.pair_tables import (
    JointTables,
    Pair,
    chosen_prior,
    cross_fit,
    log_likelihood,
    pair_log_bayes_factors,
    refit_together,
)
from bayesieve.additive.pairs import find_pairs, find_weak_pairs
from bayesieve.additive.problem import AdditiveProblem
from bayesieve.additive.rows import AdditiveRows, PairRows
from bayesieve.bins import Groups, Intervals, has_order
from bayesieve.bins.merge import coarse_bins
from bayesieve.exact import nearest_fixed

__all__ = ["BinnedRows", "FoundPairs", "JudgedScores", "PairData", "given_pairs", "make_pair_data", "most_influential"]


@dataclass(frozen=True)
class JudgedScores:
    """The fold of each row on which gains of pairs are judged, and scores given which tables without it are fitted.

    ``scores`` has the shape (n_judged, n_rows, n_classes); those of the judged fold itself are 0.
    """

    fold: Ints
    scores: Floats


@dataclass(frozen=True)
class FoundPairs:
    """The pairs that are found without each fold, and in all rows (last)."""

    of_tables: Sequence[Sequence[Pair]]

    @classmethod
    def same(cls, pairs: Sequence[Pair], n_folds: int) -> "FoundPairs":
        """Return the same pairs for each fold."""
        return cls([list(pairs)] * (n_folds + 1))

    @property
    def all(self) -> Sequence[Pair]:
        """Pairs of all rows."""
        return self.of_tables[-1]

    def among(self, columns: Sequence[Container[int]]) -> "FoundPairs":
        """Return the pairs of some columns, which each fold may choose."""
        parts = zip(self.of_tables, columns, strict=True)
        return FoundPairs([[(a, b) for a, b in pairs if a in own and b in own] for pairs, own in parts])

    def first(self, n: int) -> "FoundPairs":
        """Return at most n pairs of each fold."""
        return FoundPairs([pairs[:n] for pairs in self.of_tables])


@dataclass(frozen=True, eq=False)
class PairData:
    """Rows in the bins of pairs.

    Attributes
    ----------
    rows : PairRows
        The rows of the shapes, in the same order, with the bins in which pairs are searched.
    make_tables : callable
        Returns the same with the bins of tables, which are only needed where there are pairs.
    """

    rows: PairRows
    make_tables: Callable[[], "BinnedRows"]
    _weighted: dict[tuple[int, int], PairRows] = field(default_factory=dict, repr=False)

    @cached_property
    def _tables(self) -> "BinnedRows":
        return self.make_tables()

    @property
    def fine(self) -> PairRows:
        """Rows with the bins of tables."""
        return self._tables.rows

    @property
    def bins(self) -> list[Ints]:
        """The bin of tables of each bin of a column's partition. Those of reversed columns decrease."""
        return self._tables.bins

    def contribution(self, pair: Pair, table: Floats) -> Floats:
        """Return what a table adds to each row, in multiples of 2^-40."""
        return self.fine.added(pair, nearest_fixed(table))

    def cells(self, pair: Pair) -> Ints:
        """Return the cell of each row in the table of a pair."""
        a, b = pair
        return np.asarray(self.fine.codes[a] * np.uint16(self.fine.n_bins[b]) + self.fine.codes[b])

    def find(
        self, offset: Floats, judged: JudgedScores | None, most: int, columns: Ints, check: Callable[[], None]
    ) -> FoundPairs:
        """Return the pairs of some columns with evidence given out-of-fold scores, and gains on judged folds."""
        rows, scores = replace(self.rows, screened=columns), offset
        if judged is not None:
            rows, scores = replace(rows, fold=judged.fold), np.concatenate([judged.scores, offset[None]])
        choice = find_pairs(rows, scores, most=most, check=check)
        found = [term.columns for term in choice.terms]
        if not found:  # without one that stands out, there are no weak ones
            return FoundPairs.same([], self.rows.n_folds)
        limit = most
        if rows.loss.tuning.most_weak is not None:  # a pair has a table per score
            limit = min(most, rows.loss.tuning.most_weak, len(rows.n_bins))
        weak = find_weak_pairs(rows, choice.scores, found, limit - len(found), check)
        first_rows = np.unique(self.rows.fold, return_index=True)[1]
        judged_folds = [*rows.fold[first_rows].tolist(), -1]  # that which each fold is a part of
        return FoundPairs([found + weak[q] for q in judged_folds])

    def refit(
        self, offset: Floats, pairs: FoundPairs, start: JointTables | None, check: Callable[[], None]
    ) -> JointTables:
        """Return tables of given pairs given out-of-fold scores, from zero or from tables given other scores."""
        return refit_together(self.fine, offset, pairs.of_tables, start=start, check=check)

    def table(self, pair: Pair, fold: int | None, scores: Floats) -> Floats:
        """Return the table of a pair given scores, from all rows or without a fold."""
        rows = self.fine.without(self.rows.n_folds if fold is None else fold)
        start = np.zeros((1, *rows.shape(pair), rows.loss.n_scores))
        prior = chosen_prior(rows, pair, scores)
        return np.asarray(cross_fit(rows, pair, scores, start, prior=prior).tables[0])

    def figures(self, offset: Floats, pairs: Sequence[Pair], held_out: Sequence[Floats]) -> list[tuple[float, float]]:
        """Return the log Bayes factor of each pair, and what it adds to the log-likelihood, given those before it.

        ``held_out`` is what each adds to out-of-fold scores. A fold in which a pair is not found adds nothing.
        """
        rows, scores, figures = self.rows, offset, []
        before = log_likelihood(rows, scores)
        for pair, added in zip(pairs, held_out, strict=True):
            factor = float(pair_log_bayes_factors(rows, scores, [pair])[0])
            scores = scores + added
            after = log_likelihood(rows, scores)
            figures.append((factor, after - before))
            before = after
        return figures

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
    """Divide every column into few bins, with which pairs are searched, and into more of them for tables."""
    return PairData(_binned(problem, data, PAIR_BINS).rows, lambda: _binned(problem, data, FINE_PAIR_BINS))


class BinnedRows(NamedTuple):
    """Rows, and the bin of each bin of a column's partition."""

    rows: PairRows
    bins: list[Ints]


def _binned(problem: AdditiveProblem, data: AdditiveColumns, most: int) -> BinnedRows:
    """Divide every column into bins, as unions of the bins that it has."""
    rows, bins, alone = data.rows, list[Ints](), list[tuple[int, ...]]()
    codes = np.empty((rows.n_columns, rows.n_rows), dtype=np.uint8)
    for k, j in enumerate(data.columns):
        partition, order = problem.columns[j].partition, data.bin_orders[k]
        assert isinstance(partition, Groups | Intervals)
        is_nominal, has_missing = not has_order(partition), bool(partition.missing)
        last = np.roll(order, -1) if has_missing else order  # missing values are the last bin of a pair
        counts, own = problem.columns[j].counts[last], np.empty(len(order), dtype=np.int64)
        room = PAIR_BINS if is_nominal else most
        own[last] = coarse_bins(counts, nominal=is_nominal, has_missing=has_missing, most=room)
        mass = np.bincount(own[last], weights=counts.sum(axis=1))
        is_alone = is_nominal | (mass * SPIKE_SHARE >= mass.sum())
        is_alone[-1] |= has_missing
        bins.append(own)
        alone.append(tuple(np.flatnonzero(is_alone).tolist()))
        codes[k] = own[order][rows.codes[k]]
    n_bins = np.array([int(own.max()) + 1 for own in bins], dtype=np.int64)
    options = problem.options
    backend = "reference" if options.backend == "reference" else "auto"
    target, weights = rows.target, rows.weights
    pair_rows = PairRows(
        codes, n_bins, target, weights, data.fold, options.n_threads, backend, rows.loss, alone=tuple(alone)
    )
    return BinnedRows(pair_rows, bins)
