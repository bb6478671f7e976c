"""A table of any library, read one typed column at a time.

Integers, floats, dates and durations are ordered; booleans, strings and categoricals are nominal. NaN, null and NaT
are missing. Infinite values are refused.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data.column import Column, read_column
from bayesieve.data.frames import frame_columns, is_frame
from bayesieve.exceptions import DataError

__all__ = ["Table", "read_table"]

Getter = Callable[[int], tuple[NDArray[Any], bool]]


@dataclass(frozen=True)
class Table:
    """Named columns of one length; a column is read when it is asked for, and not kept."""

    names: list[str]
    n_rows: int
    get: Getter

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.names)

    def column(self, j: int) -> Column:
        """Read one column."""
        return read_column(self.names[j], *self.get(j))

    def __iter__(self) -> Iterator[Column]:
        return (self.column(j) for j in range(self.n_columns))


def read_table(X: Any, names: Sequence[str] | None = None) -> Table:
    """Open a pandas, polars or arrow table, or a two-dimensional array; ``names`` replace its own."""
    if is_frame(X):
        own_names, n_rows, get = frame_columns(X)
    elif hasattr(X, "toarray"):
        raise DataError("Sparse input is not accepted here: the table must be dense, for instance X.toarray().")
    else:
        own_names, n_rows, get = _array_columns(X)
    shape = (n_rows, len(own_names))
    if not shape[1]:
        raise DataError(f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required.")
    if not shape[0]:
        raise DataError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
    return Table(own_names if names is None else list(names), n_rows, get)


def _array_columns(X: Any) -> tuple[list[str], int, Getter]:
    array = np.asarray(X)
    if array.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {array.ndim}D array instead: a table has rows and columns. "
            "Reshape your data with .reshape(-1, 1) if it has one column or .reshape(1, -1) if it has one row."
        )
    n_rows, n_columns = array.shape
    return [f"x{j}" for j in range(n_columns)], n_rows, lambda j: (array[:, j], False)
