# SPDX-License-Identifier: BSD-3-Clause
"""Criteria that depend only on the order of rows: each class against the rest, with ties.

The weights of a block of rows at each key are merged with those of other blocks, and determine the measure of all rows.
"""

from abc import ABC, abstractmethod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.search.criteria.base import Criterion, Measure, Predictions

__all__ = ["RankCriterion", "RankMeasures", "ranked_classes", "tie_rows"]


class RankCriterion(Criterion, Protocol):
    """A criterion that depends on ranks only."""

    def measure_ties(self, ties: Ints) -> int:
        """Return the measure of a class, given the weight of the rest and of the class at each key, in order."""
        ...


class RankMeasures(ABC):
    """Measures each class against the rest; of two classes, only the second."""

    additive = False

    def measure(self, predictions: Predictions, target: NDArray[np.int32], weights: Ints, n_classes: int) -> Measure:
        """Return the measure of each class."""
        classes = ranked_classes(n_classes)
        return tuple(self.measure_ties(tie_rows(predictions.rank_keys(c), target == c, weights)[1]) for c in classes)

    @abstractmethod
    def measure_ties(self, ties: Ints) -> int:
        """Return the measure of a class, given the weight of the rest and of the class at each key, in order."""


def ranked_classes(n_classes: int) -> range:
    """Return the classes that are measured against the rest."""
    return range(1, 2) if n_classes == 2 else range(n_classes)


def tie_rows(keys: Ints, positive: NDArray[np.bool_], weights: Ints) -> tuple[Ints, Ints]:
    """Return the distinct keys in order, and the weight of negative and positive rows at each: shape (n_keys, 2)."""
    distinct, place = np.unique(keys, return_inverse=True)
    ties = np.zeros((len(distinct), 2), dtype=np.int64)
    np.add.at(ties, (place.ravel(), positive.astype(np.intp)), weights)
    return distinct, ties
