"""Criteria that see the order of rows only: each class against the rest, and the rows of equal keys together.

What a block of rows has at each key merges with what others have, and the measure of all follows from that alone.
"""

from abc import ABC, abstractmethod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve.criteria.base import Beliefs, Criterion, Measure

__all__ = ["RankCriterion", "RankMeasures", "ranked_classes", "tie_rows"]

Ints = NDArray[np.int64]


class RankCriterion(Criterion, Protocol):
    """A criterion of ranks."""

    def measure_ties(self, ties: Ints) -> int:
        """Return the measure of a class, given the weight of the rest and of the class at each key, in order."""
        ...


class RankMeasures(ABC):
    """Measures a class after the other; of two classes, the second only."""

    additive = False

    def measure(self, beliefs: Beliefs, target: NDArray[np.int32], weights: Ints, n_classes: int) -> Measure:
        """Return the measure of each class."""
        classes = ranked_classes(n_classes)
        return tuple(self.measure_ties(tie_rows(beliefs.rank_keys(c), target == c, weights)[1]) for c in classes)

    @abstractmethod
    def measure_ties(self, ties: Ints) -> int:
        """Return the measure of a class, given the weight of the rest and of the class at each key, in order."""


def ranked_classes(n_classes: int) -> range:
    """Return the classes that are measured."""
    return range(1, 2) if n_classes == 2 else range(n_classes)


def tie_rows(keys: Ints, positive: NDArray[np.bool_], weights: Ints) -> tuple[Ints, Ints]:
    """Return the distinct keys in order, and the weight of negative and positive rows at each: shape (n_keys, 2)."""
    distinct, place = np.unique(keys, return_inverse=True)
    ties = np.zeros((len(distinct), 2), dtype=np.int64)
    np.add.at(ties, (place.ravel(), positive.astype(np.intp)), weights)
    return distinct, ties
