# SPDX-License-Identifier: BSD-3-Clause
"""The order of classes while a model is trained, and models and bins in the order of the labels.

What classes are called may not matter. While a model is trained its classes have the order of their weight, the
largest first. Of classes with the same weight the finest bins of all columns decide: each bin counts by its weight, its
weight in the class and, if it has a place, by the distance of that place from the middle. So neither names nor the
order of rows and columns matter, nor what categories are called, nor whether a column is reversed or there twice.
Classes that are equal in all of this keep the order of their labels, which then shows in rounding alone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins import FinestBins, Groups, Partition, with_classes
from bayesieve.exact import scrambled
from bayesieve.fit.learning import LearningOptions
from bayesieve.fit.rows import TrainingRows
from bayesieve.fit.selection import Candidate, FittedModels
from bayesieve.models import Scorecard

__all__ = ["ModelsByLabel", "PartitionsByLabel", "order_classes"]

Rows = TypeVar("Rows", bound=TrainingRows)


def order_classes(rows: Rows) -> Rows:
    """Return the rows with their classes in an order on which names have no influence."""
    mass = rows.class_mass
    order = np.argsort(-mass, kind="stable")
    if len(np.unique(mass)) < len(mass):
        order = np.lexsort((_signatures(rows), -mass))
    return rows if (order == np.arange(len(order))).all() else rows.renumbered(order)


def _signatures(rows: TrainingRows) -> Ints:
    """Return a number for each class, made of the counts of the finest bins."""
    learned = rows.learn_bins(LearningOptions(FinestBins()))
    of_columns = set[bytes]()  # a copy of a column, or one of a single bin, must not matter
    for partition, counts in zip(learned.folds[-1].partitions, learned.folds[-1].counts, strict=True):
        own = counts[: partition.n_bins].astype(np.uint64)
        bins = scrambled(own.sum(axis=1), _places(partition, counts[: partition.n_bins].sum(axis=1)))
        if len(own) > 1:
            of_columns.add(scrambled(own, bins[:, None]).sum(axis=0).tobytes())
    found = np.frombuffer(b"".join(of_columns), dtype=np.uint64).reshape(len(of_columns), len(rows.class_mass))
    signatures: Ints = (found.sum(axis=0, dtype=np.uint64) >> np.uint64(1)).astype(np.int64)
    return signatures


def _places(partition: Partition, mass: Ints) -> NDArray[np.uint64]:
    """Return how far from the middle each bin is, in weight; 1 for bins without a place."""
    if isinstance(partition, Groups):
        return np.ones(len(mass), dtype=np.uint64)
    n_ordered = len(mass) - bool(getattr(partition, "missing", False))
    ordered = mass[:n_ordered]
    distances = np.abs(2 * np.cumsum(ordered) - ordered - ordered.sum())
    return np.append(distances + 2, np.ones(len(mass) - n_ordered, dtype=np.int64)).astype(np.uint64)


@dataclass(frozen=True)
class ModelsByLabel:
    """Models whose classes are in the order of the labels, given those of a training.

    Attributes
    ----------
    models : FittedModels
        The models of a training.
    class_numbers : int array of shape (n_classes,)
        The number of each class in them, in increasing order of the labels.
    """

    models: FittedModels
    class_numbers: NDArray[np.intp]
    _made: dict[tuple[str, ...], Scorecard] = field(default_factory=dict, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without models that can be made again."""
        return {**self.__dict__, "_made": {}}

    def scorecard(self, candidate: Candidate) -> Scorecard:
        """Return the model of a candidate, whose own pairs have the order of the labels."""
        if candidate.columns not in self._made:
            card = self.models.scorecard(replace(candidate, pairs=()))
            self._made[candidate.columns] = card.of_classes(self.class_numbers)
        made = self._made[candidate.columns]
        return replace(made, pairs=candidate.pairs) if candidate.pairs else made


@dataclass(frozen=True, eq=False)
class PartitionsByLabel(Mapping[str, Partition]):
    """Bins by column, with their counts in the order of the labels."""

    partitions: Mapping[str, Partition]
    class_numbers: NDArray[np.intp]

    def __getitem__(self, name: str) -> Partition:
        partition: Partition = with_classes(self.partitions[name], self.class_numbers)
        return partition

    def __iter__(self) -> Iterator[str]:
        return iter(self.partitions)

    def __len__(self) -> int:
        return len(self.partitions)
