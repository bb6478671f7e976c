"""Scorecards of every size on the path: shapes with merged bins, made when they are asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve._native.elementary import to_fixed
from bayesieve._typing import Floats, Ints
from bayesieve.coding import Partition, merge_bins, n_mergeable
from bayesieve.models import Scorecard, ScoreTable
from bayesieve.training.selection import Candidate
from bayesieve.training.shapes.merged_bins import MergedColumn

__all__ = ["FittedShapes", "ShapeModel", "score_table"]


@dataclass(frozen=True)
class ShapeModel:
    """An intercept, and merged bins with scores for each column that has a visible effect."""

    intercept: float
    columns: Mapping[str, MergedColumn]


@dataclass(frozen=True)
class FittedShapes:
    """The models of all candidates.

    Attributes
    ----------
    classes : array of shape (2,)
        The class labels.
    class_mass : tuple of float
        Weight of the training rows of each class.
    partitions : mapping of str to Partition
        The finest bins of each column, with counts.
    models : mapping of columns to ShapeModel
        The model of each candidate.
    prior_shift : int64 array of shape (2,), or None
        What another class prior adds to the start.
    """

    classes: NDArray[Any]
    class_mass: tuple[float, ...]
    partitions: Mapping[str, Partition]
    models: Mapping[tuple[str, ...], ShapeModel]
    prior_shift: Ints | None = None
    _made: dict[tuple[str, ...], Scorecard] = field(default_factory=dict, repr=False, compare=False)

    def scorecard(self, candidate: Candidate) -> Scorecard:
        """Return the model of a candidate."""
        if candidate.columns not in self._made:
            model = self.models[candidate.columns]
            tables = [score_table(name, self.partitions[name], column) for name, column in model.columns.items()]
            start = to_fixed(np.array([0.0, model.intercept]))
            if self.prior_shift is not None:
                start = start + self.prior_shift
            self._made[candidate.columns] = Scorecard(self.classes, start, tuple(tables), self.class_mass, laplace=True)
        return self._made[candidate.columns]


def score_table(name: str, partition: Partition, column: MergedColumn) -> ScoreTable:
    """Return the table of a column: its merged bins, and the log-odds of the second class in each."""
    n_free = n_mergeable(partition)
    numbers = column.bins[:n_free]
    firsts = [int(np.flatnonzero(numbers == number)[0]) for number in np.unique(numbers)]
    order = sorted(range(len(firsts)), key=firsts.__getitem__)
    blocks = [np.flatnonzero(numbers == np.unique(numbers)[i]).tolist() for i in order]
    merged, new = merge_bins(partition, blocks)
    scores: Floats = np.zeros(merged.n_bins + 1)
    scores[new[: len(column.bins)]] = column.scores[column.bins]
    table = np.zeros((merged.n_bins + 1, 2), dtype=np.int64)
    table[:, 1] = to_fixed(scores)
    return ScoreTable(name, merged, table, 1.0, getattr(merged, "counts", None))
