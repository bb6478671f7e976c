# SPDX-License-Identifier: BSD-3-Clause
"""Contingency tables of many columns, stacked as the compiled core expects them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import frexp

import numpy as np

from bayesieve._typing import Ints
from bayesieve.bins.modl.code_lengths import LARGEST_TOTAL

__all__ = ["Tables"]


@dataclass(frozen=True)
class Tables:
    """Weight of each value (a row) in each class, for several columns.

    Attributes
    ----------
    counts : int64 array of shape (offsets[-1], n_classes)
        In units, not negative. Rows without weight are ignored.
    offsets : int64 array of shape (n_tables + 1,)
        Where each table begins.
    unit : float
        A power of two: a weight is ``counts * unit``.
    """

    counts: Ints
    offsets: Ints
    unit: float = 1.0

    @staticmethod
    def stack(tables: Sequence[Ints], unit: float = 1.0) -> "Tables":
        """Stack tables with the same classes."""
        offsets = np.cumsum([0, *map(len, tables)], dtype=np.int64)
        arrays = [np.asarray(table, dtype=np.int64) for table in tables]
        counts = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
        return Tables(np.ascontiguousarray(counts), offsets, unit)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, table: int) -> Ints:
        return self.counts[self.offsets[table] : self.offsets[table + 1]]

    def check(self) -> None:
        """Refuse tables whose costs cannot be computed, with the messages of the compiled core."""
        if frexp(self.unit)[0] != 0.5:
            raise ValueError("unit must be a power of two")
        if (self.counts < 0).any():
            raise ValueError("counts must not be negative")
        for table in range(len(self)):
            total = sum(self[table].sum(axis=1, dtype=object).tolist())
            if total >= 2**62:
                raise ValueError("the counts of a table must add up to less than 2**62")
            if total * self.unit > LARGEST_TOTAL:
                raise ValueError("the weights of a table must add up to at most 2**30")
