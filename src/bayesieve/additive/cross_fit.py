# SPDX-License-Identifier: BSD-3-Clause
"""Tables of one pair beside log-odds of rows: one from all rows, and one per fold without its rows."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesieve._typing import Bools, Floats
from bayesieve.additive.cell_sums import FoldSums, fold_sums
from bayesieve.additive.pair_rows import LARGEST_LOG_ODDS, PairRows
from bayesieve.additive.pair_tables import pair_design, posterior_margins, posterior_tables

__all__ = ["CrossFit", "cross_fit", "cross_fit_margins", "posterior_means"]

_NEWTON_STEPS: Final = 3
_HALVINGS: Final = 6
_TOLERANCE: Final = 0.1  # nats


@dataclass(frozen=True)
class CrossFit:
    """Tables of a pair: without the rows of each fold, and of all rows (last).

    They have the shape (n_folds + 1, n_a, n_b); with more than two classes, another axis for these.
    """

    columns: tuple[int, int]
    tables: Floats

    def out_of_fold(self, rows: PairRows) -> Floats:
        """Return what the table without a row's fold adds to its scores."""
        a, b = self.columns
        return np.asarray(self.tables[rows.fold, rows.codes[a], rows.codes[b]])

    def own(self, rows: PairRows) -> Floats:
        """Return what each table adds to the scores of all rows, shape (n_folds + 1, n_rows[, n_classes])."""
        a, b = (rows.codes[j] for j in self.columns)
        return np.asarray(self.tables[:, a, b])

    def added(self, rows: PairRows) -> Floats:
        """Return what is added to the scores of each table in a search, shape (n_folds + 1, n_rows[, n_classes]).

        Scores of a table get its own entries. The last ones, beside which the table of all rows is fitted, get those of
        the table without a row's fold.
        """
        a, b = (rows.codes[j] for j in self.columns)
        own = [table[a, b] for table in self.tables[:-1]]
        return np.stack([*own, self.out_of_fold(rows)])


def cross_fit(
    rows: PairRows, pair: tuple[int, int], scores: Floats, start: Floats | None = None, n_steps: int = _NEWTON_STEPS
) -> CrossFit:
    """Return the posterior mean tables beside these scores, by Newton steps; cells without training rows are 0.

    Scores have the shape ([n_folds + 1, ]n_rows[, n_classes]): those of each table, or the same for all.
    A step is halved while the log-likelihood of the training rows changes far less favorably than its quadratic form.
    """
    tables = np.zeros((rows.n_folds + 1, *rows.shape(pair), *rows.score_shape)) if start is None else start
    fit = _native_tables if rows.is_native else _tables
    return CrossFit(pair, _centered(rows, fit(rows, pair, scores, tables, n_steps)))


def _native_tables(rows: PairRows, pair: tuple[int, int], scores: Floats, tables: Floats, n_steps: int) -> Floats:
    """Return the same as `_tables`, by the compiled core."""
    a, b = (rows.contiguous_codes[j] for j in pair)
    steps = math.ldexp(1.0, rows.gradient_bits), math.ldexp(1.0, rows.loss_bits), rows.gradient_unit, rows.loss_unit
    native, by_table = pair_design(*rows.shape(pair), rows.prior).native, rows.by_table(scores)
    folds = [rows.fold_codes] if len(by_table) == 1 else rows.outside_codes[: len(tables)]
    start, parts = np.ascontiguousarray(tables).reshape(len(tables), -1), []
    for own, fold, part in zip(by_table, folds, np.split(start, len(by_table)), strict=True):
        by_row = np.ascontiguousarray(own).reshape(rows.n_rows, -1)
        arrays = a, b, by_row, rows.class_codes, rows.integer_weights, fold
        parts.append(native.cross_fit(rows.loss, arrays, part, steps, n_steps, rows.n_threads))
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
    """Return what the curves of the two columns change beside tables of a pair, and beside these scores."""

    def sums_of(margins: Floats) -> FoldSums:
        return fold_sums(rows, fit.columns, scores, fit.tables + margins)

    def target(gradient: Floats, curvature: Floats) -> Floats:
        return _of_each_score(rows, means, gradient, curvature)

    def means(gradient: Floats, curvature: Floats) -> Floats:
        return posterior_margins(gradient, curvature, rows.backend)

    margins = _newton(sums_of, target, np.zeros_like(fit.tables), _NEWTON_STEPS)
    return CrossFit(fit.columns, _centered(rows, margins))


def _centered(rows: PairRows, tables: Floats) -> Floats:
    """Return tables with class scores of mean 0: a change of all scores of a cell changes no probability."""
    if rows.n_classes == 2:
        return tables
    return np.asarray(tables - np.add.accumulate(tables, axis=-1)[..., -1:] / rows.n_classes)


def _newton(
    sums_of: Callable[[Floats], FoldSums], target: Callable[[Floats, Floats], Floats], tables: Floats, n_steps: int
) -> Floats:
    """Return tables after Newton steps, given sums beside tables, and posterior means given linear sums."""
    sums = sums_of(tables)
    for _ in range(n_steps):
        mean = target(sums.gradient + sums.curvature * tables, sums.curvature)
        # Rows of a huge weight whose probability is almost 0 have a slope without a curvature.
        step = np.clip(mean, -LARGEST_LOG_ODDS, LARGEST_LOG_ODDS) - tables
        for _ in range(_HALVINGS):
            update = sums_of(tables + step)
            fails = _fails(sums, step, update.log_likelihood)
            if not fails.any():
                break
            step[fails] /= 2.0
        tables, sums = tables + step, update
    return tables


def posterior_means(rows: PairRows, gradient: Floats, curvature: Floats) -> Floats:
    """Return posterior means, shape (n_tables, n_a, n_b[, n_classes])."""

    def means(gradient: Floats, curvature: Floats) -> Floats:
        return posterior_tables(gradient, curvature, rows.n_threads, rows.backend, rows.prior)[1]

    return _of_each_score(rows, means, gradient, curvature)


def _of_each_score(
    rows: PairRows, posterior: Callable[[Floats, Floats], Floats], gradient: Floats, curvature: Floats
) -> Floats:
    """Return a posterior of the tables of each class, as if those of the others were known."""
    if rows.n_classes == 2:
        return posterior(gradient, curvature)
    shape = (-1, *gradient.shape[1:3])
    g, h = (np.ascontiguousarray(np.moveaxis(each, -1, 1)).reshape(shape) for each in (gradient, curvature))
    return np.moveaxis(posterior(g, h).reshape(-1, rows.n_classes, *shape[1:]), 1, -1).copy()


def _fails(sums: FoldSums, step: Floats, log_likelihood: Floats) -> Bools:
    """Return for each table whether the quadratic form at its start is a bad forecast of its log-likelihood."""
    cells = sums.gradient * step - 0.5 * (sums.curvature * step * step)
    forecast = np.add.accumulate(cells.reshape(len(step), -1), axis=1)[:, -1]
    return np.asarray(log_likelihood - sums.log_likelihood < forecast - 0.5 * np.abs(forecast) - _TOLERANCE)
