# SPDX-License-Identifier: BSD-3-Clause
"""Gradient sums of a boosted model per code, and the step that each column would take."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.exact import FIXED_ONE, to_fixed

__all__ = ["BoostingSteps", "GradientSums"]


@dataclass(frozen=True)
class GradientSums:
    """Two gradients, added up over the rows of each code of some columns, one column after the other.

    Attributes
    ----------
    sums : float64 array of shape (n_codes, 2)
        In units of one row.
    totals : float64 array of shape (2,)
        Over all rows.
    mass : float
        The weight of all rows.
    sizes : int64 array of shape (n_columns,)
        Number of codes of each column, *unseen* included.
    """

    sums: Floats
    totals: Floats
    mass: float
    sizes: Ints

    @cached_property
    def unseen(self) -> Ints:
        """Where the last code of each column is."""
        return np.cumsum(self.sizes) - 1

    def spread(self, of_column: NDArray[np.float64] | Ints) -> Floats:
        """Return numbers per column as numbers per code."""
        return np.repeat(of_column, self.sizes).astype(np.float64)

    def add_up(self, of_code: Floats) -> Floats:
        """Return the sum over each column's codes, of numbers rounded to 2^-40: no order of summation shows."""
        begins = self.unseen - self.sizes + 1
        return np.add.reduceat(to_fixed(of_code), begins) / float(FIXED_ONE)


@dataclass(frozen=True)
class BoostingSteps:
    """What each of some columns would add to the rows.

    Attributes
    ----------
    directions : float64 array of shape (n_codes,)
        The weak hypothesis of each column; 0 for *unseen*.
    alphas : float64 array of shape (n_columns,)
        How far it is followed.
    sizes : int64 array of shape (n_columns,)
        Number of codes of each column.
    """

    directions: Floats
    alphas: Floats
    sizes: Ints

    @cached_property
    def table(self) -> Ints:
        """What each code adds, in multiples of 2^-40."""
        return to_fixed(np.repeat(self.alphas, self.sizes) * self.directions)

    @property
    def added(self) -> Floats:
        """What each code adds."""
        return self.table / float(FIXED_ONE)
