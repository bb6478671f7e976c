# SPDX-License-Identifier: BSD-3-Clause
"""A table of two classes that Dask's workers generate block by block."""

from dataclasses import dataclass
from typing import Any

import dask
import dask.array as da
import numpy as np

__all__ = ["TableInBlocks"]


@dataclass(frozen=True)
class TableInBlocks:
    """Columns of which the first depend on the target, each less than the one before.

    Attributes
    ----------
    n_columns, n_informative : int
        Number of columns, and of those that depend on the target.
    decline : float
        How fast the shift of a positive row falls with the column: that of column j is 0.4 / (1 + j * decline).
    block : int
        Rows per block.
    """

    n_columns: int
    n_informative: int
    decline: float
    block: int

    def lazy(self, n_rows: int) -> tuple[Any, Any]:
        """Return the table and its target as arrays of Dask."""
        sizes = [min(self.block, n_rows - first) for first in range(0, n_rows, self.block)]
        X = [
            da.from_delayed(dask.delayed(self.features)(k, n), (n, self.n_columns), dtype=np.float32)
            for k, n in enumerate(sizes)
        ]
        y = [da.from_delayed(dask.delayed(self.labels)(k, n), (n,), dtype=np.int8) for k, n in enumerate(sizes)]
        return da.concatenate(X), da.concatenate(y)

    def labels(self, k: int, n: int) -> Any:
        """Return the target of a block."""
        return (np.random.default_rng([k, 0]).random(n) < 0.3).astype(np.int8)

    def features(self, k: int, n: int) -> Any:
        """Return the columns of a block."""
        values, y = np.random.default_rng([k, 1]).random((n, self.n_columns), dtype=np.float32), self.labels(k, n)
        for j in range(self.n_informative):
            values[:, j] += np.float32(0.4 / (1 + j * self.decline)) * y
        return values
