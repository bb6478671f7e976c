"""The partition of a column's values into bins, which gives its codes their meaning.

The codes of a partition with B bins are 0 .. B-1; a separate bin of missing values is the last. Code B means *unseen*:
a value, or a missing value, that does not occur in the training rows. Its weight of evidence is 0.
"""

from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import Scale, Values, is_number
from bayesieve.exceptions import DataError

__all__ = ["Counts", "Partition", "in_weights", "is_numeric", "on_borders", "with_counts", "with_scale"]

Counts = NDArray[np.int64] | NDArray[np.float64]


class Partition(Protocol):
    """The bins of one column, and the mapping from values to codes."""

    @property
    def n_bins(self) -> int:
        """Number of bins, the one of missing values included."""
        ...

    @property
    def level(self) -> float | None:
        """The share of the null model's cost that the partition saves; None if the coding rule has no cost."""
        ...

    def bins_of(self, column: Values) -> NDArray[np.intp]:
        """Return the code of each label of a column, and last the code of a missing value.

        ``bins_of(column)[column.ids]`` are the codes of the rows.
        """
        ...

    def describe(self, code: int) -> str:
        """Return the description of a bin."""
        ...


def with_counts(partition: Any, counts: Counts, unit: float = 1.0) -> Any:
    """Return the partition with the weight of each bin in each class, if it stores counts."""
    return replace(partition, counts=in_weights(counts, unit)) if hasattr(partition, "counts") else partition


def in_weights(counts: Counts, unit: float) -> Counts:
    """Return counts of units as weights: integers if the unit is an integer."""
    return counts * np.float64(unit) if unit % 1 else counts * int(unit)


def with_scale(partition: Any, scale: Scale) -> Any:
    """Return the partition with the scale of its column, so that dates and times are formatted as such."""
    if scale is Scale.numeric or not hasattr(partition, "scale"):
        return partition
    return replace(partition, scale=scale)


def on_borders(partition: Any, column: Values) -> Any:
    """Return the partition with its bounds moved to the borders between the ranges that the labels stand for."""
    if column.borders is None or partition.n_bins == 1:
        return partition
    if not hasattr(partition, "bounds"):
        raise DataError(f"Column {column.name!r} has too many distinct numbers for one bin each; set a discretizer.")
    places = np.asarray(column.labels).searchsorted(partition.bounds, side="right") - 1
    return replace(partition, bounds=column.borders[places])


def is_numeric(value: Any) -> bool:
    """Return whether a value is a number or a boolean."""
    return type(value) in (float, int, bool) or is_number(value) or isinstance(value, np.bool_)
