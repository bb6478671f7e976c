# SPDX-License-Identifier: BSD-3-Clause
"""The result of training: what a method came to, a candidate per size, and the model of each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesieve._typing import Ints
from bayesieve.bins import Partition
from bayesieve.decisions import Calibration, Threshold
from bayesieve.exceptions import ParameterError
from bayesieve.fit.coded_folds import CandidateScorer
from bayesieve.models import BoostedModel, Boosting, Model, PairTable, Scorecard, ScoreTable, VoteModel, Votes
from bayesieve.search import SelectionPath, Visit, WeightedSubset
from bayesieve.search.path import Exclusion, Gains, KeptShare

__all__ = [
    "BoostingStep",
    "Candidate",
    "FittedColumns",
    "FittedModels",
    "Outcome",
    "Selection",
    "SubsetWeights",
    "Trained",
]


@dataclass(frozen=True)
class BoostingStep:
    """A step of a boosted model: its column, how far it goes, and what it adds to the state per bin."""

    column: str
    alpha: float
    table: Ints


@dataclass(frozen=True, eq=False)
class SubsetWeights(Mapping[str, float]):
    """Weight of each column of a subset, in the order of the table, by name; a path of 1,000 columns has 1,000 of them.

    ``names`` are those of all columns, ``columns`` the positions of those that have these ``weights``.
    """

    names: Sequence[str]
    columns: tuple[int, ...]
    weights: tuple[float, ...]

    @cached_property
    def _by_name(self) -> dict[str, float]:
        return {self.names[j]: weight for j, weight in sorted(zip(self.columns, self.weights, strict=True))}

    def __getitem__(self, name: str) -> float:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self.columns)


@dataclass(frozen=True)
class Candidate:
    """A subset of the columns that can be selected.

    Attributes
    ----------
    visit : Visit
        The columns in the order in which they entered, and their score.
    weights : mapping of str to float
        Weight of each column, in the order of the table.
    start : int64 array of shape (n_classes,), or None
        Log scores of the class frequencies, where the weights come with their own.
    threshold : Threshold
        How probabilities become a class.
    calibration : Calibration or None
        A map from scores to probabilities.
    steps : tuple of BoostingStep
        The steps of a boosted model; of other models, none.
    pairs : tuple of PairTable
        Tables of pairs of columns, which a scorecard adds to those of the columns.
    """

    visit: Visit
    weights: Mapping[str, float]
    start: Ints | None
    threshold: Threshold
    calibration: Calibration | None = None
    steps: tuple[BoostingStep, ...] = ()
    pairs: tuple[PairTable, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in the order in which they entered."""
        return self.visit.columns

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.visit.n_features


@dataclass(frozen=True)
class FittedColumns:
    """Unweighted score tables of all columns that a candidate has, learned from all rows.

    Attributes
    ----------
    model : Model
        What the tables are entries of.
    classes : array of shape (n_classes,)
        The class labels.
    class_mass : tuple of float
        Weight of the training rows of each class.
    start : int64 array
        Log scores of the class frequencies.
    tables : mapping of str to ScoreTable
        The tables by column.
    laplace : bool
        See `Scorecard`.
    prior_shift : int64 array of shape (n_classes,), or None
        What another class prior adds to the start.
    """

    model: Model
    classes: NDArray[Any]
    class_mass: tuple[float, ...]
    start: Ints
    tables: Mapping[str, ScoreTable]
    laplace: bool
    prior_shift: Ints | None

    def scorecard(self, candidate: Candidate) -> Scorecard:
        """Return the model of a candidate."""
        if isinstance(self.model, Boosting):
            return self._boosted(candidate, self.model)
        if isinstance(self.model, Votes):
            tables = tuple(self._beyond_start(self.tables[name]) for name in candidate.columns)
            return VoteModel(self.classes, self.start, tables, self.class_mass, laplace=False, rule=self.model.rule)
        tables = tuple(self.tables[name].weighted(weight) for name, weight in candidate.weights.items())
        start = self.start if candidate.start is None else candidate.start
        if self.prior_shift is not None:
            start = start + self.prior_shift
        return Scorecard(
            self.classes,
            start,
            tables,
            self.class_mass,
            self.laplace,
            candidate.calibration,
            self.prior_shift,
            candidate.pairs,
        )

    def _beyond_start(self, table: ScoreTable) -> ScoreTable:
        """Return what the votes of a column add to the class shares."""
        return replace(table, table=table.table - self.start)

    def _boosted(self, candidate: Candidate, model: Boosting) -> BoostedModel:
        sums: dict[str, Ints] = {}
        for step in candidate.steps:
            sums[step.column] = sums[step.column] + step.table if step.column in sums else step.table
        tables = tuple(replace(self.tables[name], table=table) for name, table in sums.items())
        return BoostedModel(self.classes, self.start, tables, self.class_mass, laplace=False, boosting=model)


class FittedModels(Protocol):
    """The model of every candidate."""

    def scorecard(self, candidate: Candidate) -> Scorecard:
        """Return the model of a candidate."""


@dataclass(frozen=True)
class Outcome:
    """What a method came to.

    Attributes
    ----------
    path : SelectionPath
        Its record.
    visit : Visit
        The best subset.
    subsets : mapping from the columns of a visit to WeightedSubset
        The weights of the subsets that can be selected.
    scorer : callable
        Returns what scores the validation rows by candidates.
    gains : Gains or None
        What columns gain; None if the search was stopped.
    exclusions : mapping of str to Exclusion
        Columns that were left out for a reason of the method's own.
    shares : tuple of KeptShare
        What sizes keep of the gain of the largest, where this decides about the size.
    """

    path: SelectionPath
    visit: Visit
    subsets: Mapping[tuple[str, ...], WeightedSubset]
    scorer: Callable[[], CandidateScorer]
    gains: Gains | None = None
    exclusions: Mapping[str, Exclusion] = field(default_factory=dict)
    shares: tuple[KeptShare, ...] = ()

    @property
    def candidates(self) -> dict[tuple[str, ...], Visit]:
        """The best visit of each size that has weights, by increasing size; and the best subset of all."""
        visits = [*self.path.best_by_size().values(), self.visit]
        return {visit.columns: visit for visit in visits if visit.columns in self.subsets}


@dataclass(frozen=True)
class Trained:
    """An outcome, the models of its candidates, and what else these have.

    Attributes
    ----------
    outcome : Outcome
        The path and the weights of subsets.
    fitted : FittedModels
        The models of all candidates.
    partitions : mapping of str to Partition
        The bins of each column that a candidate has, for display.
    calibrations : mapping of columns to Calibration
        Maps from scores to probabilities.
    steps : mapping of columns to tuple of BoostingStep
        The steps of boosted models.
    """

    outcome: Outcome
    fitted: FittedModels
    partitions: Mapping[str, Partition]
    calibrations: Mapping[tuple[str, ...], Calibration] = field(default_factory=dict)
    steps: Mapping[tuple[str, ...], tuple[BoostingStep, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Selection:
    """What training came to.

    Attributes
    ----------
    names : tuple of str
        Names of all columns of the training table.
    ordered : bool array of shape (n_columns,)
        Whether each column's values have an order.
    path : SelectionPath
        Every step of the search; ``path.order`` are the columns of ``best``.
    candidates : mapping of columns to Candidate
        The subsets that can be selected.
    best : Candidate
        The selected one.
    cv_results : dict of arrays
        Scores of the best subset of each visited size.
    partitions : mapping of str to Partition
        The bins of each column that a candidate has, for display.
    fitted : FittedModels or None
        The models of all candidates; None where only the best one was kept.
    gains : Gains or None
        What columns gain alone and given the others.
    exclusions : mapping of str to Exclusion
        Columns that were left out for a reason of the method's own.
    reasons : mapping of str to dict
        Why each column was selected, or not.
    shares : tuple of KeptShare
        Of a scorecard, how much of the gain of the largest size on the path, which mostly has all columns, each size
        keeps, with the standard error; none if the model comes from a file or has all columns.
    """

    names: tuple[str, ...]
    ordered: NDArray[np.bool_]
    path: SelectionPath
    candidates: Mapping[tuple[str, ...], Candidate]
    best: Candidate
    cv_results: Mapping[str, Any] = field(default_factory=dict, repr=False)
    partitions: Mapping[str, Partition] = field(default_factory=dict, repr=False)
    fitted: FittedModels | None = field(default=None, repr=False)
    gains: Gains | None = field(default=None, repr=False)
    exclusions: Mapping[str, Exclusion] = field(default_factory=dict, repr=False)
    reasons: Mapping[str, dict[str, Any]] = field(default_factory=dict, repr=False)
    shares: tuple[KeptShare, ...] = field(default=(), repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without tuples as keys, which skops cannot store."""
        return {**self.__dict__, "candidates": tuple(self.candidates.values())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        candidates = {candidate.columns: candidate for candidate in state["candidates"]}
        self.__dict__.update({**state, "candidates": candidates})

    def __repr__(self) -> str:
        selected = len(self.path.order)
        n_columns = len(self.names)
        return f"Selection({selected} of {n_columns} columns selected; {len(self.candidates)} subsets to choose from)"

    @cached_property
    def positions(self) -> dict[str, int]:
        """Position of each column in the table."""
        return {name: j for j, name in enumerate(self.names)}

    @cached_property
    def by_size(self) -> dict[int, Candidate]:
        """The best candidate of each visited size, by increasing size; of its own size, the selected one."""
        visits = self.path.best_by_size().items()
        best = {size: self.candidates[visit.columns] for size, visit in visits if visit.columns in self.candidates}
        return dict(sorted((best | {self.best.n_features: self.candidates.get(self.best.columns, self.best)}).items()))

    def of_size(self, k: int) -> Candidate:
        """Return the best candidate of k columns; raise if there is none."""
        if self.fitted is None:
            raise ParameterError(
                "This model comes from a file or is a simplified copy: it has one subset of columns; use the "
                "fitted model."
            )
        if k not in self.by_size:
            self.path.of_size(k)  # raises where no subset of that size was visited
            sizes = ", ".join(map(str, self.by_size))
            raise ParameterError(f"There are no weights for {k} columns; there are for {sizes}.")
        return self.by_size[k]

    def scorecard_of_size(self, k: int) -> Scorecard:
        """Return the model of the best candidate of k columns; raise if there is none."""
        candidate = self.of_size(k)
        assert self.fitted is not None
        return self.fitted.scorecard(candidate)

    def with_best(self, candidate: Candidate) -> "Selection":
        """Return the same with another candidate selected."""
        return replace(self, best=candidate, path=replace(self.path, order=candidate.columns))

    def without_others(self) -> "Selection":
        """Return the same with the selected candidate alone."""
        return replace(self, candidates={self.best.columns: self.best}, cv_results={}, fitted=None, gains=None)
