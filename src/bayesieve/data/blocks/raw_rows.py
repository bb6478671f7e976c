"""Rows as a user has them, in blocks: features, target and weights that belong together."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
from scipy.sparse import issparse

from bayesieve.data.blocks.dask_blocks import dask_blocks, example_of, is_dask, n_threads_of_workers, parts_of
from bayesieve.data.blocks.disk_blocks import DiskBlocks, KeptFiles
from bayesieve.data.blocks.parquet_frame import ParquetFrame
from bayesieve.data.blocks.parquet_rows import ReadRows
from bayesieve.data.blocks.row_blocks import RowBlocks
from bayesieve.data.frames import is_frame, pick_rows
from bayesieve.data.table import read_table
from bayesieve.data.target import read_labels
from bayesieve.data.weights import check_weights
from bayesieve.exceptions import DataError

__all__ = ["RawBlocks", "RawRows", "open_raw"]


_BLOCK: Final = 1 << 18  # rows


@dataclass(frozen=True)
class RawRows:
    """A block of rows; X is None where only the target is asked for."""

    X: Any
    y: Any
    weights: Any = None


@dataclass(frozen=True)
class RawBlocks:
    """Rows in blocks, and the same blocks without their features, which are looked at first.

    Attributes
    ----------
    rows, targets : RowBlocks of RawRows
    example : data frame or array
        The table without rows.
    """

    rows: RowBlocks[RawRows]
    targets: RowBlocks[RawRows]
    example: Any


def open_raw(X: Any, y: Any, weights: Any, backend: str) -> RawBlocks | None:
    """Return rows in blocks if they are in Dask, in files, or shall be; None where they are in this process."""
    if isinstance(X, RawBlocks):
        return X
    if is_dask(X):
        return _open_dask(X, y, weights)
    if isinstance(X, ParquetFrame):
        return _open_files(X, y, weights, backend)
    if is_dask(y) or is_dask(weights):
        raise DataError("The target or the weights are in Dask and the table is not; give both from the same source.")
    return _spread(X, y, weights) if backend == "dask" else None


def _open_dask(X: Any, y: Any, weights: Any) -> RawBlocks:
    if y is None:
        raise DataError("requires y to be passed, but the target y is None: a class label is needed for each row.")
    parts = {"X": parts_of(X)}
    n_parts = len(parts["X"])
    for name, given in (("y", y), ("sample_weight", weights)):
        if given is None:
            parts[name] = [None] * n_parts
            continue
        if not is_dask(given):
            raise DataError(f"The table is in Dask and {name} is not; give {name} from the same source.")
        parts[name] = parts_of(given)
        if len(parts[name]) != n_parts:
            raise DataError(
                f"The table has {n_parts} partitions and {name} has {len(parts[name])}; "
                "take both from the same collection."
            )
    beside = parts["y"], parts["sample_weight"]
    rows, targets = dask_blocks(RawRows, parts["X"], *beside), dask_blocks(RawRows, [None] * n_parts, *beside)
    return RawBlocks(rows, targets, example_of(X))


def _open_files(X: ParquetFrame, y: Any, weights: Any, backend: str) -> RawBlocks:
    for name, given in (("y", y), ("sample_weight", weights)):
        if name == "sample_weight" and given is None:
            continue
        if not (isinstance(given, ParquetFrame) and given.has_rows_of(X) and len(given.columns) == 1):
            raise DataError(f"The table is in Parquet files; {name} must be one column of the same frame.")
    n_columns = len(X.columns)
    blocks = zip(X.readers(n_columns), y.readers(n_columns), strict=True)
    made = [_ReadBlock(*each, None) for each in blocks]
    if weights is not None:
        made = [replace(one, weights=own) for one, own in zip(made, weights.readers(n_columns), strict=True)]
    targets = [replace(each, X=None) for each in made]
    example = X.head(0)
    if backend == "dask":
        return RawBlocks(dask_blocks(_read, made), dask_blocks(_read, targets), example)
    files = KeptFiles()
    return RawBlocks(DiskBlocks(made, files, X.n_threads), DiskBlocks(targets, files, X.n_threads), example)


@dataclass(frozen=True)
class _ReadBlock:
    """Reads features, target and weights of the same rows."""

    X: ReadRows | None
    y: ReadRows
    weights: ReadRows | None

    def __call__(self) -> RawRows:
        labels = self.y().to_series().to_numpy()
        units = None if self.weights is None else self.weights().to_series().to_numpy()
        return RawRows(None if self.X is None else self.X(), labels, units)


def _read(block: _ReadBlock) -> RawRows:
    return block()


def _spread(X: Any, y: Any, weights: Any) -> RawBlocks:
    """Send rows of this process to the workers, a block for each of their threads at least."""
    table = read_table(X)
    labels = read_labels(y, table.n_rows)
    units = None if weights is None else check_weights(weights, table.n_rows)
    n_blocks = max(1, min(table.n_rows, max(n_threads_of_workers(), table.n_rows // _BLOCK)))
    rows = []
    for a, b in pairwise(k * table.n_rows // n_blocks for k in range(n_blocks + 1)):
        part = pick_rows(X, np.arange(a, b)) if is_frame(X) else X[a:b] if issparse(X) else np.asarray(X)[a:b]
        rows.append(RawRows(part, labels[a:b], None if units is None else units[a:b]))
    targets = [replace(each, X=None) for each in rows]
    example = pick_rows(X, np.arange(0)) if is_frame(X) else np.empty((0, table.n_columns))
    return RawBlocks(dask_blocks(_same, rows), dask_blocks(_same, targets), example)


def _same(rows: RawRows) -> RawRows:
    return rows
