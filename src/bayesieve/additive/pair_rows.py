# SPDX-License-Identifier: BSD-3-Clause
"""Rows as the search of pairs sees them, and the derivatives of their log-likelihood as integers.

A derivative is rounded to a multiple of a power of two and then multiplied by the row's weight, also an integer: sums
do not depend on the order of rows, and a row of weight k is k rows.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.additive.pair_tables import SEARCH_PRIOR, TablePrior
from bayesieve.exact import exp_nonpositive, log_positive

__all__ = [
    "LARGEST_LOG_ODDS",
    "MOST_BINS",
    "PairRows",
    "RowDerivatives",
    "log_likelihood",
    "row_derivatives",
    "row_losses",
]

MOST_BINS: Final = 8  # of a column in a table of a pair
LARGEST_LOG_ODDS: Final = 500.0  # log-odds beyond are cut off
_SUM_BITS: Final = 61  # of a sum over all rows
_WEIGHT_BITS: Final = 36  # of all weights together, if they are fractions
_FINEST: Final = 40  # bits of a derivative after the point
_LOSS_BITS: Final = 9  # of the largest loss of a row, before the point


class RowDerivatives(NamedTuple):
    """First derivative and curvature per row, times the weight, as integers; ``unit`` is the value of 1.

    With more than two classes, of the score of each class, shape (n_classes, n_rows). Curvatures are then those of a
    bound, ``p min(1, 2 (1 - p))``: with it the scores of the classes may be changed independently.
    """

    gradient: Ints
    curvature: Ints
    unit: float

    @property
    def by_score(self) -> list["RowDerivatives"]:
        """Those of each score of a row: of the log-odds, or of each class."""
        if self.gradient.ndim == 1:
            return [self]
        return [RowDerivatives(g, h, self.unit) for g, h in zip(self.gradient, self.curvature, strict=True)]


@dataclass(frozen=True)
class PairRows:
    """Pair bins, classes, weights and folds of rows.

    Parameters
    ----------
    codes : uint8 array of shape (n_columns, n_rows)
        Pair bin of each column and row.
    n_bins : int64 array of shape (n_columns,)
        Number of pair bins, at most 8. A column of one bin takes no part.
    target : array of shape (n_rows,)
        Class of each row, from 0.
    weights : float64 array of shape (n_rows,)
        Weight of each row.
    fold : int array of shape (n_rows,)
        Fold of each row for cross-fitting, from 0.
    n_threads : int, default=1
        Number of threads of the compiled core.
    backend : {"auto", "native", "reference"}, default="auto"
        "reference" takes the NumPy versions.
    n_classes : int, default=2
        Number of classes. Two have one score per row, the log-odds of class 1; more have one per class.
    screened : int array or None, default=None
        The columns whose pairs are screened; None for all.
    prior : TablePrior, default=SEARCH_PRIOR
        Prior of tables.
    """

    codes: NDArray[np.uint8]
    n_bins: Ints
    target: NDArray[Any]
    weights: Floats
    fold: NDArray[Any]
    n_threads: int = 1
    backend: str = "auto"
    n_classes: int = 2
    screened: Ints | None = None
    prior: TablePrior = SEARCH_PRIOR

    def __post_init__(self) -> None:
        n_columns, n_rows = self.codes.shape
        if self.n_bins.shape != (n_columns,) or not ((self.n_bins >= 1) & (self.n_bins <= MOST_BINS)).all():
            raise ValueError(f"n_bins must be from 1 to {MOST_BINS} per column.")
        if not self.target.shape == self.weights.shape == self.fold.shape == (n_rows,):
            raise ValueError("target, weights and fold must have one entry per row.")
        if n_rows and (self.codes.max(axis=1) >= self.n_bins).any():
            raise ValueError("Codes of a column must be smaller than its n_bins.")
        if not (np.isfinite(self.weights) & (self.weights >= 0.0)).all():
            raise ValueError("Weights must be finite and not negative.")

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[1])

    @cached_property
    def n_folds(self) -> int:
        """Number of folds."""
        return int(self.fold.max()) + 1 if self.n_rows else 0

    @cached_property
    def is_native(self) -> bool:
        """Whether the compiled core adds rows up."""
        if self.backend == "reference":
            return False
        if core is None:
            warn_if_missing()
        return core is not None

    @cached_property
    def is_positive(self) -> NDArray[np.uint8]:
        """1 in rows of class 1."""
        return np.ascontiguousarray(self.target == 1).astype(np.uint8)

    @cached_property
    def class_codes(self) -> NDArray[np.uint16]:
        """Class of each row, as the core expects it."""
        return np.ascontiguousarray(self.target).astype(np.uint16)

    @cached_property
    def fold_codes(self) -> NDArray[np.uint8]:
        """Fold of each row, as a byte."""
        if self.n_folds > 255:
            raise ValueError("There may be at most 255 folds.")
        return np.ascontiguousarray(self.fold).astype(np.uint8)

    @cached_property
    def outside_codes(self) -> NDArray[np.uint8]:
        """Whether each row is outside each fold, and outside none (last), shape (n_folds + 1, n_rows)."""
        return np.array([self.fold != k for k in range(self.n_folds + 1)], dtype=np.uint8)

    @cached_property
    def contiguous_codes(self) -> NDArray[np.uint8]:
        """Codes in the order that kernels need."""
        return np.ascontiguousarray(self.codes)

    @cached_property
    def weight_unit(self) -> float:
        """Value of an integer weight of 1: 1 if all weights are integers, so that a row of weight k is k rows."""
        total = math.fsum(self.weights.tolist())
        bits = math.frexp(total)[1]
        if (self.weights == np.rint(self.weights)).all():
            return math.ldexp(1.0, max(0, bits - _WEIGHT_BITS))
        return math.ldexp(1.0, bits - _WEIGHT_BITS)

    @cached_property
    def integer_weights(self) -> Ints:
        """Weights in units of ``weight_unit``."""
        return np.rint(self.weights / self.weight_unit).astype(np.int64)

    @cached_property
    def gradient_bits(self) -> int:
        """Bits of a derivative after the point: no sum over rows exceeds 61 bits."""
        return min(_FINEST, _SUM_BITS - int(self.integer_weights.sum()).bit_length())

    @cached_property
    def loss_bits(self) -> int:
        """Bits of a row's loss after the point."""
        return self.gradient_bits - _LOSS_BITS

    @property
    def gradient_unit(self) -> float:
        """Value of an integer derivative of 1."""
        return self.weight_unit / math.ldexp(1.0, self.gradient_bits)

    @property
    def loss_unit(self) -> float:
        """Value of an integer loss of 1, in nats."""
        return self.weight_unit / math.ldexp(1.0, self.loss_bits)

    def shape(self, pair: tuple[int, int]) -> tuple[int, int]:
        """Return the numbers of bins of two columns."""
        return int(self.n_bins[pair[0]]), int(self.n_bins[pair[1]])

    @property
    def score_shape(self) -> tuple[int, ...]:
        """What follows the axis of rows, or of cells, in arrays of scores: nothing for two classes."""
        return () if self.n_classes == 2 else (self.n_classes,)

    @property
    def loss(self) -> str:
        """Name of the loss."""
        return "logistic" if self.n_classes == 2 else "softmax"

    def of_tables(self, scores: Floats) -> Floats:
        """Return scores of each table, shape (n_folds + 1, n_rows[, n_classes]), also where all have the same."""
        by_table = self.by_table(scores).astype(np.float64)
        return np.repeat(by_table, self.n_folds + 1, axis=0) if len(by_table) == 1 else by_table

    def by_table(self, scores: Floats) -> Floats:
        """Return scores with an axis of tables: of shape (1, n_rows[, n_classes]) if all tables have the same."""
        return scores if scores.ndim == 2 + len(self.score_shape) else scores[None]


def row_derivatives(rows: PairRows, scores: Floats, bits: int | None = None) -> RowDerivatives:
    """Return y - p and p (1 - p) per row, times the weight; ``bits`` after the point, if not as many as fit."""
    steps = math.ldexp(1.0, rows.gradient_bits if bits is None else bits)
    unit = rows.weight_unit / steps
    if rows.n_classes > 2:
        gradient, curvature, _ = class_derivatives(rows, scores, steps)
        return RowDerivatives(gradient, curvature, unit)
    if rows.is_native:
        gradient, curvature, _ = _native_derivatives(rows, scores, steps)
        return RowDerivatives(gradient[0], curvature[0], unit)
    _, likely, unlikely = _probabilities(scores)
    is_positive = rows.is_positive == 1
    error = np.where((scores < 0.0) == is_positive, likely, unlikely)
    gradient = np.rint(np.where(is_positive, error, -error) * steps).astype(np.int64) * rows.integer_weights
    curvature = np.rint(unlikely * likely * steps).astype(np.int64) * rows.integer_weights
    return RowDerivatives(gradient, curvature, unit)


def row_losses(rows: PairRows, scores: Floats) -> Ints:
    """Return the log loss per row, times the weight, as an integer."""
    if rows.n_classes > 2:
        return class_derivatives(rows, scores, math.ldexp(1.0, rows.gradient_bits))[2]
    if rows.is_native:
        return _native_derivatives(rows, scores, math.ldexp(1.0, rows.gradient_bits))[2]
    size, likely, _ = _probabilities(scores)
    is_wrong = (scores < 0.0) == (rows.is_positive == 1)
    loss = np.where(is_wrong, size, 0.0) - log_positive(likely)
    return np.rint(loss * math.ldexp(1.0, rows.loss_bits)).astype(np.int64) * rows.integer_weights


def class_derivatives(rows: PairRows, scores: Floats, steps: float) -> tuple[Ints, Ints, Ints]:
    """Return gradients and curvatures, shape (n_classes, n_rows), and losses of rows, times their weights."""
    if not rows.is_native:
        return class_derivatives_reference(rows, scores, steps)
    return _native_derivatives(rows, scores, steps)


def _native_derivatives(rows: PairRows, scores: Floats, steps: float) -> tuple[Ints, Ints, Ints]:
    """Return gradients and curvatures, shape (n_scores, n_rows), and losses of rows by the compiled core."""
    by_score = np.ascontiguousarray(scores).reshape(rows.n_rows, -1)
    arrays = by_score, rows.class_codes, rows.integer_weights
    return core.row_derivatives(rows.loss, arrays, steps, math.ldexp(1.0, rows.loss_bits))


def class_derivatives_reference(rows: PairRows, scores: Floats, steps: float) -> tuple[Ints, Ints, Ints]:
    """Return the same as `class_derivatives`: its specification."""
    target, top = rows.class_codes.astype(np.intp), scores.max(axis=1)
    e = exp_nonpositive(scores - top[:, None])
    total = np.cumsum(e, axis=1)[:, -1]
    p, is_own = e / total[:, None], np.arange(rows.n_classes) == target[:, None]
    gradient = np.rint((is_own - p) * steps).astype(np.int64)
    curvature = np.rint(p * np.minimum(2.0 * (1.0 - p), 1.0) * steps).astype(np.int64)
    loss = np.minimum(log_positive(total) + (top - scores[np.arange(len(top)), target]), LARGEST_LOG_ODDS)
    losses = np.rint(loss * math.ldexp(1.0, rows.loss_bits)).astype(np.int64)
    weights = rows.integer_weights
    return (gradient * weights[:, None]).T.copy(), (curvature * weights[:, None]).T.copy(), losses * weights


def log_likelihood(rows: PairRows, scores: Floats) -> float:
    """Return the weighted log-likelihood of the classes, in nats."""
    return -float(row_losses(rows, scores).sum()) * rows.loss_unit


def _probabilities(log_odds: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the size of log-odds and the probabilities of the more and the less likely class."""
    size = np.minimum(np.abs(log_odds), LARGEST_LOG_ODDS)
    e = exp_nonpositive(-size)
    likely = 1.0 / (1.0 + e)
    return size, likely, e * likely
