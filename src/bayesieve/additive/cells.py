# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of the log-likelihood of rows as integers, and their sums per cell of pairs of columns.

A derivative is rounded to a multiple of a power of two and then multiplied by the row's weight, also an integer: sums
do not depend on the order of rows, and a row of weight k is k rows.
"""

from collections.abc import Sequence
from math import ldexp
from typing import NamedTuple

import numpy as np

from bayesieve._native import core
from bayesieve._typing import Floats, Ints
from bayesieve.additive.rows import MOST_BINS, PairRows

__all__ = [
    "FoldSums",
    "RowDerivatives",
    "fold_sums",
    "fold_sums_reference",
    "log_likelihood",
    "pair_sums",
    "pair_sums_reference",
    "row_derivatives",
    "row_losses",
    "row_terms_numpy",
]


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
    sums = np.zeros((len(pairs), MOST_BINS * MOST_BINS, 2), dtype=np.int64)
    for of_pair, (a, b) in zip(sums, pairs, strict=True):
        cell = rows.codes[a].astype(np.intp) * MOST_BINS + rows.codes[b]
        np.add.at(of_pair[:, 0], cell, derivatives.gradient)
        np.add.at(of_pair[:, 1], cell, derivatives.curvature)
    return sums.reshape(len(pairs), MOST_BINS, MOST_BINS, 2)


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
