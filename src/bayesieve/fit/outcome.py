# SPDX-License-Identifier: BSD-3-Clause
"""What a search came to: its path, the weights of subsets, and what each column gains."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from bayesieve.fit.coded_folds import CandidateScorer, CodedFolds, ScoredRows
from bayesieve.fit.task import Task
from bayesieve.models import Model
from bayesieve.search import Exclusion, Gains, SelectionPath, Visit, WeightedSubset
from bayesieve.search.engine import Change, Engine

__all__ = ["Outcome", "scored_gains", "unit_weights"]


@dataclass(frozen=True)
class Outcome:
    """What a search came to.

    Attributes
    ----------
    path : SelectionPath
        Its record.
    visit : Visit
        The best subset.
    subsets : mapping from the columns of a visit to WeightedSubset
        The weights of the subsets that can be selected.
    segments : CodedFolds
        The rows on which the weights were found.
    pooled : bool
        Whether the segments are one set of rows, and not folds.
    gains : Gains or None
        What columns gain; None if the search was stopped.
    scored : callable or None
        Scores the validation rows by a candidate, where that is not one table per column.
    exclusions : mapping of str to Exclusion
        Columns that were left out for a reason of the method's own.
    """

    path: SelectionPath
    visit: Visit
    subsets: Mapping[tuple[str, ...], WeightedSubset]
    segments: CodedFolds
    pooled: bool = False
    gains: Gains | None = None
    scored: Callable[[WeightedSubset], list[ScoredRows]] | None = None
    exclusions: Mapping[str, Exclusion] = field(default_factory=dict)

    @property
    def candidates(self) -> dict[tuple[str, ...], Visit]:
        """The best visit of each size that has weights, by increasing size; and the best subset of all."""
        visits = [*self.path.best_by_size().values(), self.visit]
        return {visit.columns: visit for visit in visits if visit.columns in self.subsets}

    def scorer(self, model: Model) -> CandidateScorer:
        """Return what scores the rows by candidates."""
        return self.segments.scorer(model, joined=self.pooled or len(self.segments) == 1)


def unit_weights(task: Task, visits: Iterable[Visit]) -> dict[tuple[str, ...], WeightedSubset]:
    """Return for each visit weights of one."""
    position = {name: j for j, name in enumerate(task.space.names)}
    return {
        visit.columns: WeightedSubset(tuple(map(position.__getitem__, visit.columns)), (1.0,) * visit.n_features, None)
        for visit in visits
    }


def scored_gains(
    engine: Engine, task: Task, path: SelectionPath, weights: Mapping[int, float] | None = None
) -> Gains | None:
    """Score each group alone, and each change of the selected subset; None if the search was stopped.

    Selected columns have their weights (1 by default); others would enter at 1.
    """
    space, selected = task.space, set(path.order)
    if not path.complete or not space.groups:  # whoever stopped the search does not want to wait for reasons
        return None
    inside = np.array([space.names[group.columns[0]] in selected for group in space.groups])
    everything = np.arange(len(space.groups))
    empty = engine.reset({})
    alone = engine.score(space.moves("add", everything), exact=True)
    gains = np.zeros(len(space.groups))
    columns = [j for g in np.flatnonzero(inside) for j in space.groups[g].columns]
    present = {j: 1.0 for j in columns} if weights is None else {j: weights[j] for j in columns}
    base = engine.reset(present)
    outside, within = everything[~inside], everything[inside]
    if len(outside):
        gains[outside] = engine.score(space.moves("add", outside), exact=True) - base
    if len(within):
        drops = [tuple(Change(j, present[j], 0.0) for j in space.groups[g].columns) for g in within]
        gains[within] = base - engine.score(drops, exact=True)
    return Gains(empty, alone, gains)
