# SPDX-License-Identifier: BSD-3-Clause
"""A table with its target and its weights."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data.column_batch import ColumnBatch
from bayesieve.data.table import Table
from bayesieve.data.target import Target, Weights, add_by_class

__all__ = ["LabeledRows"]

_MOST_COUNTS = 1 << 20  # of a batch: 8 MiB


@dataclass(frozen=True)
class LabeledRows:
    """A table, its target and its weights; the benefits of actions, where a criterion needs them."""

    table: Table
    target: Target
    weights: Weights
    benefits: NDArray[np.float64] | None = None

    @property
    def head(self) -> Table:
        """A table with the names and types of the columns."""
        return self.table

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return self.table.names

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    @property
    def classes(self) -> NDArray[Any]:
        """Class labels, in order."""
        return self.target.classes

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.target.n_classes

    @property
    def unit(self) -> float:
        """The unit of the weights."""
        return self.weights.unit

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        """Number of rows of positive weight in each class."""
        return np.bincount(self.target.codes[self.weights.units > 0], minlength=self.n_classes)

    @property
    def class_mass(self) -> NDArray[np.int64]:
        """Weight of each class, in units."""
        return add_by_class(self.target.codes, self.weights.units, self.n_classes)

    def batches(self, n_strata: int, n_threads: int = 1) -> Iterator[tuple[int, ColumnBatch]]:
        """Read some columns at a time, so few that the counts of their labels in each stratum fit in 8 MiB."""
        return self.table.batches(n_threads, n_labels=_MOST_COUNTS // n_strata)
