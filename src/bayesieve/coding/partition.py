"""What a column's codes mean: the parts of its values.

The codes of a partition with B parts are 0 .. B-1 (the missing part, if it is its own, is the last). Code B means
*never seen in training*: a new value, or a missing value where training had none. It carries no evidence.
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
    """The parts of one column, and the way from values to codes."""

    @property
    def n_bins(self) -> int:
        """Number of parts, the missing part included."""
        ...

    @property
    def level(self) -> float | None:
        """The share of the null model's cost that the partition saves; None where a rule has no cost."""
        ...

    def bins_of(self, column: Values) -> NDArray[np.intp]:
        """Return the code of each label of a column, and last the code of a missing value.

        ``parts[column.ids]`` are the codes of the rows.
        """
        ...

    def describe(self, code: int) -> str:
        """Return a part in words."""
        ...


def with_counts(partition: Any, counts: Counts, unit: float = 1.0) -> Any:
    """Return the partition with the weight of each part in each class, where it has a place for that."""
    return replace(partition, counts=in_weights(counts, unit)) if hasattr(partition, "counts") else partition


def in_weights(counts: Counts, unit: float) -> Counts:
    """Return counts of units as weights: whole numbers where the unit is one."""
    return counts * np.float64(unit) if unit % 1 else counts * int(unit)


def with_scale(partition: Any, scale: Scale) -> Any:
    """Return the partition of a column of dates and the like so that it shows them as such."""
    if scale is Scale.numeric or not hasattr(partition, "scale"):
        return partition
    return replace(partition, scale=scale)


def on_borders(partition: Any, column: Values) -> Any:
    """Return the partition with its bounds on the borders between the ranges that the labels of a column stand for."""
    if column.borders is None or partition.n_bins == 1:
        return partition
    if not hasattr(partition, "bounds"):
        raise DataError(f"Column {column.name!r} has too many different numbers for a part each; give a discretizer.")
    places = np.asarray(column.labels).searchsorted(partition.bounds, side="right") - 1
    return replace(partition, bounds=column.borders[places])


def is_numeric(value: Any) -> bool:
    """Tell numbers and booleans from text."""
    return type(value) in (float, int, bool) or is_number(value) or isinstance(value, np.bool_)
