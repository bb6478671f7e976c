# SPDX-License-Identifier: BSD-3-Clause
"""A block of rows of a Parquet file, read on demand; row numbers determine which rows are held out."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bayesieve.data.blocks.spread_rows import are_held_out
from bayesieve.data.files.panics import without_panic_traces
from bayesieve.data.frames import import_polars
from bayesieve.exceptions import DataError

__all__ = ["ReadRows", "reading"]


@dataclass(frozen=True)
class ReadRows:
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
        with reading(self.path):
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
def reading(path: Path) -> Iterator[None]:
    """Raise polars' errors about a file as one sentence."""
    polars = import_polars("Reading Parquet")
    try:
        with without_panic_traces():
            yield
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"{path} cannot be read as Parquet ({reason}).") from None
