# SPDX-License-Identifier: BSD-3-Clause
"""Amounts as a sum over columns: where every amount begins, and what each bin of each column adds."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats
from bayesieve.models.scorecard import ScoreTable

__all__ = ["AMOUNT_ONE", "AmountModel", "in_units"]

AMOUNT_ONE = 2**20
"""Amounts are multiples of its inverse, so that their sums are exact in doubles, here and in a database."""


@dataclass(frozen=True)
class AmountModel:
    """The expected amount of a positive row.

    Attributes
    ----------
    start : int
        Of a row about which no column is known, in multiples of 1 / `AMOUNT_ONE`.
    tables : tuple of ScoreTable
        What each bin of a column adds, one number per bin; values that are unseen in training add nothing.
    """

    start: int
    tables: tuple[ScoreTable, ...]

    def amounts(self, n_rows: int, codes: Iterable[NDArray[Any]]) -> Floats:
        """Return the amount of each row, at least 0, given the codes of each table's column."""
        total = np.full(n_rows, self.start, dtype=np.int64)
        for table, coded in zip(self.tables, codes, strict=True):
            total += table.table[coded]
        return np.maximum(in_units(total), 0.0)


def in_units(amounts: NDArray[np.int64] | int) -> Floats:
    """Return amounts in the unit of the data, such as dollars."""
    return np.asarray(amounts, dtype=np.float64) / AMOUNT_ONE
