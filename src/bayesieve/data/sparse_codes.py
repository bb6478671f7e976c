"""Columns of codes in which one code is the most common: that code, and an entry for each row with another code."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["SparseCodes"]


@dataclass(frozen=True, eq=False)
class SparseCodes:
    """Columns as their common code and their entries: six bytes per entry, and none for the other rows.

    Attributes
    ----------
    common : uint16 array of shape (n_columns,)
        The code of the rows without an entry.
    begins : int64 array of shape (n_columns + 1,)
        Where the entries of each column begin.
    rows : int32 array of shape (n_entries,)
        The row of each entry, increasing within a column.
    codes : uint16 array of shape (n_entries,)
        The code of each entry.
    """

    common: NDArray[np.uint16]
    begins: NDArray[np.int64]
    rows: NDArray[np.int32]
    codes: NDArray[np.uint16]

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All arrays, in the order that the compiled core expects."""
        return self.common, self.begins, self.rows, self.codes

    @classmethod
    def join(cls, batches: Sequence["SparseCodes"]) -> "SparseCodes":
        """Return the columns of several batches, or none at all."""
        sizes = [np.zeros(1, dtype=np.int64), *(np.diff(batch.begins) for batch in batches)]
        return cls(
            np.concatenate([np.empty(0, dtype=np.uint16), *(batch.common for batch in batches)]),
            np.cumsum(np.concatenate(sizes)),
            np.concatenate([np.empty(0, dtype=np.int32), *(batch.rows for batch in batches)]),
            np.concatenate([np.empty(0, dtype=np.uint16), *(batch.codes for batch in batches)]),
        )

    def column(self, k: int, n_rows: int, dtype: Any) -> NDArray[Any]:
        """Return every row's code of one column."""
        entries = slice(int(self.begins[k]), int(self.begins[k + 1]))
        codes = np.full(n_rows, self.common[k], dtype=dtype)
        codes[self.rows[entries]] = self.codes[entries]
        return codes

    def between(self, begin: int, end: int) -> "SparseCodes":
        """Return the rows from ``begin`` to ``end - 1``."""
        inside = (self.rows >= begin) & (self.rows < end)
        begins = np.append(0, np.cumsum(inside))[self.begins]
        return SparseCodes(self.common, begins, self.rows[inside] - np.int32(begin), self.codes[inside])
