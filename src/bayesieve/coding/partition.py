"""What a column's codes mean: the parts of its values.

The codes of a partition with B parts are 0 .. B-1 (the missing part, if it is its own, is the last). Code B means
*never seen in training*: a new value, or a missing value where training had none. It carries no evidence.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import Column, is_number

__all__ = ["Counts", "Partition", "is_numeric"]

Counts = NDArray[np.int64] | NDArray[np.float64]


class Partition(Protocol):
    """The parts of one column, and the way from values to codes."""

    @property
    def n_parts(self) -> int:
        """Number of parts, the missing part included."""
        ...

    def parts(self, column: Column) -> NDArray[np.intp]:
        """Return the code of each label of a column, and last the code of a missing value.

        ``parts[column.ids]`` are the codes of the rows.
        """
        ...

    def describe(self, code: int) -> str:
        """Return a part in words."""
        ...


def is_numeric(value: Any) -> bool:
    """Tell numbers and booleans from text."""
    return type(value) in (float, int, bool) or is_number(value) or isinstance(value, np.bool_)
