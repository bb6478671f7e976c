"""A model turns counts into tables, and tables into beliefs, one column at a time."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Model", "Tables"]


@dataclass(frozen=True)
class Tables:
    """What a model has learnt from the fitting rows.

    Attributes
    ----------
    start : array of shape (n_classes,)
        The belief before any column speaks.
    entries : array of shape (offsets[-1], n_classes)
        What each code of each column says; the last code of a column is *unseen*.
    offsets : int64 array of shape (n_columns + 1,)
        Column j owns the rows ``offsets[j]:offsets[j + 1]`` of ``entries``.
    """

    start: NDArray[Any]
    entries: NDArray[Any]
    offsets: NDArray[np.int64]

    def column(self, j: int) -> NDArray[Any]:
        """Return one column's table, shape (n_codes, n_classes)."""
        return self.entries[self.offsets[j] : self.offsets[j + 1]]


class Model(Protocol):
    """How a column changes a belief.

    ``State`` is the model's own: one belief a row, in whatever form the model adds to.
    """

    @property
    def kernel(self) -> str:
        """What a compiled engine must be able to add up."""
        ...

    def learn(
        self, counts: NDArray[np.int64], offsets: NDArray[np.int64], mass: NDArray[np.int64], unit: float
    ) -> Tables:
        """Return tables from the weight of each code and class, and of each class; weights are in ``unit``."""
        ...

    def begin(self, start: NDArray[Any], n_rows: int) -> Any:
        """Return the state in which no column has spoken."""
        ...

    def shift(self, state: Any, table: NDArray[Any], codes: NDArray[Any], before: float, after: float) -> Any:
        """Return the state with one column's weight changed; ``state`` itself stays as it is."""
        ...

    def beliefs(self, state: Any) -> Any:
        """Return the state in the form that criteria score."""
        ...
