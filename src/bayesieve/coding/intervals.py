"""Intervals of an ordered column."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding.partition import Counts, is_numeric
from bayesieve.data import Scale, Values
from bayesieve.exceptions import DataError

__all__ = ["Intervals", "as_ordered"]


@dataclass(frozen=True)
class Intervals:
    """Intervals (-inf, b1], (b1, b2], ..., (bm, inf), then values apart from them, then the missing part.

    Attributes
    ----------
    bounds : float64 array
        The inner bounds, increasing.
    missing : bool
        Whether missing values have a part of their own.
    joined : int or None
        The interval that takes missing values where they have no part of their own; None where training had none.
    special : tuple of float
        Values that have a part each, whatever interval they lie in.
    scale : Scale
        What numbers stand for.
    counts : array of shape (n_bins, n_classes), or None
        Weight of each part in each class, of the rows that it was learnt from.
    level : float or None
        The share of the null model's cost that the partition saves; None where a rule has no cost.
    cost : Cost or None
        Construction, preparation and data cost.
    """

    bounds: NDArray[np.float64]
    missing: bool
    joined: int | None = None
    special: tuple[float, ...] = ()
    scale: Scale = Scale.numeric
    counts: Counts | None = field(default=None, compare=False)
    level: float | None = field(default=None, compare=False)
    cost: Any = field(default=None, compare=False)

    @property
    def n_bins(self) -> int:
        """Number of parts, the missing part included."""
        return len(self.bounds) + 1 + len(self.special) + self.missing

    def bins_of(self, column: Values) -> NDArray[np.intp]:
        """Return the code of each label, and last that of a missing value."""
        if not len(self.bounds) and not self.special and isinstance(column.labels, np.ndarray):
            # Most columns of a wide table
            return single_bin(len(column.labels), 1 if self.missing or self.joined is None else self.joined)
        labels, n_bins = as_ordered(column), self.n_bins
        parts = np.empty(len(labels) + 1, dtype=np.intp)
        parts[:-1] = self.bounds.searchsorted(labels)
        for k, value in enumerate(self.special, len(self.bounds) + 1):
            parts[:-1][labels == value] = k
        unseen = n_bins if self.joined is None else self.joined
        parts[-1] = n_bins - 1 if self.missing else unseen
        return parts

    def code_numbers(self, numbers: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the code of each number, NaN where it is missing: what ``parts`` does, for many different ones."""
        codes = self.bounds.searchsorted(numbers)
        for k, value in enumerate(self.special, len(self.bounds) + 1):
            codes[numbers == value] = k
        unseen = self.n_bins if self.joined is None else self.joined
        codes[np.isnan(numbers)] = self.n_bins - 1 if self.missing else unseen
        return codes

    def describe(self, code: int) -> str:
        """Return a part in words."""
        if code >= self.n_bins:
            return "unseen"
        if self.missing and code == self.n_bins - 1:
            return "missing"
        if code > len(self.bounds):
            return f"= {self.scale.words(self.special[code - len(self.bounds) - 1])}"
        low = f"> {self.scale.words(self.bounds[code - 1])}" if code else ""
        high = f"<= {self.scale.words(self.bounds[code])}" if code < len(self.bounds) else ""
        words = " and ".join(part for part in (low, high) if part) or "any value"
        return f"{words} or missing" if code == self.joined else words


@lru_cache(maxsize=64)
def single_bin(n_labels: int, missing: int) -> NDArray[np.intp]:
    """Return code 0 for each label, and a code for missing values."""
    parts = np.zeros(n_labels + 1, dtype=np.intp)
    parts[-1] = missing
    parts.flags.writeable = False
    return parts


def as_ordered(column: Values) -> NDArray[np.float64]:
    """Read a column's labels as numbers; booleans are 0 and 1."""
    if isinstance(column.labels, np.ndarray):
        return column.labels
    if (label := next((label for label in column.labels if not is_numeric(label)), None)) is not None:
        raise DataError(
            f"Column {column.name!r} was numeric in training and now holds {label!r}; numbers are expected."
        )
    return np.array(column.labels, dtype=np.float64)
