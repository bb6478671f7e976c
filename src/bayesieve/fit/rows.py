# SPDX-License-Identifier: BSD-3-Clause
"""The one door for training rows, wherever they are."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve.data import Table
from bayesieve.fit.options import Splitter, TrainingOptions
from bayesieve.fit.problem_data import ProblemData

__all__ = ["TrainingRows"]


class TrainingRows(Protocol):
    """Rows with a target and weights: in memory (`MemoryRows`) or in blocks (`BlockedRows`)."""

    @property
    def example(self) -> Any:
        """The user's table, or the same without rows."""
        ...

    @property
    def head(self) -> Table:
        """A table with the names and types of the columns, and some first rows at least."""
        ...

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        ...

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        ...

    @property
    def classes(self) -> NDArray[Any]:
        """Class labels, in order."""
        ...

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        ...

    @property
    def unit(self) -> float:
        """The unit of the weights."""
        ...

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        """Number of rows of positive weight in each class."""
        ...

    @property
    def class_mass(self) -> NDArray[np.int64]:
        """Weight of each class, in units."""
        ...

    @property
    def has_validation_rows(self) -> bool:
        """Whether validation rows of another table are given."""
        ...

    def fold_of_rows(self, splitter: Splitter | None, groups: ArrayLike | None) -> NDArray[np.int64] | None:
        """Return the fold of each row, in the order of the coded rows; None without a splitter."""
        ...

    def with_benefits(self, matrix: ArrayLike | None, benefits: ArrayLike | None) -> "TrainingRows":
        """Return the rows with the benefits of actions: one matrix for all rows, or one per row."""
        ...

    def learn(self, options: TrainingOptions, groups: ArrayLike | None) -> ProblemData:
        """Divide the rows into folds, learn bins and tables of each fold, and code the validation rows."""
        ...
