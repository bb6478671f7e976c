# SPDX-License-Identifier: BSD-3-Clause
"""Scorecards of every size on the path: shapes with merged bins, made when they are asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.additive.loss import Loss, loss_of_classes
from bayesieve.additive.members import PairFit
from bayesieve.additive.merge import MergedColumn
from bayesieve.bins import Partition, merge_bins, n_mergeable
from bayesieve.exact import to_fixed
from bayesieve.models import PairTable, Scorecard, ScoreTable

__all__ = ["FittedScorecards", "NamedPair", "SizeModel"]


class _Candidate(Protocol):
    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in the order in which they entered."""
        ...


@dataclass(frozen=True)
class NamedPair:
    """The table of a pair, the names of its columns, and the weight of each class in its cells."""

    names: tuple[str, str]
    fit: PairFit
    counts: NDArray[Any]


@dataclass(frozen=True)
class SizeModel:
    """Intercepts, merged bins with scores for each column, and tables of pairs."""

    intercept: Floats
    columns: Mapping[str, MergedColumn]
    pairs: tuple[NamedPair, ...] = ()


@dataclass(frozen=True)
class FittedScorecards:
    """The models of all candidates.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        The class labels.
    class_mass : tuple of float
        Weight of the training rows of each class.
    partitions : mapping of str to Partition
        The finest bins of each column, with counts.
    models : mapping of columns to SizeModel
        The model of each candidate.
    pair_bins : mapping of str to int array
        The pair bin of each finest bin of a column.
    prior_shift : int64 array of shape (n_classes,), or None
        What another class prior adds to the start.
    """

    classes: NDArray[Any]
    class_mass: tuple[float, ...]
    partitions: Mapping[str, Partition]
    models: Mapping[tuple[str, ...], SizeModel]
    pair_bins: Mapping[str, Ints]
    prior_shift: Ints | None = None
    _made: dict[tuple[str, ...], Scorecard] = field(default_factory=dict, repr=False, compare=False)

    @property
    def loss(self) -> Loss:
        """What was minimized."""
        return loss_of_classes(len(self.classes))

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without tuples as keys, which skops cannot store; scorecards are made again."""
        return {**self.__dict__, "models": tuple(self.models.items()), "_made": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({**state, "models": dict(state["models"])})

    def scorecard(self, candidate: _Candidate) -> Scorecard:
        """Return the model of a candidate."""
        if candidate.columns not in self._made:
            model = self.models[candidate.columns]
            tables = [self._table(name, column) for name, column in model.columns.items()]
            start = to_fixed(self.loss.class_scores(model.intercept))
            if self.prior_shift is not None:
                start = start + self.prior_shift
            pairs = tuple(self._pair_table(pair) for pair in model.pairs)
            card = Scorecard(self.classes, start, tuple(tables), self.class_mass, laplace=True, pairs=pairs)
            self._made[candidate.columns] = card
        return self._made[candidate.columns]

    def shown(self, best: tuple[str, ...]) -> dict[str, Partition]:
        """Return the merged bins of each column: those of the best candidate, else of the largest."""
        bins: dict[str, Ints] = {}
        for names in [best, *sorted(self.models, key=len, reverse=True)]:
            bins = {name: column.bins for name, column in self.models[names].columns.items()} | bins
        return {name: _merged_partition(self.partitions[name], own)[0] for name, own in bins.items()}

    def _table(self, name: str, column: MergedColumn) -> ScoreTable:
        """Return the table of a column: its merged bins, and the scores of all classes in each."""
        merged, new = _merged_partition(self.partitions[name], column.bins)
        entries = self.loss.class_scores(column.table)
        scores: Floats = np.zeros((merged.n_bins + 1, entries.shape[1]))
        scores[new[: len(column.bins)]] = entries
        return ScoreTable(name, merged, to_fixed(scores), 1.0, getattr(merged, "counts", None))

    def _pair_table(self, pair: NamedPair) -> PairTable:
        partitions = [_merged_partition(self.partitions[name], self.pair_bins[name])[0] for name in pair.names]
        n_a, n_b = pair.fit.table.shape[:2]
        cells = to_fixed(self.loss.class_scores(pair.fit.table))
        table = np.zeros((n_a + 1, n_b + 1, cells.shape[2]), dtype=np.int64)
        table[:-1, :-1] = cells
        factor, gain = (None if np.isnan(each) else each for each in (pair.fit.log_bayes_factor, pair.fit.gain))
        return PairTable(pair.names, (partitions[0], partitions[1]), table, pair.counts, factor, gain)


def _merged_partition(partition: Partition, bins: Ints) -> tuple[Partition, NDArray[np.intp]]:
    """Return the partition into merged bins, in the order of their numbers, and the new code of each old one."""
    numbers = bins[: n_mergeable(partition)]
    return merge_bins(partition, [np.flatnonzero(numbers == number).tolist() for number in np.unique(numbers)])
