# SPDX-License-Identifier: BSD-3-Clause
"""Scorecards of every size on the path: shapes with merged bins, made when they are asked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Floats, Ints
from bayesieve.additive.constants import DECIMALS, ERROR_DECIMALS
from bayesieve.additive.loss import Loss, loss_of_classes
from bayesieve.additive.members import PairFit
from bayesieve.additive.merge import MergedColumn
from bayesieve.additive.number_losses import Squared
from bayesieve.additive.sizes import SizeFit
from bayesieve.bins import Partition, merge_bins, n_mergeable
from bayesieve.exact import in_nats, ordered_sum, to_fixed
from bayesieve.models import PairTable, Scorecard, ScoreTable
from bayesieve.models.model import HeldOutScores
from bayesieve.models.number_scorecard import NumberScale, NumberScorecard
from bayesieve.search import Exclusion, Gains, KeptShare, SelectionPath, Visit

__all__ = ["FittedScorecards", "NamedPair", "SizeModel", "TrainedScorecard"]


class _Candidate(Protocol):
    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in the order in which they entered."""
        ...


@dataclass(frozen=True)
class NamedPair:
    """The table of a pair, the names of its columns, their bins, the weight of each class in its cells, and errors.

    ``bins`` holds the bin of each of the finest bins of both columns; ``errors`` are the standard errors of cells.
    """

    names: tuple[str, str]
    fit: PairFit
    bins: tuple[Ints, Ints]
    counts: NDArray[Any]
    errors: Floats | None = None


@dataclass(frozen=True)
class SizeModel:
    """Intercepts, merged bins with scores for each column, tables of pairs, and standard errors of the intercepts."""

    intercept: Floats
    columns: Mapping[str, MergedColumn]
    pairs: tuple[NamedPair, ...] = ()
    errors: Floats | None = None


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
    prior_shift : int64 array of shape (n_classes,), or None
        What another class prior adds to the start.
    neutral : tuple of str
        Columns with missing values that are neutral.
    scale : NumberScale or None
        What scores are, of a target that is a number.
    held : tuple of str
        Columns with points that are set: these are points of the model as they are.
    pair_partitions : mapping of str to Partition, or None
        The bins of which those of pairs are unions; None for those of the columns.
    """

    classes: NDArray[Any]
    class_mass: tuple[float, ...]
    partitions: Mapping[str, Partition]
    models: Mapping[tuple[str, ...], SizeModel]
    prior_shift: Ints | None = None
    neutral: tuple[str, ...] = ()
    scale: NumberScale | None = None
    held: tuple[str, ...] = ()
    pair_partitions: Mapping[str, Partition] | None = None
    _made: dict[tuple[str, ...], Scorecard] = field(default_factory=dict, repr=False, compare=False)

    @property
    def loss(self) -> Loss:
        """What was minimized."""
        return loss_of_classes(len(self.classes)) if self.scale is None else Squared(self.scale)

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
            pairs = [self._pair_table(pair) for pair in model.pairs]
            levels = [self._center_column(table) for table in tables]
            levels += [_center(pair.table[:-1, :-1], pair.cell_mass) for pair in pairs]
            start: Ints = sum(levels, to_fixed(self.loss.class_scores(model.intercept)))
            if self.prior_shift is not None:
                start = start + self.prior_shift
            errors = None if model.errors is None else _rounded(self.loss.class_scores(model.errors))
            parts = self.classes, start, tuple(tables), self.class_mass
            if self.scale is None:
                shift = self.prior_shift
                card = Scorecard(*parts, laplace=True, shift=shift, pairs=tuple(pairs), start_errors=errors)
            else:
                card = NumberScorecard(*parts, laplace=False, pairs=tuple(pairs), start_errors=errors, scale=self.scale)
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
        table = ScoreTable(name, merged, to_fixed(scores), 1.0, getattr(merged, "counts", None))
        if column.errors is None:
            return table
        errors: Floats = np.zeros_like(scores)
        errors[new[: len(column.bins)]] = self.loss.class_scores(column.errors[column.bins])
        mass = table.bin_mass
        if name in self.neutral:
            errors[-2] = _mean(mass[:-1], errors[:-2] ** 2) ** 0.5
        errors[-1] = _unseen_error(mass, scores[:-1], errors[:-1])
        return replace(table, errors=_rounded(errors))

    def _center_column(self, table: ScoreTable) -> Ints:
        """Center a table, and return its level; neutral missing values, whose bin is the last, then have 0."""
        if table.name in self.held:
            return np.zeros_like(table.table[0])
        if table.name not in self.neutral:
            return _center(table.table[:-1], table.bin_mass)
        level = _center(table.table[:-2], table.bin_mass[:-1])
        table.table[-2] = 0
        return level

    def _pair_table(self, pair: NamedPair) -> PairTable:
        named = zip(pair.names, pair.bins, strict=True)
        finest = self.partitions if self.pair_partitions is None else self.pair_partitions
        partitions = [_merged_partition(finest[name], own)[0] for name, own in named]
        n_a, n_b = pair.fit.table.shape[:2]
        cells = to_fixed(self.loss.class_scores(pair.fit.table))
        table = np.zeros((n_a + 1, n_b + 1, cells.shape[2]), dtype=np.int64)
        table[:-1, :-1] = cells
        factor, gain = (None if np.isnan(each) else each for each in (pair.fit.log_bayes_factor, pair.fit.gain))
        return PairTable(
            pair.names, (partitions[0], partitions[1]), table, pair.counts, factor, gain, self._pair_errors(pair)
        )

    def _pair_errors(self, pair: NamedPair) -> Floats | None:
        """Return the standard errors of a pair's entries."""
        if pair.errors is None:
            return None
        own, scores = self.loss.class_scores(pair.errors), self.loss.class_scores(pair.fit.table)
        mass, n_classes = pair.counts.sum(axis=2).ravel(), own.shape[2]
        errors = np.empty((own.shape[0] + 1, own.shape[1] + 1, n_classes))
        errors[:] = _unseen_error(mass, scores.reshape(-1, n_classes), own.reshape(-1, n_classes))
        errors[:-1, :-1] = own
        return _rounded(errors)


def _center(entries: Ints, mass: NDArray[Any]) -> Ints:
    """Take the mean over the training rows, rounded as points are, out of the entries of a term, and return it.

    The intercept takes it, so that scores of rows stay the same to the last bit; only values that training did not
    have, which add nothing, now add what is the mean.
    """
    shares = np.asarray(mass, dtype=np.float64).ravel() / float(mass.sum())
    means = ordered_sum(shares[:, None] * in_nats(entries.reshape(len(shares), -1)), 0)
    level = to_fixed(np.round(means, DECIMALS))
    entries -= level
    return level


def _mean(mass: NDArray[Any], values: Floats) -> Floats:
    """Return the mean over rows of values per bin, shape (n_bins, n_classes)."""
    shares = np.asarray(mass, dtype=np.float64) / float(mass.sum())
    return ordered_sum(shares[:, None] * values, 0)


def _unseen_error(mass: NDArray[Any], scores: Floats, errors: Floats) -> Floats:
    """Return the standard error of a bin that training did not have: the effect of any row's bin could be its own."""
    return np.asarray(_mean(mass, (scores - _mean(mass, scores)) ** 2 + errors**2) ** 0.5)


def _rounded(errors: Floats) -> Floats:
    return np.asarray(np.round(errors, ERROR_DECIMALS) + 0.0)


def _merged_partition(partition: Partition, bins: Ints) -> tuple[Partition, NDArray[np.intp]]:
    """Return the partition into merged bins, in the order of their numbers, and the new code of each old one."""
    numbers = bins[: n_mergeable(partition)]
    return merge_bins(partition, [np.flatnonzero(numbers == number).tolist() for number in np.unique(numbers)])


@dataclass(frozen=True)
class TrainedScorecard:
    """The result of training.

    Attributes
    ----------
    path : SelectionPath
        The sizes that were visited, with their out-of-fold scores.
    visit : Visit
        The one that is selected.
    sizes : mapping of the names of columns to SizeFit
        The fit of each size.
    fitted : FittedScorecards
        Models of all sizes.
    held_out : callable
        Returns the out-of-fold scores of each fold, given the names of the columns of a size.
    gains : Gains or None
        What columns gain; None if training was stopped.
    exclusions : mapping of str to Exclusion
        Why columns are left out.
    shares : tuple of KeptShare
        What each size on the path keeps of the gain of the largest.
    """

    path: SelectionPath
    visit: Visit
    sizes: Mapping[tuple[str, ...], SizeFit]
    fitted: FittedScorecards
    held_out: Callable[[tuple[str, ...]], list[HeldOutScores]]
    gains: Gains | None
    exclusions: Mapping[str, Exclusion]
    shares: tuple[KeptShare, ...]
