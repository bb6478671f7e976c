# SPDX-License-Identifier: BSD-3-Clause
"""Tables of pairs given scores of rows: one from all rows, and one per fold without its rows; and their evidence.

They are learned from sums over the rows of each cell. A derivative of a row is rounded to a multiple of a power of two
and then multiplied by the row's weight, also an integer: sums do not depend on the order of rows, and a row of weight k
is k rows.

Tables of given pairs are fitted together. A table of all rows is fitted given what the others add to these rows by
their own tables of all rows: given their out-of-fold tables, which know nothing of a row, each of many pairs would
explain the same chance once more. The tables without a fold are fitted given each other in the same way, so that
out-of-fold scores are those of the same method.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ldexp
from typing import Final, NamedTuple

import numpy as np

from bayesieve._native import core
from bayesieve._typing import Bools, Floats, Ints
from bayesieve.additive.cell_prior import (
    SEARCH_PRIOR,
    PairAxis,
    PairDesign,
    TablePrior,
    joint_factors,
    log_bayes_factors,
    model_priors,
    posterior_margins,
    posterior_tables,
)
from bayesieve.additive.constants import PAIR_BINS, PAIR_CANDIDATES, PAIR_REFIT_STEPS, PAIR_STEPS, PAIR_TOLERANCE
from bayesieve.additive.loss import LARGEST_SCORE
from bayesieve.additive.rows import PairRows
from bayesieve.exact import ordered_sum

__all__ = [
    "CrossFit",
    "FoldSums",
    "JointTables",
    "Pair",
    "PairTerm",
    "RowDerivatives",
    "chosen_prior",
    "cross_fit",
    "cross_fit_margins",
    "equal_shapes",
    "fold_sums",
    "fold_sums_reference",
    "log_likelihood",
    "pair_log_bayes_factors",
    "pair_sums",
    "pair_sums_reference",
    "posterior_means",
    "refit_together",
    "row_derivatives",
    "row_losses",
    "row_terms_numpy",
    "sums_in_nats",
]

Pair = tuple[int, int]
"""Two columns of the rows."""

_HALVINGS: Final = 6


class RowDerivatives(NamedTuple):
    """First derivative and curvature per row, times the weight, as integers; ``unit`` is the value of 1.

    They have the shape (n_scores, n_rows). Curvatures of several scores are those of a bound, with which the scores may
    be changed independently.
    """

    gradient: Ints
    curvature: Ints
    unit: float

    @property
    def by_score(self) -> list["RowDerivatives"]:
        """Derivatives of each score of a row."""
        return [RowDerivatives(g, h, self.unit) for g, h in zip(self.gradient, self.curvature, strict=True)]


def row_derivatives(rows: PairRows, scores: Floats, bits: int | None = None) -> RowDerivatives:
    """Return gradients and curvatures per row, times the weight; ``bits`` after the point, if not as many as fit."""
    steps = ldexp(1.0, rows.gradient_bits if bits is None else bits)
    gradient, curvature, _ = _row_terms(rows, scores, steps)
    return RowDerivatives(gradient, curvature, rows.weight_unit / steps)


def row_losses(rows: PairRows, scores: Floats) -> Ints:
    """Return the loss per row, times the weight, as an integer."""
    return _row_terms(rows, scores, ldexp(1.0, rows.gradient_bits))[2]


def log_likelihood(rows: PairRows, scores: Floats) -> float:
    """Return the weighted log-likelihood of the targets, in nats."""
    return -float(row_losses(rows, scores).sum()) * rows.loss_unit


def _row_terms(rows: PairRows, scores: Floats, steps: float) -> tuple[Ints, Ints, Ints]:
    """Return gradients and curvatures, shape (n_scores, n_rows), and losses of rows, times their weights."""
    if not rows.is_native:
        return row_terms_numpy(rows, scores, steps)
    arrays = np.ascontiguousarray(scores), rows.targets, rows.integer_weights
    return core.row_derivatives(rows.loss.name, arrays, steps, ldexp(1.0, rows.loss_bits))


def row_terms_numpy(rows: PairRows, scores: Floats, steps: float) -> tuple[Ints, Ints, Ints]:
    """Return the same as the core: its specification."""
    gradient, curvature, loss = rows.loss.bounded_terms(scores, rows.targets)
    weights = rows.integer_weights
    gradients, curvatures = (
        (np.rint(each * steps).astype(np.int64) * weights[:, None]).T.copy() for each in (gradient, curvature)
    )
    losses = np.rint(loss * ldexp(1.0, rows.loss_bits)).astype(np.int64) * weights
    return gradients, curvatures, losses


class FoldSums(NamedTuple):
    """Derivatives per cell, of the shape of tables, and log-likelihoods of the training rows of each fold.

    The last entry is that of all rows.
    """

    gradient: Floats
    curvature: Floats
    log_likelihood: Floats


def pair_sums(rows: PairRows, derivatives: RowDerivatives, pairs: Sequence[tuple[int, int]]) -> Ints:
    """Return the sums of gradients and curvatures per cell, as integers of shape (n_pairs, 8, 8, 2)."""
    if not rows.is_native:
        return pair_sums_reference(rows, derivatives, pairs)
    positions = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return core.pair_sums(rows.contiguous_codes, positions, derivatives.gradient, derivatives.curvature, rows.n_threads)


def pair_sums_reference(rows: PairRows, derivatives: RowDerivatives, pairs: Sequence[tuple[int, int]]) -> Ints:
    """Return the same as `pair_sums`: its specification."""
    sums = np.zeros((len(pairs), PAIR_BINS * PAIR_BINS, 2), dtype=np.int64)
    for of_pair, (a, b) in zip(sums, pairs, strict=True):
        cell = rows.codes[a].astype(np.intp) * PAIR_BINS + rows.codes[b]
        np.add.at(of_pair[:, 0], cell, derivatives.gradient)
        np.add.at(of_pair[:, 1], cell, derivatives.curvature)
    return sums.reshape(len(pairs), PAIR_BINS, PAIR_BINS, 2)


def fold_sums(rows: PairRows, pair: tuple[int, int], scores: Floats, tables: Floats) -> FoldSums:
    """Return the sums of rows given tables that are added to their scores: tables[k] to the training rows of fold k.

    ``tables`` has the shape (n_folds + 1, n_a, n_b, n_scores); the last one is that of all rows. ``scores`` has the
    shape ([n_tables, ]n_rows, n_scores): the scores of each table, or the same for all.
    """
    if not rows.is_native:
        return fold_sums_reference(rows, pair, scores, tables)
    a, b = (rows.contiguous_codes[j] for j in pair)
    steps = ldexp(1.0, rows.gradient_bits), ldexp(1.0, rows.loss_bits)
    cells = np.ascontiguousarray(tables).reshape(*tables.shape[:3], -1)
    by_table = rows.by_table(scores)
    folds = [rows.fold_codes] if len(by_table) == 1 else rows.outside_codes[: len(cells)]
    parts = []
    for own, fold, part in zip(by_table, folds, np.split(cells, len(by_table)), strict=True):
        arrays = a, b, np.ascontiguousarray(own), rows.targets, rows.integer_weights, fold
        parts.append(core.fold_sums(rows.loss.name, arrays, part, *steps, rows.n_threads))
    sums, losses = (np.concatenate(each) for each in zip(*parts, strict=True))
    return _in_nats(rows, sums.reshape(*tables.shape, 2), losses)


def fold_sums_reference(rows: PairRows, pair: tuple[int, int], scores: Floats, tables: Floats) -> FoldSums:
    """Return the same as `fold_sums`: its specification."""
    a, b = (rows.codes[j].astype(np.intp) for j in pair)
    cell = a * tables.shape[2] + b
    sums = np.zeros((len(tables), tables.shape[1] * tables.shape[2], tables[0, 0, 0].size, 2), dtype=np.int64)
    losses = np.zeros(len(tables), dtype=np.int64)
    by_table = rows.by_table(scores)
    for k, table in enumerate(tables):
        training, shifted = rows.fold != k, by_table[k % len(by_table)] + table[a, b]
        for q, own in enumerate(row_derivatives(rows, shifted).by_score):
            np.add.at(sums[k, :, q, 0], cell[training], own.gradient[training])
            np.add.at(sums[k, :, q, 1], cell[training], own.curvature[training])
        losses[k] = row_losses(rows, shifted)[training].sum()
    return _in_nats(rows, sums.reshape(*tables.shape, 2), losses)


def _in_nats(rows: PairRows, sums: Ints, losses: Ints) -> FoldSums:
    unit = rows.gradient_unit
    in_nats = sums.astype(np.float64) * unit
    return FoldSums(in_nats[..., 0], in_nats[..., 1], losses.astype(np.float64) * -rows.loss_unit)


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


@dataclass(frozen=True)
class JointTables:
    """Tables of pairs that are fitted together: without the rows of each fold, and of all rows (last).

    Each fold has pairs of its own, which were found without its rows. ``priors`` are those of the pairs.
    """

    pairs: tuple[tuple[Pair, ...], ...]
    tables: tuple[tuple[Floats, ...], ...]
    priors: dict[Pair, TablePrior]

    def out_of_fold(self, rows: PairRows) -> dict[Pair, Floats]:
        """Return what each pair adds to the scores of rows by the table without their fold, 0 where there is none."""
        added = dict[Pair, Floats]()
        for k, (pairs, tables) in enumerate(zip(self.pairs[:-1], self.tables[:-1], strict=True)):
            own = rows.fold == k
            for pair, table in zip(pairs, tables, strict=True):
                total = added.setdefault(pair, np.zeros((rows.n_rows, rows.loss.n_scores)))
                total[own] = rows.added(pair, table)[own]
        return added


def cross_fit(
    rows: PairRows,
    pair: tuple[int, int],
    scores: Floats,
    start: Floats | None = None,
    n_steps: int = PAIR_STEPS,
    prior: TablePrior = SEARCH_PRIOR,
) -> CrossFit:
    """Return the posterior mean tables given these scores, by Newton steps.

    Scores have the shape ([n_folds + 1, ]n_rows, n_scores): those of each table, or the same for all. Cells without
    training rows are 0 or, where effects are interpolated, what is expected given their neighbors. A step is halved
    while the log-likelihood of the training rows changes far less favorably than its quadratic form.
    """
    tables = np.zeros((rows.n_folds + 1, *rows.shape(pair), rows.loss.n_scores)) if start is None else start
    fit = _native_tables if rows.is_native else _tables
    return CrossFit(pair, rows.loss.centered(fit(rows, pair, scores, tables, n_steps, rows.design(pair, prior))))


def _native_tables(
    rows: PairRows, pair: tuple[int, int], scores: Floats, tables: Floats, n_steps: int, design: PairDesign
) -> Floats:
    """Return the same as `_tables`, by the compiled core."""
    a, b = (rows.contiguous_codes[j] for j in pair)
    steps = ldexp(1.0, rows.gradient_bits), ldexp(1.0, rows.loss_bits), rows.gradient_unit, rows.loss_unit
    native, by_table = design.native, rows.by_table(scores)
    folds = [rows.fold_codes] if len(by_table) == 1 else rows.outside_codes[: len(tables)]
    start, parts = np.ascontiguousarray(tables).reshape(len(tables), -1), []
    for own, fold, part in zip(by_table, folds, np.split(start, len(by_table)), strict=True):
        arrays = a, b, np.ascontiguousarray(own), rows.targets, rows.integer_weights, fold
        parts.append(native.cross_fit(rows.loss.name, arrays, part, steps, n_steps, rows.n_threads))
    return np.concatenate(parts).reshape(tables.shape)


def _tables(
    rows: PairRows, pair: tuple[int, int], scores: Floats, tables: Floats, n_steps: int, design: PairDesign
) -> Floats:
    """Return the tables of `cross_fit` after its Newton steps: specification of the core."""

    def sums_of(tables: Floats) -> FoldSums:
        return fold_sums(rows, pair, scores, tables)

    def target(gradient: Floats, curvature: Floats) -> Floats:
        means = posterior_means(design, gradient, curvature, rows.n_threads, rows.backend)
        if not design.fills_cells:
            means[curvature == 0.0] = 0.0
        return means

    return _newton(sums_of, target, tables, n_steps)


def cross_fit_margins(rows: PairRows, fit: CrossFit, scores: Floats) -> CrossFit:
    """Return what the curves of the two columns change given tables of a pair, and given these scores."""

    def sums_of(margins: Floats) -> FoldSums:
        return fold_sums(rows, fit.columns, scores, fit.tables + margins)

    def target(gradient: Floats, curvature: Floats) -> Floats:
        return _of_each_score(means, gradient, curvature)

    def means(gradient: Floats, curvature: Floats) -> Floats:
        return posterior_margins(rows.design(fit.columns, SEARCH_PRIOR), gradient, curvature, rows.backend)

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


def posterior_means(design: PairDesign, gradient: Floats, curvature: Floats, n_threads: int, backend: str) -> Floats:
    """Return posterior means, shape (n_tables, n_a, n_b, n_scores)."""

    def means(gradient: Floats, curvature: Floats) -> Floats:
        return posterior_tables(design, gradient, curvature, n_threads, backend)[1]

    return _of_each_score(means, gradient, curvature)


def _of_each_score(posterior: Callable[[Floats, Floats], Floats], gradient: Floats, curvature: Floats) -> Floats:
    """Return a posterior of the tables of each score, as if those of the others were known."""
    n_scores, shape = gradient.shape[-1], (-1, *gradient.shape[1:3])
    g, h = (np.ascontiguousarray(np.moveaxis(each, -1, 1)).reshape(shape) for each in (gradient, curvature))
    return np.moveaxis(posterior(g, h).reshape(-1, n_scores, *shape[1:]), 1, -1).copy()


def _fails(sums: FoldSums, step: Floats, log_likelihood: Floats) -> Bools:
    """Return for each table whether the quadratic form at its start is a bad forecast of its log-likelihood."""
    cells = sums.gradient * step - 0.5 * (sums.curvature * step * step)
    forecast = np.add.accumulate(cells.reshape(len(step), -1), axis=1)[:, -1]
    return np.asarray(log_likelihood - sums.log_likelihood < forecast - 0.5 * np.abs(forecast) - PAIR_TOLERANCE)


def chosen_prior(rows: PairRows, pair: Pair, scores: Floats) -> TablePrior:
    """Return the prior with the most evidence, less its price, in the table of a pair given scores, outside fold 0."""
    priors = model_priors(rows.loss.tuning)
    if len(priors) == 1:
        return priors[0]
    sums = fold_sums(rows, pair, scores, np.zeros((1, *rows.shape(pair), rows.loss.n_scores)))
    g, h = (np.ascontiguousarray(np.moveaxis(own[0], -1, 0)) for own in (sums.gradient, sums.curvature))
    by_prior = [log_bayes_factors(rows.design(pair, own), g, h, rows.n_threads, rows.backend) for own in priors]
    evidence = [ordered_sum(own[None], 1)[0] - prior.price for own, prior in zip(by_prior, priors, strict=True)]
    return priors[int(np.argmax(evidence))]


def refit_together(
    rows: PairRows,
    offset: Floats,
    pairs: Sequence[Sequence[Pair]],
    *,
    start: JointTables | None = None,
    check: Callable[[], None] = lambda: None,
) -> JointTables:
    """Return tables of pairs given out-of-fold scores: one after the other, then each once more given all others.

    They begin at zero; or, given scores that have changed little, where they were (``start``). ``pairs`` are those of
    the tables without each fold, and of all rows (last). The resolution of a pair is that of its first table.
    """
    scores = np.asarray(offset, dtype=np.float64)
    priors = {} if start is None else start.priors
    tables: list[tuple[Floats, ...]] = [()] * len(pairs) if start is None else list(start.tables)
    for k in reversed(range(len(pairs))):
        fit = _JointFit(rows.without(k), scores, pairs[k], tables[k], priors, check)
        fit.run(is_new=start is None)
        tables[k] = tuple(fit.tables)
    return JointTables(tuple(map(tuple, pairs)), tuple(tables), priors)


class _JointFit:
    """Tables of pairs of the rows outside fold 0, and the scores of rows with them."""

    def __init__(
        self,
        rows: PairRows,
        scores: Floats,
        pairs: Sequence[Pair],
        start: Sequence[Floats],
        priors: dict[Pair, TablePrior],
        check: Callable[[], None],
    ) -> None:
        self._rows, self._pairs, self._priors, self._check = rows, pairs, priors, check
        self.tables = list(start) or [np.zeros((*rows.shape(pair), rows.loss.n_scores)) for pair in pairs]
        self._scores = scores.copy()
        for pair, table in zip(pairs, self.tables, strict=True):
            self._scores += rows.added(pair, table)

    def run(self, is_new: bool) -> None:
        """Fit each table given the others; new ones one after the other first."""
        if is_new:
            self._cycle(PAIR_STEPS)
        if len(self._pairs) > 1 or not is_new:
            self._cycle(PAIR_REFIT_STEPS)

    def _cycle(self, n_steps: int) -> None:
        for i, pair in enumerate(self._pairs):
            self._check()
            self._scores -= self._rows.added(pair, self.tables[i])
            if pair not in self._priors:
                self._priors[pair] = chosen_prior(self._rows, pair, self._scores)
            fit = cross_fit(self._rows, pair, self._scores, self.tables[i][None], n_steps, self._priors[pair])
            self.tables[i] = fit.tables[0]
            self._scores += self._rows.added(pair, self.tables[i])


def equal_shapes(rows: PairRows, pairs: Sequence[Pair]) -> Iterator[list[int]]:
    """Yield the positions of pairs whose tables have the same shape, some at a time."""
    by_shape = dict[tuple[PairAxis, PairAxis], list[int]]()
    for i, (a, b) in enumerate(pairs):
        by_shape.setdefault((rows.axis(a), rows.axis(b)), []).append(i)
    for members in by_shape.values():
        for begin in range(0, len(members), PAIR_CANDIDATES):
            yield members[begin : begin + PAIR_CANDIDATES]


def sums_in_nats(rows: PairRows, derivatives: RowDerivatives, pairs: Sequence[Pair]) -> tuple[Floats, Floats]:
    """Return the sums of gradients and curvatures per cell of pairs whose tables have the same shape."""
    n_a, n_b = rows.shape(pairs[0])
    sums = pair_sums(rows, derivatives, pairs)[:, :n_a, :n_b].astype(np.float64) * derivatives.unit
    return sums[..., 0], sums[..., 1]


def pair_log_bayes_factors(
    rows: PairRows, offset: Floats, pairs: Sequence[Pair], *, check: Callable[[], None] = lambda: None
) -> Floats:
    """Return the log Bayes factor of a table of each pair against none, given an offset."""
    by_score, factors = row_derivatives(rows, offset).by_score, np.zeros(len(pairs))
    for batch in equal_shapes(rows, pairs):
        check()
        own_pairs = [pairs[i] for i in batch]
        sums = [sums_in_nats(rows, own, own_pairs) for own in by_score]
        design = rows.design(own_pairs[0], SEARCH_PRIOR)
        of_scores = [log_bayes_factors(design, *own, rows.n_threads, rows.backend) for own in sums]
        factors[batch] = joint_factors(np.array(of_scores))
    return factors
