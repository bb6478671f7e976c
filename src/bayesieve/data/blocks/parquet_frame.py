# SPDX-License-Identifier: BSD-3-Clause
"""A table in Parquet files that is larger than memory: columns are selected by name, rows are read in blocks.

Row numbers determine which rows are held out.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from bayesieve.data.blocks.row_blocks import are_held_out
from bayesieve.data.frames import import_polars, without_panic_traces
from bayesieve.exceptions import DataError, ParameterError

__all__ = [
    "ParquetFrame",
    "RowReader",
    "open_parquet",
    "read_memory",
]


@dataclass(frozen=True)
class RowReader:
    """Reads one block of rows.

    Attributes
    ----------
    path : path
        The file.
    before : int
        Number of rows in the files before this one.
    first, n : int
        First row of the file that is read, and number of rows.
    columns : tuple of str
        The columns that are read.
    required : str or None
        Only rows in which this column is not missing are read.
    every : int
        One row of each ``every`` rows is held out; 0 if none is.
    held_out : bool
        Whether the held-out rows are read, or the others.
    """

    path: Path
    before: int
    first: int
    n: int
    columns: tuple[str, ...]
    required: str | None = None
    every: int = 0
    held_out: bool = False

    def __call__(self) -> Any:
        """Return a polars frame."""
        polars = import_polars("Reading Parquet")
        needed = [*self.columns, *([self.required] if self.required and self.required not in self.columns else [])]
        with _reading(self.path):
            frame = polars.scan_parquet(self.path).select(needed).slice(self.first, self.n).collect()
        if self.every:
            mask = are_held_out(self.before + self.first, len(frame), self.every) == self.held_out
            frame = frame.filter(polars.Series(mask))
        if self.required is not None:
            present = frame[self.required].is_not_null()
            frame = frame.filter(
                present & frame[self.required].is_not_nan() if frame[self.required].dtype.is_float() else present
            )
        return frame.select(self.columns)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Raise polars' errors about a file as one sentence."""
    polars = import_polars("Reading Parquet")
    try:
        with without_panic_traces():
            yield
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"{path} cannot be read as Parquet ({reason}).") from None


_UNITS: Final = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
_MEMORY_SHARE: Final = 12  # blocks in memory may take one twelfth of it as float64
_MIN_ROWS: Final = 1 << 13  # of a block
_MAX_ROWS: Final = 1 << 19


@dataclass(frozen=True)
class ParquetFrame:
    """Columns of one or more Parquet files with the same columns, for ``fit`` and ``predict``.

    ``frame["y"]`` and ``frame[["a", "b"]]`` select columns, ``frame.drop("y")`` removes some; this reads no rows.

    Attributes
    ----------
    paths : tuple of paths
        The files.
    columns : tuple of str
        The selected columns.
    n_rows_of : tuple of int
        Number of rows of each file.
    memory : int
        Approximate number of bytes that a fit may take.
    n_threads : int
        Number of blocks that are processed at a time.
    required, every, held_out : str or None, int, bool
        Which rows are read, see `RowReader`.
    """

    paths: tuple[Path, ...]
    columns: tuple[str, ...]
    n_rows_of: tuple[int, ...]
    memory: int
    n_threads: int
    required: str | None = None
    every: int = 0
    held_out: bool = False

    def __len__(self) -> int:
        return sum(self.n_rows_of)

    def __getitem__(self, columns: str | Sequence[str]) -> "ParquetFrame":
        names = [columns] if isinstance(columns, str) else list(columns)
        for name in names:
            self._find(name)
        return replace(self, columns=tuple(names))

    def drop(self, columns: str | Sequence[str]) -> "ParquetFrame":
        """Return the frame without some columns.

        Parameters
        ----------
        columns : str or sequence of str
            Names of the columns to remove.

        Returns
        -------
        frame : ParquetFrame
            The same rows without these columns.
        """
        names = [columns] if isinstance(columns, str) else list(columns)
        for name in names:
            self._find(name)
        return replace(self, columns=tuple(name for name in self.columns if name not in names))

    def head(self, n: int = 20) -> Any:
        """Return the first rows.

        Parameters
        ----------
        n : int
            Number of rows.

        Returns
        -------
        frame : polars.DataFrame
            The first rows of the selected columns.
        """
        path = next(
            path for path, rows in zip(self.paths, self.n_rows_of, strict=True) if rows or path is self.paths[-1]
        )
        return RowReader(path, 0, 0, n, self.columns)()

    def read(self) -> Any:
        """Read all rows into memory.

        Returns
        -------
        frame : polars.DataFrame
            All rows of the selected columns.
        """
        blocks = [read() for read in self.readers(len(self.columns))]
        return import_polars("Reading Parquet").concat(blocks, how="vertical_relaxed")

    def count_values(self, max_values: int = 1 << 16) -> dict[Any, int]:
        """Return the number of rows per value of a frame with one column.

        Parameters
        ----------
        max_values : int
            With more distinct values than this, no more rows are read.

        Returns
        -------
        counts : dict
            Number of rows per value, unordered; the key None stands for missing values.
        """
        counts: Counter[Any] = Counter()
        for read in self.readers(1):
            if len(counts) > max_values:
                break
            series = read().to_series().rename("value")
            rows = (series.fill_nan(None) if series.dtype.is_float() else series).value_counts(name="rows")
            counts.update(dict(zip(rows["value"].to_list(), rows["rows"].to_list(), strict=True)))
        return dict(counts)

    def drop_missing(self, name: str) -> "ParquetFrame":
        """Leave out rows in which a column is missing, for instance the target.

        Parameters
        ----------
        name : str
            Name of the column.

        Returns
        -------
        frame : ParquetFrame
            The other rows, with the same columns.
        """
        self._find(name)
        return replace(self, required=name)

    def divide(self, most: int) -> tuple["ParquetFrame", "ParquetFrame"]:
        """Split the rows into training rows and held-out rows, which are spread evenly over the files.

        Parameters
        ----------
        most : int
            The maximum number of held-out rows; at most one row in five is held out.

        Returns
        -------
        train, test : ParquetFrame
            The training rows and the held-out rows.
        """
        every = max(5, -(-len(self) // most))
        return replace(self, every=every, held_out=False), replace(self, every=every, held_out=True)

    def has_rows_of(self, other: "ParquetFrame") -> bool:
        """Return whether two frames have the same rows; columns may differ."""
        return replace(self, columns=()) == replace(other, columns=())

    def readers(self, n_columns: int) -> list[RowReader]:
        """Return a reader per block, with blocks such that `n_columns` columns fit the memory."""
        n = self.memory // (_MEMORY_SHARE * self.n_threads * 8 * max(1, n_columns))
        n = min(_MAX_ROWS, max(_MIN_ROWS, n))
        blocks, before = [], 0
        which = (self.columns, self.required, self.every, self.held_out)
        for path, n_rows in zip(self.paths, self.n_rows_of, strict=True):
            ends = [min(k * n, n_rows) for k in range(-(-n_rows // n) + 1)]
            blocks += [RowReader(path, before, a, b - a, *which) for a, b in pairwise(ends)]
            before += n_rows
        return blocks or [RowReader(self.paths[0], 0, 0, 0, self.columns)]

    def _find(self, name: str) -> None:
        if name not in self.columns:
            raise DataError(
                f"The table has no column {name!r}; its columns are {', '.join(map(repr, self.columns[:8]))}."
            )


def open_parquet(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, memory: str | int = "2GB", n_jobs: int = -1
) -> ParquetFrame:
    """Open Parquet files that are larger than memory.

    Parameters
    ----------
    paths : path or list of paths
        One file, or several with the same columns.
    memory : str or int, default="2GB"
        Approximate memory that a fit may take: bytes, or a number with KB, MB, GB, KiB, MiB or GiB.
    n_jobs : int, default=-1
        Number of blocks of rows that are processed at a time; -1 means one per processor.

    Returns
    -------
    frame : ParquetFrame
        A table that ``fit`` reads a few blocks at a time. Codes, one byte per value, are written to the folder for
        temporary files (``TMPDIR``) and mapped into memory.

    Examples
    --------
    >>> import polars
    >>> from bayesieve import SelectiveNaiveBayes, open_parquet
    >>> polars.DataFrame({"x": [1, 2, 3, 4] * 50, "y": ["no", "no", "yes", "yes"] * 50}).write_parquet("big.parquet")
    >>> frame = open_parquet("big.parquet", memory="1GB")
    >>> model = SelectiveNaiveBayes(weights="none").fit(frame.drop("y"), frame["y"])
    >>> model.path_.order
    ('x',)
    """
    polars = import_polars("Reading Parquet")
    path_list = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    files = tuple(Path(path).expanduser() for path in path_list)
    if not files:
        raise DataError("paths is empty; at least one Parquet file is expected.")
    columns, sizes = None, []
    for path in files:
        if not path.is_file():
            raise DataError(f"{path} does not exist or is not a file.")
        with _reading(path):
            scan = polars.scan_parquet(path)
            names = tuple(scan.collect_schema().names())
            sizes.append(int(scan.select(polars.len()).collect().item()))
        if columns is not None and names != columns:
            other = next(iter({*names} ^ {*columns}), names[0])
            raise DataError(f"{path} and {files[0]} differ in their columns, for instance {other!r}.")
        columns = names
    assert columns is not None
    n_threads = (os.cpu_count() or 1) if n_jobs == -1 else n_jobs
    if n_threads < 1:
        raise ParameterError(f"n_jobs must be -1, or 1 or more, got {n_jobs!r}.")
    return ParquetFrame(files, columns, tuple(sizes), read_memory(memory), n_threads)


def read_memory(memory: str | int) -> int:
    """Return a size in bytes.

    >>> read_memory("2GB"), read_memory("1.5 GiB"), read_memory(3_000_000)
    (2000000000, 1610612736, 3000000)
    """
    text = str(memory).strip().upper().replace(" ", "")
    number = text.rstrip("KMGIB")
    try:
        size = int(float(number) * _UNITS[text[len(number) :]])
    except (KeyError, ValueError):
        size = 0
    if size < 1 << 20:
        raise ParameterError(f"memory must be a size of at least 1 MiB such as '2GB' or '512MiB', got {memory!r}.")
    return size
