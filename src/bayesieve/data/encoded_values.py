"""Dictionary-encoded values of a column, as categoricals are stored."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["EncodedValues"]


@dataclass(frozen=True)
class EncodedValues:
    """The possible entries, and each row's position among them, -1 if its value is missing."""

    entries: list[Any]
    positions: NDArray[np.integer[Any]]

    @property
    def occurring(self) -> NDArray[np.intp]:
        """Positions of the entries that occur in at least one row."""
        return np.flatnonzero(np.bincount(self.positions + 1, minlength=len(self.entries) + 1)[1:])

    def expand(self) -> NDArray[Any]:
        """Return each row's entry, None if it is missing."""
        entries = np.empty(len(self.entries) + 1, dtype=object)
        entries[:-1] = self.entries
        expanded: NDArray[Any] = entries[self.positions]
        return expanded
