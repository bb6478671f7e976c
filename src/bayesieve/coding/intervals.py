"""Partitions of an ordered column into intervals."""

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
    """Intervals (-inf, b1], (b1, b2], ..., (bm, inf), then bins of special values, then the bin of missing values.

    Attributes
    ----------
    bounds : float64 array
        The inner bounds, increasing.
    missing : bool
        Whether missing values have a bin of their own.
    joined : int or None
        The interval of missing values if they have no bin of their own; None if the training rows have none.
    special : tuple of float
        Values that have a bin each instead of being in an interval.
    scale : Scale
        The scale of the numbers.
    counts : array of shape (n_bins, n_classes), or None
        Weight of each bin in each class, in the training rows.
    level : float or None
        The share of the null model's cost that the partition saves; None if the coding rule has no cost.
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
        """Number of bins, the one of missing values included."""
        return len(self.bounds) + 1 + len(self.special) + self.missing

    def bins_of(self, column: Values) -> NDArray[np.intp]:
        """Return the code of each label, and last that of a missing value."""
        if not len(self.bounds) and not self.special and isinstance(column.labels, np.ndarray):
            # The most frequent case in wide tables
            return single_bin(len(column.labels), 1 if self.missing or self.joined is None else self.joined)
        labels, n_bins = as_ordered(column), self.n_bins
        codes = np.empty(len(labels) + 1, dtype=np.intp)
        codes[:-1] = self.bounds.searchsorted(labels)
        for k, value in enumerate(self.special, len(self.bounds) + 1):
            codes[:-1][labels == value] = k
        unseen = n_bins if self.joined is None else self.joined
        codes[-1] = n_bins - 1 if self.missing else unseen
        return codes

    def code_numbers(self, numbers: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the code of each number, NaN is missing: as ``bins_of``, for many different numbers."""
        codes = self.bounds.searchsorted(numbers)
        for k, value in enumerate(self.special, len(self.bounds) + 1):
            codes[numbers == value] = k
        unseen = self.n_bins if self.joined is None else self.joined
        codes[np.isnan(numbers)] = self.n_bins - 1 if self.missing else unseen
        return codes

    def describe(self, code: int) -> str:
        """Return the description of a bin."""
        if code >= self.n_bins:
            return "unseen"
        if self.missing and code == self.n_bins - 1:
            return "missing"
        if code > len(self.bounds):
            return f"= {self.scale.words(self.special[code - len(self.bounds) - 1])}"
        low = f"> {self.scale.words(self.bounds[code - 1])}" if code else ""
        high = f"<= {self.scale.words(self.bounds[code])}" if code < len(self.bounds) else ""
        words = " and ".join(side for side in (low, high) if side) or "any value"
        return f"{words} or missing" if code == self.joined else words


@lru_cache(maxsize=64)
def single_bin(n_labels: int, missing: int) -> NDArray[np.intp]:
    """Return code 0 for each label, and a code for missing values."""
    codes = np.zeros(n_labels + 1, dtype=np.intp)
    codes[-1] = missing
    codes.flags.writeable = False
    return codes


def as_ordered(column: Values) -> NDArray[np.float64]:
    """Return a column's labels as numbers; booleans are 0 and 1."""
    if isinstance(column.labels, np.ndarray):
        return column.labels
    if (label := next((label for label in column.labels if not is_numeric(label)), None)) is not None:
        raise DataError(
            f"Column {column.name!r} was numeric in training and now holds {label!r}; numbers are expected."
        )
    return np.array(column.labels, dtype=np.float64)
