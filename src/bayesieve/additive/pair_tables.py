# SPDX-License-Identifier: BSD-3-Clause
"""Tables of pairs given scores of rows: one from all rows, and one per fold without its rows; and their evidence.

Tables of given pairs are fitted together. A table of all rows is fitted given what the others add to these rows by
their own tables of all rows: given their out-of-fold tables, which know nothing of a row, each of many pairs would
explain the same chance once more. The tables without a fold are fitted given each other in the same way, so that
out-of-fold scores are those of the same method.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ldexp
from typing import Final

import numpy as np

from bayesieve._typing import Bools, Floats
from bayesieve.additive.cell_prior import (
    joint_factors,
    log_bayes_factors,
    pair_design,
    posterior_margins,
    posterior_tables,
)
from bayesieve.additive.cells import FoldSums, fold_sums, log_likelihood, pair_sums, row_derivatives
from bayesieve.additive.constants import PAIR_CANDIDATES, PAIR_REFIT_STEPS, PAIR_STEPS, PAIR_TOLERANCE
from bayesieve.additive.loss import LARGEST_SCORE
from bayesieve.additive.rows import PairRows

__all__ = [
    "CrossFit",
    "Pair",
    "PairTerm",
    "cross_fit",
    "cross_fit_margins",
    "pair_evidence",
    "posterior_means",
    "refit_together",
]

Pair = tuple[int, int]
"""Two columns of the rows."""

_HALVINGS: Final = 6


@dataclass(frozen=True)
class CrossFit:
    """Tables of a pair: without the rows of each fold, and of all rows (last).

    They have the shape (n_folds + 1, n_a, n_b, n_scores).
    """

    columns: tuple[int, int]
    tables: Floats

    def out_of_fold(self, rows: PairRows) -> Floats:
        """Return what the table without a row's fold adds to its scores."""
        a, b = self.columns
        return np.asarray(self.tables[rows.fold, rows.codes[a], rows.codes[b]])

    def own(self, rows: PairRows) -> Floats:
        """Return what each table adds to the scores of all rows, shape (n_folds + 1, n_rows, n_scores)."""
        a, b = (rows.codes[j] for j in self.columns)
        return np.asarray(self.tables[:, a, b])

    def added(self, rows: PairRows) -> Floats:
        """Return what is added to the scores of each table in a search, shape (n_folds + 1, n_rows, n_scores).

        Scores of a table get its own entries. The last ones, given which the table of all rows is fitted, get those of
        the table without a row's fold.
        """
        a, b = (rows.codes[j] for j in self.columns)
        own = [table[a, b] for table in self.tables[:-1]]
        return np.stack([*own, self.out_of_fold(rows)])


@dataclass(frozen=True)
class PairTerm:
    """A table of two columns.

    Parameters
    ----------
    columns : tuple of two int
        Positions of the columns.
    tables : float array of shape (n_folds + 1, n_a, n_b, n_scores)
        Scores per cell, without the rows of each fold, and from all rows; 0 in cells without rows.
    out_of_fold : float array of shape (n_rows, n_scores)
        What the table that was fitted without a row's fold adds to its scores.
    log_bayes_factor : float
        Of the table against none, given the offset and the terms before it.
    gain : float
        What the out-of-fold table adds to the log-likelihood, in nats, given the offset and the terms before it.
    """

    columns: Pair
    tables: Floats
    out_of_fold: Floats
    log_bayes_factor: float
    gain: float

    @property
    def table(self) -> Floats:
        """The table of all rows."""
        return np.asarray(self.tables[-1])


def cross_fit(
    rows: PairRows, pair: tuple[int, int], scores: Floats, start: Floats | None = None, n_steps: int = PAIR_STEPS
) -> CrossFit:
    """Return the posterior mean tables given these scores, by Newton steps; cells without training rows are 0.

    Scores have the shape ([n_folds + 1, ]n_rows, n_scores): those of each table, or the same for all.
    A step is halved while the log-likelihood of the training rows changes far less favorably than its quadratic form.
    """
    tables = np.zeros((rows.n_folds + 1, *rows.shape(pair), rows.loss.n_scores)) if start is None else start
    fit = _native_tables if rows.is_native else _tables
    return CrossFit(pair, rows.loss.centered(fit(rows, pair, scores, tables, n_steps)))


def _native_tables(rows: PairRows, pair: tuple[int, int], scores: Floats, tables: Floats, n_steps: int) -> Floats:
    """Return the same as `_tables`, by the compiled core."""
    a, b = (rows.contiguous_codes[j] for j in pair)
    steps = ldexp(1.0, rows.gradient_bits), ldexp(1.0, rows.loss_bits), rows.gradient_unit, rows.loss_unit
    native, by_table = pair_design(*rows.shape(pair), rows.prior).native, rows.by_table(scores)
    folds = [rows.fold_codes] if len(by_table) == 1 else rows.outside_codes[: len(tables)]
    start, parts = np.ascontiguousarray(tables).reshape(len(tables), -1), []
    for own, fold, part in zip(by_table, folds, np.split(start, len(by_table)), strict=True):
        arrays = a, b, np.ascontiguousarray(own), rows.targets, rows.integer_weights, fold
        parts.append(native.cross_fit(rows.loss.name, arrays, part, steps, n_steps, rows.n_threads))
    return np.concatenate(parts).reshape(tables.shape)


def _tables(rows: PairRows, pair: tuple[int, int], scores: Floats, tables: Floats, n_steps: int) -> Floats:
    """Return the tables of `cross_fit` after its Newton steps: specification of the core."""

    def sums_of(tables: Floats) -> FoldSums:
        return fold_sums(rows, pair, scores, tables)

    def target(gradient: Floats, curvature: Floats) -> Floats:
        means = posterior_means(rows, gradient, curvature)
        means[curvature == 0.0] = 0.0
        return means

    return _newton(sums_of, target, tables, n_steps)


def cross_fit_margins(rows: PairRows, fit: CrossFit, scores: Floats) -> CrossFit:
    """Return what the curves of the two columns change given tables of a pair, and given these scores."""

    def sums_of(margins: Floats) -> FoldSums:
        return fold_sums(rows, fit.columns, scores, fit.tables + margins)

    def target(gradient: Floats, curvature: Floats) -> Floats:
        return _of_each_score(rows, means, gradient, curvature)

    def means(gradient: Floats, curvature: Floats) -> Floats:
        return posterior_margins(gradient, curvature, rows.backend)

    margins = _newton(sums_of, target, np.zeros_like(fit.tables), PAIR_STEPS)
    return CrossFit(fit.columns, rows.loss.centered(margins))


def _newton(
    sums_of: Callable[[Floats], FoldSums], target: Callable[[Floats, Floats], Floats], tables: Floats, n_steps: int
) -> Floats:
    """Return tables after Newton steps, given sums given tables, and posterior means given linear sums."""
    sums = sums_of(tables)
    for _ in range(n_steps):
        mean = target(sums.gradient + sums.curvature * tables, sums.curvature)
        # Rows of a huge weight whose probability is almost 0 have a slope without a curvature.
        step = np.clip(mean, -LARGEST_SCORE, LARGEST_SCORE) - tables
        for _ in range(_HALVINGS):
            update = sums_of(tables + step)
            fails = _fails(sums, step, update.log_likelihood)
            if not fails.any():
                break
            step[fails] /= 2.0
        tables, sums = tables + step, update
    return tables


def posterior_means(rows: PairRows, gradient: Floats, curvature: Floats) -> Floats:
    """Return posterior means, shape (n_tables, n_a, n_b, n_scores)."""

    def means(gradient: Floats, curvature: Floats) -> Floats:
        return posterior_tables(gradient, curvature, rows.n_threads, rows.backend, rows.prior)[1]

    return _of_each_score(rows, means, gradient, curvature)


def _of_each_score(
    rows: PairRows, posterior: Callable[[Floats, Floats], Floats], gradient: Floats, curvature: Floats
) -> Floats:
    """Return a posterior of the tables of each score, as if those of the others were known."""
    shape = (-1, *gradient.shape[1:3])
    g, h = (np.ascontiguousarray(np.moveaxis(each, -1, 1)).reshape(shape) for each in (gradient, curvature))
    return np.moveaxis(posterior(g, h).reshape(-1, rows.loss.n_scores, *shape[1:]), 1, -1).copy()


def _fails(sums: FoldSums, step: Floats, log_likelihood: Floats) -> Bools:
    """Return for each table whether the quadratic form at its start is a bad forecast of its log-likelihood."""
    cells = sums.gradient * step - 0.5 * (sums.curvature * step * step)
    forecast = np.add.accumulate(cells.reshape(len(step), -1), axis=1)[:, -1]
    return np.asarray(log_likelihood - sums.log_likelihood < forecast - 0.5 * np.abs(forecast) - PAIR_TOLERANCE)


def refit_together(
    rows: PairRows,
    offset: Floats,
    pairs: Sequence[tuple[int, int]],
    *,
    start: Sequence[PairTerm] = (),
    check: Callable[[], None] = lambda: None,
) -> tuple[PairTerm, ...]:
    """Return tables of pairs given out-of-fold scores: one after the other, then each once more given all others.

    They begin at zero; or, given scores that have changed little, where they were (``start``), with the figures that
    they had.
    """
    scores = np.repeat(offset[None], rows.n_folds + 1, axis=0).astype(np.float64)
    fits = [CrossFit(term.columns, term.tables) for term in start]
    figures = [(term.log_bayes_factor, term.gain) for term in start]
    for fit in fits:
        scores += fit.own(rows)
    held_out = np.asarray(offset, dtype=np.float64)
    for pair in () if start else pairs:
        check()
        fits.append(cross_fit(rows, pair, scores))
        scores += fits[-1].own(rows)
        before, held_out = held_out, held_out + fits[-1].out_of_fold(rows)
        gain = log_likelihood(rows, held_out) - log_likelihood(rows, before)
        figures.append((float(pair_evidence(rows, before, [pair])[0]), gain))
    for i, fit in enumerate(fits if len(fits) > 1 or start else ()):
        check()
        scores -= fit.own(rows)
        fits[i] = cross_fit(rows, fit.columns, scores, fit.tables, PAIR_REFIT_STEPS)
        scores += fits[i].own(rows)
    parts = zip(fits, figures, strict=True)
    return tuple(PairTerm(fit.columns, fit.tables, fit.out_of_fold(rows), *own) for fit, own in parts)


def pair_evidence(
    rows: PairRows, offset: Floats, pairs: Sequence[Pair], *, check: Callable[[], None] = lambda: None
) -> Floats:
    """Return the log Bayes factor of a table of each pair against none, given an offset."""
    by_score = row_derivatives(rows, offset).by_score
    factors, by_shape = np.zeros(len(pairs)), dict[Pair, list[int]]()
    for i, pair in enumerate(pairs):
        by_shape.setdefault(rows.shape(pair), []).append(i)
    for (n_a, n_b), members in by_shape.items():
        for begin in range(0, len(members), PAIR_CANDIDATES):
            check()
            batch = members[begin : begin + PAIR_CANDIDATES]
            of_scores = []
            for own in by_score:
                sums = pair_sums(rows, own, [pairs[i] for i in batch])[:, :n_a, :n_b].astype(np.float64) * own.unit
                of_scores.append(log_bayes_factors(sums[..., 0], sums[..., 1], rows.n_threads, rows.backend))
            factors[batch] = joint_factors(np.array(of_scores))
    return factors
