# SPDX-License-Identifier: BSD-3-Clause
"""A model turns counts into tables, and tables into predictions, one column at a time."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve.bins import Partition
from bayesieve.models.scorecard import Tables

__all__ = ["Model"]


class Model(Protocol):
    """How columns change the predictions of rows.

    The state is specific to the model: one entry per row, to which columns are added.
    """

    @property
    def kernel(self) -> str:
        """Name of the compiled kernel that adds up states."""
        ...

    @property
    def adds_evidence(self) -> bool:
        """Whether the state of a row is its evidence, to which columns add their scores."""
        ...

    def kernel_arguments(self, n_columns: int) -> NDArray[np.int64]:
        """Return the integer arguments of this kernel."""
        ...

    def learn(
        self,
        counts: NDArray[np.int64],
        offsets: NDArray[np.int64],
        mass: NDArray[np.int64],
        unit: float,
        partitions: Sequence[Partition] = (),
        n_threads: int = 1,
    ) -> Tables:
        """Return tables from the weight of each code and class, and of each class; weights are in ``unit``."""
        ...

    def start(self, mass: NDArray[np.int64], unit: float) -> NDArray[Any]:
        """Return the scores without any column, given the weight of each class."""
        ...

    def idle(self, tables: Tables, counts: NDArray[np.int64], unit: float) -> NDArray[np.bool_]:
        """Return which columns are so uninformative that searches can skip them."""
        ...

    def refuse(self, tables: Tables) -> None:
        """Raise if all columns together could overflow a state."""
        ...

    def begin(self, start: NDArray[Any], n_rows: int) -> Any:
        """Return the state without any column."""
        ...

    def shift(self, state: Any, j: int, table: NDArray[Any], codes: NDArray[Any], before: float, after: float) -> Any:
        """Return the state with the weight of column j changed; ``state`` itself is not changed."""
        ...

    def predictions(self, state: Any) -> Any:
        """Return the predictions of a state, which criteria score."""
        ...
