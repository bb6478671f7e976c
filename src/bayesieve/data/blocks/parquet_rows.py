"""A block of rows of a Parquet file, read when it is asked for; which rows are held out is told by their numbers."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data.optional import import_polars
from bayesieve.exceptions import DataError

__all__ = ["ReadRows", "are_apart", "reading"]


@dataclass(frozen=True)
class ReadRows:
    """Reads one block of rows.

    Attributes
    ----------
    path : path
    before, first, n : int
        Rows in the files before this one, and those of the file that are read.
    columns : tuple of str
    known : str or None
        Only rows in which this column is not missing are read.
    every : int
        One row of so many is apart; 0 if none is.
    apart : bool
        Whether those rows are read, or the others.
    """

    path: Path
    before: int
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
        with reading(self.path):
            frame = polars.scan_parquet(self.path).select(needed).slice(self.first, self.n).collect()
        if self.every:
            chosen = are_apart(self.before + self.first, len(frame), self.every) == self.apart
            frame = frame.filter(polars.Series(chosen))
        if self.known is not None:
            there = frame[self.known].is_not_null()
            frame = frame.filter(
                there & frame[self.known].is_not_nan() if frame[self.known].dtype.is_float() else there
            )
        return frame.select(self.columns)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Say in a sentence what is wrong with a file."""
    polars = import_polars("Reading Parquet")
    try:
        yield
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"{path} cannot be read as Parquet ({reason}).") from None


def are_apart(first: int, n: int, every: int) -> NDArray[np.bool_]:
    """Tell which of n rows are apart: one of each ``every`` rows, at a place that follows no period of the table.

    >>> [int(row) for row in np.flatnonzero(are_apart(0, 30, 10))]
    [5, 10, 29]
    """
    rows = np.arange(first, first + n, dtype=np.uint64)
    stretch, place = np.divmod(rows, np.uint64(every))
    # The finalizer of SplitMix64: neighbouring numbers become unrelated ones, the same on every machine.
    mixed = (stretch + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    chosen: NDArray[np.bool_] = place == mixed % np.uint64(every)
    return chosen
