# SPDX-License-Identifier: BSD-3-Clause
"""Rows that a scorecard learns from, in the order of their folds, and the same rows in the bins of pairs.

There is one order of rows and one coordinate per column, ``k``, from here on; bins of numbers are in increasing order
after that of missing values.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, frexp, fsum, ldexp, log2
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesieve._native import core, warn_if_missing
from bayesieve._typing import Floats, Ints
from bayesieve.additive.cell_prior import PairAxis, PairDesign, TablePrior, pair_design
from bayesieve.additive.constants import FINE_PAIR_BINS
from bayesieve.additive.loss import LOGISTIC, Loss
from bayesieve.additive.priors import ShapeBasis
from bayesieve.additive.row_scores import Direction
from bayesieve.exact import ordered_sum

__all__ = ["AdditiveRows", "PairRows", "gradient_bits"]

_NARROW: Final = 256  # bins whose codes fit a byte
_SUM_BITS: Final = 61  # of a sum over all rows
_WEIGHT_BITS: Final = 36  # of all weights together, if they are fractions
_FINEST: Final = 40  # bits of a derivative after the point
_LOSS_BITS: Final = 9  # of the largest loss of a row, before the point


def gradient_bits(total: float, largest: float, bound: float = 1.0) -> int:
    """Return the bits of derivatives after the point, given the sum of weights, the largest, and their bound."""
    total, largest = total * bound, largest * bound
    return min(40, 49 - ceil(log2(max(largest, 1.0))), 61 - ceil(log2(max(total, 1.0))))


@dataclass(frozen=True, eq=False)
class AdditiveRows:
    """Rows in the order of their folds, with the bins and the bases of all columns.

    Attributes
    ----------
    codes : list of arrays of shape (n_rows,)
        The bin of each row, per column; bins of numbers are in increasing order after that of missing values.
    bases : list of ShapeBasis
        Per column.
    missing : bool or uint8 array of shape (n_columns,)
        Whether the first bin is that of missing values; or how many of the first bins have no place in the order.
    monotone : int8 array of shape (n_columns,)
        1 for shapes that may not decrease, -1 for those that may not increase, 0 for any.
    target : float64 array of shape (n_rows,)
        What the loss predicts: the number of the class, or a number on the scale of the loss.
    weights : float64 array of shape (n_rows,)
        Of the rows.
    fold_ends : array of shape (n_folds,)
        Where each fold ends; the rows of a fold are neighbors.
    taking_part : tuple of frozensets of int, or None
        The columns that fits on all rows, and without each fold, may use; None for all. Of a wide table they are those
        with the largest Bayes factors alone on the training rows of the fit.
    loss : Loss
        What is minimized.
    leads : int64 array of shape (n_columns,), or None
        Of a score per class, the class whose lead over every other is monotone; None for the first.
    neutral : sequence of arrays of shape (n_bins,) or None, or None
        The weight of all rows in each bin of a column whose missing values are neutral: their score is the mean of the
        others. None for other columns.
    strata : int array of shape (n_rows,), or None
        Groups of rows that are dealt to folds evenly, where these are not the values of the target.
    offset : array of shape (n_rows, n_scores), or None
        What the scores of rows have beforehand: points that are set, and that no fit changes.
    given_bits : int or None
        Of gradients after the point, where these rows and others are added up; None for as many as these rows allow.
    """

    codes: Sequence[NDArray[Any]]
    bases: Sequence[ShapeBasis]
    missing: NDArray[Any]
    monotone: NDArray[np.int8]
    target: Floats
    weights: Floats
    fold_ends: NDArray[np.int64]
    taking_part: tuple[frozenset[int], ...] | None = None
    loss: Loss = LOGISTIC
    leads: NDArray[np.int64] | None = None
    given_bits: int | None = None
    neutral: Sequence[Floats | None] | None = None
    strata: NDArray[np.int64] | None = None
    offset: Floats | None = None

    def neutral_shares(self, k: int) -> Floats | None:
        """Return the shares of the other bins in the score of missing values, their own 0; None: it is free."""
        mass = None if self.neutral is None else self.neutral[k]
        if mass is None or not mass[1:].any():
            return None
        return np.append(0.0, mass[1:] / ordered_sum(mass[1:]))

    @cached_property
    def lead(self) -> NDArray[np.int64]:
        """The class whose lead over every other is monotone, per column."""
        return np.zeros(self.n_columns, dtype=np.int64) if self.leads is None else self.leads

    def direction(self, k: int) -> Direction | None:
        """Return the direction of a monotone column."""
        sign = int(self.monotone[k])
        return (int(self.missing[k]), sign, int(self.lead[k])) if sign else None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.target)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.bases)

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.fold_ends)

    def fold(self, q: int | None) -> tuple[int, int]:
        """Return where a fold begins and ends; of None, an empty range."""
        if q is None:
            return 0, 0
        return (0 if q == 0 else int(self.fold_ends[q - 1])), int(self.fold_ends[q])

    def of_columns(self, columns: Sequence[int], weights: Floats, bits: int) -> "AdditiveRows":
        """Return rows of some columns, with other weights."""
        own = np.asarray(columns, dtype=np.intp)
        return replace(
            self,
            codes=[self.codes[k] for k in columns],
            bases=[self.bases[k] for k in columns],
            missing=self.missing[own],
            monotone=self.monotone[own],
            leads=self.lead[own],
            neutral=None if self.neutral is None else [self.neutral[k] for k in columns],
            weights=weights,
            taking_part=None,
            offset=None,
            given_bits=bits,
        )

    def columns_of(self, fold: int | None) -> frozenset[int]:
        """Return the columns that a fit on all rows (None), or without a fold, may use."""
        if self.taking_part is None:
            return frozenset(range(self.n_columns))
        return self.taking_part[0 if fold is None else fold + 1]

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Where the bins of each column begin in an array of all bins."""
        return np.concatenate([[0], np.cumsum([len(basis.gaps) for basis in self.bases])]).astype(np.int64)

    @cached_property
    def bits(self) -> int:
        """Gradients are rounded to multiples of 2^-bits: their sum fits 64 bits, and each fits 50."""
        if self.given_bits is not None:
            return self.given_bits
        return gradient_bits(float(self.weights.sum()), float(self.weights.max()), self.loss.largest_derivative)

    @cached_property
    def scale(self) -> Floats:
        """Weights in the unit of gradients."""
        return self.weights * 2.0**self.bits

    @property
    def unit(self) -> float:
        """The unit of gradients."""
        return 2.0**-self.bits

    @cached_property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All of it, in the order that the compiled core expects."""
        offsets, nominal, *bases = self.basis_arrays
        is_narrow = np.array([len(basis.gaps) <= _NARROW for basis in self.bases], dtype=bool)
        place = np.empty(self.n_columns, dtype=np.int64)
        place[np.argsort(~is_narrow, kind="stable")] = np.arange(self.n_columns)
        return (
            self._stacked(np.flatnonzero(is_narrow), np.uint8),
            self._stacked(np.flatnonzero(~is_narrow), np.uint16),
            place,
            offsets,
            nominal,
            self.monotone,
            self.missing.astype(np.uint8),
            *bases,
            self.target,
            self.scale,
            np.concatenate([np.empty(0), *map(self._neutral_entries, range(self.n_columns))]),
        )

    @cached_property
    def basis_arrays(self) -> tuple[NDArray[Any], ...]:
        """What priors know of the columns, in the order that the compiled core expects."""
        nominal = np.array([basis.nominal for basis in self.bases], dtype=np.uint8)
        return self.offsets, nominal, *(self._flat(name) for name in ("gaps", "line", "rank", "square"))

    def _neutral_entries(self, k: int) -> Floats:
        shares = self.neutral_shares(k)
        return np.zeros(len(self.bases[k].gaps)) if shares is None else shares

    def _stacked(self, columns: NDArray[np.intp], dtype: Any) -> NDArray[Any]:
        stacked = np.empty((len(columns), self.n_rows), dtype=dtype)
        for row, k in zip(stacked, columns.tolist(), strict=True):
            row[:] = self.codes[k]
        return stacked

    def _flat(self, name: str) -> Floats:
        return np.concatenate([np.empty(0), *(getattr(basis, name) for basis in self.bases)])


@dataclass(frozen=True)
class PairRows:
    """Rows in the bins of pairs, with targets, weights and folds.

    Parameters
    ----------
    codes : uint8 array of shape (n_columns, n_rows)
        Pair bin of each column and row.
    n_bins : int64 array of shape (n_columns,)
        Number of pair bins, at most 8 where pairs are searched, and 32 in tables. A column of one bin takes no part.
    target : array of shape (n_rows,)
        What the loss predicts: the number of the class.
    weights : float64 array of shape (n_rows,)
        Weight of each row.
    fold : int array of shape (n_rows,)
        Fold of each row for cross-fitting, from 0.
    n_threads : int, default=1
        Number of threads of the compiled core.
    backend : {"auto", "native", "reference"}, default="auto"
        "reference" takes the NumPy versions.
    loss : Loss, default=LOGISTIC
        What is minimized.
    screened : int array or None, default=None
        The columns whose pairs are screened; None for all.
    alone : tuple of tuples of int, default=None
        The bins of each column that are unlike their neighbors; None for none.
    """

    codes: NDArray[np.uint8]
    n_bins: Ints
    target: NDArray[Any]
    weights: Floats
    fold: NDArray[Any]
    n_threads: int = 1
    backend: str = "auto"
    loss: Loss = LOGISTIC
    screened: Ints | None = None
    alone: tuple[tuple[int, ...], ...] | None = None

    def __post_init__(self) -> None:
        n_columns, n_rows = self.codes.shape
        if self.n_bins.shape != (n_columns,) or not ((self.n_bins >= 1) & (self.n_bins <= FINE_PAIR_BINS)).all():
            raise ValueError(f"n_bins must be from 1 to {FINE_PAIR_BINS} per column.")
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
    def targets(self) -> Floats:
        """Targets, as the core expects them."""
        return np.ascontiguousarray(self.target, dtype=np.float64)

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
        total = fsum(self.weights.tolist())
        bits = frexp(total)[1]
        if (self.weights == np.rint(self.weights)).all():
            return ldexp(1.0, max(0, bits - _WEIGHT_BITS))
        return ldexp(1.0, bits - _WEIGHT_BITS)

    @cached_property
    def integer_weights(self) -> Ints:
        """Weights in units of ``weight_unit``."""
        return np.rint(self.weights / self.weight_unit).astype(np.int64)

    @cached_property
    def gradient_bits(self) -> int:
        """Bits of a derivative after the point: no sum over rows exceeds 61 bits."""
        largest = ceil(log2(self.loss.largest_derivative))
        return min(_FINEST, _SUM_BITS - int(self.integer_weights.sum()).bit_length() - largest)

    @cached_property
    def loss_bits(self) -> int:
        """Bits of a row's loss after the point."""
        return self.gradient_bits - _LOSS_BITS

    @property
    def gradient_unit(self) -> float:
        """Value of an integer derivative of 1."""
        return self.weight_unit / ldexp(1.0, self.gradient_bits)

    @property
    def loss_unit(self) -> float:
        """Value of an integer loss of 1, in nats."""
        return self.weight_unit / ldexp(1.0, self.loss_bits)

    def axis(self, j: int) -> PairAxis:
        """Return the bins of a column."""
        return PairAxis(int(self.n_bins[j]), () if self.alone is None else self.alone[j])

    def design(self, pair: tuple[int, int], prior: TablePrior) -> PairDesign:
        """Return the design of the tables of two columns."""
        return pair_design(*map(self.axis, pair), prior)

    def shape(self, pair: tuple[int, int]) -> tuple[int, int]:
        """Return the numbers of bins of two columns."""
        return int(self.n_bins[pair[0]]), int(self.n_bins[pair[1]])

    def added(self, pair: tuple[int, int], table: Floats) -> Floats:
        """Return what a table of two columns adds to each row."""
        a, b = pair
        cells = np.multiply(self.codes[a], table.shape[1], dtype=np.intp) + self.codes[b]
        return np.asarray(table.reshape(-1, *table.shape[2:]).take(cells, axis=0))

    @cached_property
    def _outside(self) -> dict[int, "PairRows"]:
        return {}

    def without(self, fold: int) -> "PairRows":
        """Return rows of which those of a fold are in the first of two folds, which a first table leaves out."""
        if fold not in self._outside:
            self._outside[fold] = replace(self, fold=(self.fold != fold).astype(np.int64))
        return self._outside[fold]

    def of_tables(self, scores: Floats) -> Floats:
        """Return scores of each table, shape (n_folds + 1, n_rows, n_scores), also where all have the same."""
        by_table = self.by_table(scores).astype(np.float64)
        return np.repeat(by_table, self.n_folds + 1, axis=0) if len(by_table) == 1 else by_table

    def by_table(self, scores: Floats) -> Floats:
        """Return scores with an axis of tables: of shape (1, n_rows, n_scores) if all tables have the same."""
        return scores if scores.ndim == 3 else scores[None]
