"""Tables of new rows, wherever they are: in this process, in Parquet files or in Dask."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesieve.data.blocks.dask_blocks import example_of, is_dask, map_partitions
from bayesieve.data.blocks.parquet_frame import ParquetFrame
from bayesieve.data.frames import frame_backend, pick_columns
from bayesieve.data.table import Table
from bayesieve.exceptions import DataError

__all__ = ["map_rows", "pick_block_columns", "refuse_blocks", "table_header", "table_kind"]


def table_kind(X: Any) -> Literal["array", "frame", "blocks"]:
    """Tell whether rows are in blocks outside of this process, in a data frame, or in an array or matrix."""
    if isinstance(X, ParquetFrame) or is_dask(X):
        return "blocks"
    return "array" if frame_backend(X) is None else "frame"


def refuse_blocks(X: Any, owner: str) -> None:
    """Raise if rows are not in this process."""
    if table_kind(X) == "blocks":
        raise DataError(f"{owner} takes rows in this process; compute() or read() these first.")


def table_header(X: Any) -> tuple[Any, Table]:
    """Return a table in blocks without its rows, as the user has it and as columns."""
    example = X.head(0) if isinstance(X, ParquetFrame) else example_of(X)
    names = [str(name) for name in getattr(X, "columns", [])]
    return example, Table(names, 0, lambda j: (np.empty(0), False))


def map_rows(X: Any, task: Callable[[Any], NDArray[Any]], empty: NDArray[Any]) -> Any:
    """Return ``task`` of a table of rows: an array, or a lazy one of Dask; of no rows it is ``empty``."""
    if isinstance(X, ParquetFrame):
        answer = _NonEmpty(task, empty)
        return np.concatenate([empty, *(answer(read()) for read in X.readers(len(X.columns)))])
    return map_partitions(X, _NonEmpty(task, empty), empty) if is_dask(X) else task(X)


class _NonEmpty:
    """Applies a task to blocks that have rows."""

    def __init__(self, task: Callable[[Any], NDArray[Any]], empty: NDArray[Any]) -> None:
        self._task, self._empty = task, empty

    def __call__(self, rows: Any) -> NDArray[Any]:
        return self._task(rows) if len(rows) else self._empty


def pick_block_columns(X: Any, positions: Sequence[int]) -> Any:
    """Return some columns of a data frame or of a table in blocks; no row is read."""
    if table_kind(X) == "frame":
        return pick_columns(X, list(positions))
    return X[:, list(positions)] if hasattr(X, "chunks") else X[[X.columns[j] for j in positions]]
