"""A table in Parquet files that is never whole in memory: columns are chosen by name, rows are read in blocks."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from bayesieve.data.optional import import_polars
from bayesieve.exceptions import DataError, ParameterError

__all__ = ["ParquetFrame", "ReadRows", "open_parquet", "read_memory"]

_UNITS: Final = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
_SHARE: Final = 12  # of the memory, that the values of the blocks under way may take as numbers
_FEWEST: Final = 1 << 13  # rows of a block
_MOST: Final = 1 << 19


@dataclass(frozen=True)
class ReadRows:
    """Reads one block of rows.

    Attributes
    ----------
    path : path
    first, n : int
        Rows of the file.
    columns : tuple of str
    known : str or None
        Only rows in which this column is not missing are read.
    every : int
        Every so many-th row of the file is apart; 0 if none is.
    apart : bool
        Whether those rows are read, or the others.
    """

    path: Path
    first: int
    n: int
    columns: tuple[str, ...]
    known: str | None = None
    every: int = 0
    apart: bool = False

    def __call__(self) -> Any:
        """Return a polars frame."""
        polars = import_polars("Reading Parquet")
        needed = [*self.columns, *([self.known] if self.known and self.known not in self.columns else [])]
        frame = polars.scan_parquet(self.path).select(needed).slice(self.first, self.n).collect()
        if self.every:
            chosen = (polars.int_range(len(frame), eager=True) + self.first) % self.every == 0
            frame = frame.filter(chosen if self.apart else ~chosen)
        if self.known is not None:
            there = frame[self.known].is_not_null()
            frame = frame.filter(
                there & frame[self.known].is_not_nan() if frame[self.known].dtype.is_float() else there
            )
        return frame.select(self.columns)


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
        return ReadRows(path, 0, n, self.columns)()

    def readers(self, n_columns: int) -> list[ReadRows]:
        """Return what reads each block, such that a table of so many columns fits the memory."""
        n = self.memory // (_SHARE * self.n_threads * 8 * max(1, n_columns))
        n = min(_MOST, max(_FEWEST, n))
        blocks = []
        for path, n_rows in zip(self.paths, self.n_rows_of, strict=True):
            ends = [min(k * n, n_rows) for k in range(-(-n_rows // n) + 1)]
            blocks += [
                ReadRows(path, a, b - a, self.columns, self.known, self.every, self.apart) for a, b in pairwise(ends)
            ]
        return blocks or [ReadRows(self.paths[0], 0, 0, self.columns)]

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
        try:
            scan = polars.scan_parquet(path)
            own = tuple(scan.collect_schema().names())
            sizes.append(int(scan.select(polars.len()).collect().item()))
        except (polars.exceptions.PolarsError, OSError) as error:
            reason = str(error).partition("\n")[0]
            raise DataError(f"{path} cannot be read as Parquet ({reason}).") from None
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

    >>> read_memory("2GB"), read_memory("1.5 GiB"), read_memory(1000)
    (2000000000, 1610612736, 1000)
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
