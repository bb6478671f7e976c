"""Rows with a target and weights, and how they are divided into fitting rows and scored rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import Table, Target, Weights, add_by_class

__all__ = ["Fold", "MemoryRows", "scored_weight"]

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class MemoryRows:
    """A table, its target and its weights; what actions bring, where a criterion asks."""

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


@dataclass(frozen=True)
class Fold:
    """Which rows of a sample tables are learnt from, and which they are scored on: rows of it, or another sample."""

    fitting: Rows
    scored: Rows | MemoryRows


def scored_weight(sample: MemoryRows, folds: Sequence[Fold]) -> float:
    """Return the weight of the rows that are scored; those that several folds score count once."""
    own = [fold.scored for fold in folds if not isinstance(fold.scored, MemoryRows)]
    scored = np.unique(np.concatenate(own)) if own else np.empty(0, dtype=np.intp)
    weight = int(sample.weights.units[scored].sum()) * sample.weights.unit
    others = (fold.scored.weights for fold in folds if isinstance(fold.scored, MemoryRows))
    return weight + sum(int(given.units.sum()) * given.unit for given in others)
