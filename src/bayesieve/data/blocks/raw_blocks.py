# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of the user's rows before they are read: features, target and weights of the same rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from bayesieve.data.blocks.dask_blocks import (
    dask_blocks,
    example_of,
    map_partitions,
    n_threads_of_workers,
    partitions_of,
)
from bayesieve.data.blocks.disk_blocks import DiskBlocks, KeptFiles
from bayesieve.data.blocks.parquet_frame import ParquetFrame, RowReader
from bayesieve.data.blocks.row_blocks import RowBlocks
from bayesieve.data.frames import frame_backend, is_dask, is_frame, pick_columns, pick_rows
from bayesieve.data.labeled_rows import check_weights, read_labels
from bayesieve.data.table import Table, read_table
from bayesieve.exceptions import DataError

__all__ = [
    "RawBlock",
    "RawBlocks",
    "is_in_blocks",
    "map_rows",
    "open_raw",
    "pick_block_columns",
    "refuse_blocks",
    "table_header",
    "table_kind",
]

_BLOCK: Final = 1 << 18  # rows


@dataclass(frozen=True)
class RawBlock:
    """A block of rows; X is None if only the target is needed."""

    X: Any
    y: Any
    weights: Any = None


@dataclass(frozen=True)
class RawBlocks:
    """Blocks of rows, and the same blocks without their features, which are read first.

    Attributes
    ----------
    rows, targets : RowBlocks of RawBlock
        The blocks with and without their features.
    example : data frame or array
        An empty table with the same columns.
    """

    rows: RowBlocks[RawBlock]
    targets: RowBlocks[RawBlock]
    example: Any


def open_raw(X: Any, y: Any, weights: Any, backend: str) -> RawBlocks | None:
    """Return blocks of rows if these are in Dask or in files or ``backend`` is "dask"; otherwise None."""
    if isinstance(X, RawBlocks):
        return X
    if is_dask(X):
        return _open_dask(X, y, weights)
    if isinstance(X, ParquetFrame):
        return _open_files(X, y, weights, backend)
    if is_dask(y) or is_dask(weights):
        raise DataError("y or sample_weight is a Dask collection and X is not; all must be from the same collection.")
    return _scatter(X, y, weights) if backend == "dask" else None


def _open_dask(X: Any, y: Any, weights: Any) -> RawBlocks:
    if y is None:
        raise DataError("requires y to be passed, but the target y is None: one class label per row is expected.")
    partitions = {"X": partitions_of(X)}
    n_partitions = len(partitions["X"])
    for name, values in (("y", y), ("sample_weight", weights)):
        if values is None:
            partitions[name] = [None] * n_partitions
            continue
        if not is_dask(values):
            raise DataError(f"X is a Dask collection and {name} is not; both must be from the same collection.")
        partitions[name] = partitions_of(values)
        if len(partitions[name]) != n_partitions:
            raise DataError(
                f"X has {n_partitions} partitions and {name} has {len(partitions[name])}; "
                "both must be from the same collection."
            )
    others = partitions["y"], partitions["sample_weight"]
    rows = dask_blocks(RawBlock, partitions["X"], *others)
    targets = dask_blocks(RawBlock, [None] * n_partitions, *others)
    return RawBlocks(rows, targets, example_of(X))


def _open_files(X: ParquetFrame, y: Any, weights: Any, backend: str) -> RawBlocks:
    for name, values in (("y", y), ("sample_weight", weights)):
        if name == "sample_weight" and values is None:
            continue
        if not (isinstance(values, ParquetFrame) and values.has_rows_of(X) and len(values.columns) == 1):
            raise DataError(f"X is a ParquetFrame; {name} must be one column of the same frame.")
    n_columns = len(X.columns)
    blocks = zip(X.readers(n_columns), y.readers(n_columns), strict=True)
    readers = [_ReadBlock(*each, None) for each in blocks]
    if weights is not None:
        readers = [replace(one, weights=own) for one, own in zip(readers, weights.readers(n_columns), strict=True)]
    targets = [replace(each, X=None) for each in readers]
    example = X.head(0)
    if backend == "dask":
        return RawBlocks(dask_blocks(_read, readers), dask_blocks(_read, targets), example)
    files = KeptFiles()
    return RawBlocks(DiskBlocks(readers, files, X.n_threads), DiskBlocks(targets, files, X.n_threads), example)


@dataclass(frozen=True)
class _ReadBlock:
    """Reads features, target and weights of the same rows."""

    X: RowReader | None
    y: RowReader
    weights: RowReader | None

    def __call__(self) -> RawBlock:
        labels = self.y().to_series().to_numpy()
        units = None if self.weights is None else self.weights().to_series().to_numpy()
        return RawBlock(None if self.X is None else self.X(), labels, units)


def _read(block: _ReadBlock) -> RawBlock:
    return block()


def _scatter(X: Any, y: Any, weights: Any) -> RawBlocks:
    """Send rows of this process to the workers, at least one block per thread."""
    table = read_table(X)
    labels = read_labels(y, table.n_rows)
    units = None if weights is None else check_weights(weights, table.n_rows)
    n_blocks = max(1, min(table.n_rows, max(n_threads_of_workers(), table.n_rows // _BLOCK)))
    rows = []
    for a, b in pairwise(k * table.n_rows // n_blocks for k in range(n_blocks + 1)):
        features = pick_rows(X, np.arange(a, b)) if is_frame(X) else X[a:b] if issparse(X) else np.asarray(X)[a:b]
        rows.append(RawBlock(features, labels[a:b], None if units is None else units[a:b]))
    targets = [replace(each, X=None) for each in rows]
    example = pick_rows(X, np.arange(0)) if is_frame(X) else np.empty((0, table.n_columns))
    return RawBlocks(dask_blocks(_same, rows), dask_blocks(_same, targets), example)


def _same(rows: RawBlock) -> RawBlock:
    return rows


def table_kind(X: Any) -> Literal["array", "frame", "blocks"]:
    """Tell whether rows are in blocks outside of this process, in a data frame, or in an array or matrix."""
    if is_in_blocks(X):
        return "blocks"
    return "array" if frame_backend(X) is None else "frame"


def is_in_blocks(X: Any) -> bool:
    """Return whether rows are in blocks outside of this process."""
    return isinstance(X, ParquetFrame) or is_dask(X)


def refuse_blocks(X: Any, owner: str) -> None:
    """Raise if rows are not in this process."""
    if is_in_blocks(X):
        raise DataError(f"{owner} needs a table in memory; call compute() or read() first.")


def table_header(X: Any) -> tuple[Any, Table]:
    """Return a table in blocks without its rows, as the user has it and as columns."""
    example = X.head(0) if isinstance(X, ParquetFrame) else example_of(X)
    names = [str(name) for name in getattr(X, "columns", [])]
    return example, Table(names, 0, lambda places: np.empty((0, len(places))))


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
