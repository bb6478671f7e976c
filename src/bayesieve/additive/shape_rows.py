# SPDX-License-Identifier: BSD-3-Clause
"""Coded rows of two classes or more, in the order of their folds, with the bases of all columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.additive.shape_prior import ShapeBasis

__all__ = ["ShapeRows", "gradient_bits"]

_NARROW = 256  # bins whose codes fit a byte


def gradient_bits(total: float, largest: float) -> int:
    """Return the bits of gradients after the point, given the sum of weights and the largest one."""
    return min(40, 49 - ceil(log2(max(largest, 1.0))), 61 - ceil(log2(max(total, 1.0))))


@dataclass(frozen=True, eq=False)
class ShapeRows:
    """Rows for joint shapes.

    Attributes
    ----------
    codes : list of arrays of shape (n_rows,)
        The bin of each row, per column; bins of numbers are in increasing order after that of missing values.
    bases : list of ShapeBasis
        Per column.
    missing : bool array of shape (n_columns,)
        Whether the first bin is that of missing values.
    monotone : int8 array of shape (n_columns,)
        1 for shapes that may not decrease, -1 for those that may not increase, 0 for any.
    target : float64 array of shape (n_rows,)
        The number of the class.
    weights : float64 array of shape (n_rows,)
        Of the rows.
    fold_ends : array of shape (n_folds,)
        Where each fold ends; the rows of a fold are neighbors.
    taking_part : tuple of frozensets of int, or None
        The columns that fits on all rows, and without each fold, may use; None for all. Of a wide table they are those
        with the largest Bayes factors alone on the training rows of the fit.
    n_classes : int
        Number of classes. Two have one score per row, the log-odds of the second; more have one per class.
    leads : int64 array of shape (n_columns,), or None
        With more than two classes, that whose lead over every other is monotone; None for the first.
    given_bits : int or None
        Of gradients after the point, where these rows and others are added up; None for as many as these rows allow.
    """

    codes: Sequence[NDArray[Any]]
    bases: Sequence[ShapeBasis]
    missing: NDArray[np.bool_]
    monotone: NDArray[np.int8]
    target: Floats
    weights: Floats
    fold_ends: NDArray[np.int64]
    taking_part: tuple[frozenset[int], ...] | None = None
    n_classes: int = 2
    leads: NDArray[np.int64] | None = None
    given_bits: int | None = None

    @property
    def score_shape(self) -> tuple[int, ...]:
        """What follows the axis of rows, or of bins, in arrays of scores: nothing for two classes."""
        return () if self.n_classes == 2 else (self.n_classes,)

    @cached_property
    def lead(self) -> NDArray[np.int64]:
        """The class whose lead over every other is monotone, per column."""
        return np.zeros(self.n_columns, dtype=np.int64) if self.leads is None else self.leads

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

    def of_columns(self, columns: Sequence[int], weights: Floats, bits: int) -> "ShapeRows":
        """Return rows of some columns, with other weights."""
        own = np.asarray(columns, dtype=np.intp)
        return replace(
            self,
            codes=[self.codes[k] for k in columns],
            bases=[self.bases[k] for k in columns],
            missing=self.missing[own],
            monotone=self.monotone[own],
            leads=self.lead[own],
            weights=weights,
            taking_part=None,
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
        return gradient_bits(float(self.weights.sum()), float(self.weights.max()))

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
        is_narrow = np.array([len(basis.gaps) <= _NARROW for basis in self.bases], dtype=bool)
        place = np.empty(self.n_columns, dtype=np.int64)
        place[np.argsort(~is_narrow, kind="stable")] = np.arange(self.n_columns)
        return (
            self._stacked(np.flatnonzero(is_narrow), np.uint8),
            self._stacked(np.flatnonzero(~is_narrow), np.uint16),
            place,
            self.offsets,
            np.array([basis.nominal for basis in self.bases], dtype=np.uint8),
            self.monotone,
            self.missing.astype(np.uint8),
            *(self._flat(name) for name in ("gaps", "line", "rank", "square")),
            self.target,
            self.scale,
        )

    def _stacked(self, columns: NDArray[np.intp], dtype: Any) -> NDArray[Any]:
        stacked = np.empty((len(columns), self.n_rows), dtype=dtype)
        for row, k in zip(stacked, columns.tolist(), strict=True):
            row[:] = self.codes[k]
        return stacked

    def _flat(self, name: str) -> Floats:
        return np.concatenate([np.empty(0), *(getattr(basis, name) for basis in self.bases)])
