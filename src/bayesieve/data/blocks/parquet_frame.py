"""A table in Parquet files that is never whole in memory: columns are chosen by name, rows are read in blocks."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from bayesieve.data.blocks.parquet_rows import ReadRows, reading
from bayesieve.data.optional import import_polars
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["ParquetFrame", "open_parquet", "read_memory"]

_UNITS: Final = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
_SHARE: Final = 12  # of the memory, that the values of the blocks under way may take as numbers
_FEWEST: Final = 1 << 13  # rows of a block
_MOST: Final = 1 << 19


@dataclass(frozen=True)
class ParquetFrame:
    """Columns of one or more Parquet files with the same columns, to be given to ``fit`` and ``predict``.

    ``frame["y"]`` and ``frame[["a", "b"]]`` choose columns, ``frame.drop("y")`` the others; no row is read for that.

    Attributes
    ----------
    paths : tuple of paths
    columns : tuple of str
        The chosen columns.
    n_rows_of : tuple of int
        Number of rows of each file.
    memory : int
        Bytes that a fit may take, about.
    n_threads : int
        Blocks that are worked on at a time.
    known, every, apart : see `ReadRows`
        Which rows are read.
    """

    paths: tuple[Path, ...]
    columns: tuple[str, ...]
    n_rows_of: tuple[int, ...]
    memory: int
    n_threads: int
    known: str | None = None
    every: int = 0
    apart: bool = False

    def __len__(self) -> int:
        return sum(self.n_rows_of)

    def __getitem__(self, wanted: str | Sequence[str]) -> "ParquetFrame":
        names = [wanted] if isinstance(wanted, str) else list(wanted)
        for name in names:
            self._find(name)
        return replace(self, columns=tuple(names))

    def drop(self, unwanted: str | Sequence[str]) -> "ParquetFrame":
        """Return the other columns.

        Parameters
        ----------
        unwanted : str or sequence of str
            Names of columns.

        Returns
        -------
        frame : ParquetFrame
            Of the same rows.
        """
        names = [unwanted] if isinstance(unwanted, str) else list(unwanted)
        for name in names:
            self._find(name)
        return replace(self, columns=tuple(name for name in self.columns if name not in names))

    def head(self, n: int = 20) -> Any:
        """Return the first rows.

        Parameters
        ----------
        n : int
            How many.

        Returns
        -------
        frame : polars.DataFrame
            They are read.
        """
        path = next(
            path for path, rows in zip(self.paths, self.n_rows_of, strict=True) if rows or path is self.paths[-1]
        )
        return ReadRows(path, 0, 0, n, self.columns)()

    def read(self) -> Any:
        """Return all rows that are read, in memory.

        Returns
        -------
        frame : polars.DataFrame
            Of the chosen columns.
        """
        blocks = [read() for read in self.readers(len(self.columns))]
        return import_polars("Reading Parquet").concat(blocks, how="vertical_relaxed")

    def count_values(self, most: int = 1 << 16) -> dict[Any, int]:
        """Return how many rows have each value of the only column.

        Parameters
        ----------
        most : int
            Beyond so many different values, no more rows are read.

        Returns
        -------
        counts : dict
            In no order; None stands for a missing value.
        """
        counts: Counter[Any] = Counter()
        for read in self.readers(1):
            if len(counts) > most:
                break
            series = read().to_series().rename("value")
            found = (series.fill_nan(None) if series.dtype.is_float() else series).value_counts(name="rows")
            counts.update(dict(zip(found["value"].to_list(), found["rows"].to_list(), strict=True)))
        return dict(counts)

    def known_in(self, name: str) -> "ParquetFrame":
        """Leave out rows in which a column is missing.

        Parameters
        ----------
        name : str
            The column, of the target for instance.

        Returns
        -------
        frame : ParquetFrame
            Of the other rows, with the same columns.
        """
        self._find(name)
        return replace(self, known=name)

    def divide(self, most: int) -> tuple["ParquetFrame", "ParquetFrame"]:
        """Divide the rows into those to learn from and a few to judge by, spread evenly over the files.

        Parameters
        ----------
        most : int
            The most rows to judge by, of which there are no more than one in five.

        Returns
        -------
        learnt, apart : ParquetFrame
            The others, and those.
        """
        every = max(5, -(-len(self) // most))
        return replace(self, every=every, apart=False), replace(self, every=every, apart=True)

    def has_rows_of(self, other: "ParquetFrame") -> bool:
        """Tell whether two frames have the same rows, and only other columns."""
        return replace(self, columns=()) == replace(other, columns=())

    def readers(self, n_columns: int) -> list[ReadRows]:
        """Return what reads each block, such that a table of so many columns fits the memory."""
        n = self.memory // (_SHARE * self.n_threads * 8 * max(1, n_columns))
        n = min(_MOST, max(_FEWEST, n))
        blocks, before = [], 0
        which = (self.columns, self.known, self.every, self.apart)
        for path, n_rows in zip(self.paths, self.n_rows_of, strict=True):
            ends = [min(k * n, n_rows) for k in range(-(-n_rows // n) + 1)]
            blocks += [ReadRows(path, before, a, b - a, *which) for a, b in pairwise(ends)]
            before += n_rows
        return blocks or [ReadRows(self.paths[0], 0, 0, 0, self.columns)]

    def _find(self, name: str) -> None:
        if name not in self.columns:
            raise DataError(f"There is no column {name!r} among {', '.join(map(repr, self.columns[:8]))}.")


def open_parquet(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, memory: str | int = "2GB", n_jobs: int = -1
) -> ParquetFrame:
    """Open Parquet files that are larger than memory.

    Parameters
    ----------
    paths : path or list of paths
        One file, or several with the same columns.
    memory : str or int, default="2GB"
        What a fit may take, about: bytes, or a number with KB, MB, GB, KiB, MiB or GiB.
    n_jobs : int, default=-1
        How many blocks of rows are worked on at a time; -1 is one for each processor.

    Returns
    -------
    frame : ParquetFrame
        Of which ``fit`` reads a few blocks at a time. Codes, a byte a cell, are written to the folder for temporary
        files (``TMPDIR``), and mapped into memory.

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
    several = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    files = tuple(Path(path).expanduser() for path in several)
    if not files:
        raise DataError("No Parquet file is given.")
    columns, sizes = None, []
    for path in files:
        if not path.is_file():
            raise DataError(f"{path} does not exist, or is no file.")
        with reading(path):
            scan = polars.scan_parquet(path)
            own = tuple(scan.collect_schema().names())
            sizes.append(int(scan.select(polars.len()).collect().item()))
        if columns is not None and own != columns:
            other = next(iter({*own} ^ {*columns}), own[0])
            raise DataError(f"{path} has other columns than {files[0]}, for instance {other!r}.")
        columns = own
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
        raise ParameterError(f"memory must be a size such as '2GB' or '512MiB', of 1 MiB or more, got {memory!r}.")
    return size
