"""Rows with a target and weights, and how they are divided into training rows and validation rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import Table, Target, Weights, add_by_class

__all__ = ["MOST_SAMPLED", "Fold", "LabeledRows", "sampled_rows", "scored_weight"]

Rows = NDArray[np.intp]

MOST_SAMPLED = 1000
"""Rows that are enough to measure how columns depend on each other."""


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


@dataclass(frozen=True)
class Fold:
    """Training rows and validation rows: both of the same table, or the latter of another one."""

    training: Rows
    validation: Rows | LabeledRows


def scored_weight(rows: LabeledRows, folds: Sequence[Fold]) -> float:
    """Return the weight of the validation rows; those of several folds count once."""
    own = [fold.validation for fold in folds if not isinstance(fold.validation, LabeledRows)]
    scored = np.unique(np.concatenate(own)) if own else np.empty(0, dtype=np.intp)
    weight = int(rows.weights.units[scored].sum()) * rows.weights.unit
    others = (fold.validation.weights for fold in folds if isinstance(fold.validation, LabeledRows))
    return weight + sum(int(given.units.sum()) * given.unit for given in others)


def sampled_rows(n_rows: int) -> Rows:
    """Return at most a thousand rows, evenly spread."""
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, MOST_SAMPLED)).astype(np.intp))
