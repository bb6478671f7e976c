# SPDX-License-Identifier: BSD-3-Clause
"""A search for a subset, and the weights of its columns: all 1, penalized, fractional or averaged."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesieve.fit.selection import Outcome
from bayesieve.fit.task import SearchTask, held_out
from bayesieve.models import AveragedBins
from bayesieve.search import (
    Averaging,
    Gains,
    PenalizedSearch,
    Phase,
    SearchRun,
    SearchState,
    SelectionPath,
    Visit,
    WeightedSubset,
    WeightPrior,
    column_penalties,
    fractional_weights,
    informative_share,
    newton_gains,
    run_search,
)
from bayesieve.search.criteria import SmoothedLogLoss
from bayesieve.search.engine import Change, Engine, Weighing, make_engine, make_weighing

__all__ = ["run_averaged", "run_fractional", "run_penalized", "run_subset", "scored_gains", "unit_weights"]

_SHOWN_STEPS: Final = 20  # of the greedy path, where no size is asked for
_FLAT_COST: Final = 10.0  # of a column whose bins are an average: no one partition has a cost


def run_subset(task: SearchTask, run: SearchRun) -> Outcome:
    """Run a search whose columns all have the weight 1."""
    assert task.search is not None
    engine = task.engine()
    chooser = task.method_options.choose_by
    state = SearchState(engine, task.space, run, None if chooser is None else task.engine(task.criterion_of(chooser)))
    path = run_search(task.search, state, task.stopping, task.criterion)
    visit = path.choose(task.stopping, one_se=task.method_options.one_se)
    subsets = unit_weights(task, [*path.best_by_size().values(), visit])
    gains = scored_gains(engine, task, replace(path, order=visit.columns))
    return Outcome(path, visit, subsets, task.scorer, gains=gains)


def run_penalized(task: SearchTask, run: SearchRun) -> Outcome:
    """Let penalized weights choose the columns; or fit the weights of the subsets on the path of a search."""
    outcome = None if task.search is None else run_subset(task, run)
    rows = held_out(task)
    scorer = partial(task.scorer, rows.segments, pooled=rows.pooled)
    weighing = make_weighing(rows.segments, rows.unit, task.options.backend, task.options.n_threads)
    weighing.reset(task.tables.start, np.zeros(task.n_columns))
    penalties = column_penalties(task.log_bayes_factors, informative_share(task.log_bayes_factors))[_places(task)]
    kept = [j for u in sorted(task.space.locked) for j in task.space.groups[u].columns]
    order = task.space.columns_by_content
    weights = PenalizedSearch(weighing, task.space.names, penalties, kept=kept, order=order, run=run)
    if outcome is not None:
        position = {name: j for j, name in enumerate(task.space.names)}
        subsets = {columns: weights.weigh([position[name] for name in columns]) for columns in outcome.subsets}
        return replace(outcome, subsets=subsets, scorer=scorer)
    alone = _alone(weighing, task.n_columns)
    began = [j for u in task.space.start for j in task.space.groups[u].columns]
    free = task.options.n_features in ("auto", "all") and not task.method_options.one_se and not task.method_options.tol
    largest = min(_SHOWN_STEPS, task.stopping.largest) if free else task.stopping.largest
    path = weights.run(lambda: weights.walk(began, largest), *([weights.fit_all] if free else []))
    visit = _last(path) if free and path.complete else path.choose(task.stopping, one_se=task.method_options.one_se)
    gains = _penalized_gains(weighing, weights.subsets[visit.columns], alone) if path.complete else None
    by_group = None if gains is None else _by_group(gains, task)
    return Outcome(path, visit, weights.subsets, scorer, by_group)


def run_fractional(task: SearchTask, run: SearchRun) -> Outcome:
    """Fit weights between 0 and 1 by steps that halve, of all columns or of those that a search selects.

    If the search was stopped, nothing is left of its time: the weights of its columns stay 1.
    """
    outcome = None if task.search is None else run_subset(task, run)
    if outcome is None:
        order = task.space.columns_by_content
        order = order[_are_probable(task)[order]]
    elif not outcome.path.complete:
        return outcome
    else:
        position = {name: j for j, name in enumerate(task.space.names)}
        order = np.array([position[name] for name in outcome.visit.columns], dtype=np.intp)
    criterion = SmoothedLogLoss(task.n_scored)
    engine = make_engine(
        task.segments, task.method_options.model, criterion, task.options.backend, task.options.n_threads
    )
    fitted = fractional_weights(engine, _prior(task), task.n_scored, order=order, seed=task.space.seed, run=run)
    return _weighted_outcome(task, engine, fitted.weights, "fractional", outcome, complete=fitted.complete)


def run_averaged(task: SearchTask, run: SearchRun) -> Outcome:
    """Weight columns by all subsets that a search evaluates."""
    engine = task.engine()
    averaging = Averaging(engine.reset({}), task.n_columns)
    run.watch(averaging)
    outcome = run_subset(task, run)
    return _weighted_outcome(task, engine, averaging.weights, "averaged", outcome, complete=outcome.path.complete)


def _places(task: SearchTask) -> NDArray[np.intp]:
    """Return where the coded columns are in the table."""
    place = {name: j for j, name in enumerate(task.names)}
    return np.array([place[name] for name in task.space.names], dtype=np.intp)


def _alone(weighing: Weighing, n_columns: int) -> Gains:
    """Return what each column would bring alone, to second order."""
    empty, _ = weighing.scores()
    bring = _promises(weighing, np.arange(n_columns, dtype=np.int32))
    return Gains(empty, empty + bring, bring)


def _promises(weighing: Weighing, columns: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return by how much each column's best weight would raise the score, to second order."""
    if not len(columns):
        return np.empty(0)
    return newton_gains(*weighing.slopes(columns), weighing.mass) / weighing.mass


def _penalized_gains(weighing: Weighing, subset: WeightedSubset, alone: Gains) -> Gains:
    """Return what each column adds to the others, to second order: of a selected one, what its loss would cost."""
    everything = np.arange(len(alone.alone), dtype=np.int32)
    weights = np.zeros(len(everything))
    weights[list(subset.columns)] = subset.weights
    assert subset.start is not None
    weighing.reset(subset.start, weights)
    gains = np.empty(0)
    if len(everything):
        slopes, curvatures = weighing.slopes(everything)
        gains = newton_gains(slopes, curvatures, weighing.mass) / weighing.mass
        lost = (slopes * weights + 0.5 * curvatures * weights * weights) / weighing.mass
        gains = np.where(weights > 0.0, lost, gains)
    return Gains(alone.empty, alone.alone, gains)


def _by_group(gains: Gains, task: SearchTask) -> Gains:
    """Return gains of columns in the order of the groups, each of which has one."""
    columns = [group.columns[0] for group in task.space.groups]
    return Gains(gains.empty, gains.alone[columns], gains.given_others[columns])


def _last(path: SelectionPath) -> Visit:
    *_, visit = path.visits()
    return visit


def _are_probable(task: SearchTask) -> NDArray[np.bool_]:
    """Return which columns are candidates: with partitions all that are coded, with averaged bins the probable ones."""
    if not isinstance(task.method_options.model, AveragedBins):
        return np.ones(task.n_columns, dtype=bool)
    share = informative_share(task.log_bayes_factors)
    probable: NDArray[np.bool_] = task.log_bayes_factors[_places(task)] + log(share / (1.0 - share)) > 0.0
    return probable


def _prior(task: SearchTask) -> WeightPrior:
    costs = np.full(task.n_columns, _FLAT_COST)
    null = 0.0
    for j, partition in enumerate(task.final.partitions):
        if (cost := getattr(partition, "cost", None)) is not None:
            costs[j] = cost.construction + cost.preparation - log(2.0)
    n_classes = task.n_classes
    total = task.n_scored
    for j in range(1, n_classes):  # log C(N + J - 1, J - 1)
        null += log((total + j) / j)
    return WeightPrior(costs, null)


def _weighted_outcome(
    task: SearchTask,
    engine: Engine,
    weights: NDArray[np.float64],
    name: str,
    outcome: Outcome | None,
    *,
    complete: bool,
) -> Outcome:
    """Return the columns that have a weight, after the path of a search."""
    kept = {j for u in task.space.locked for j in task.space.groups[u].columns}
    by_weight = sorted(np.argsort(-weights, kind="stable").tolist(), key=lambda j: j not in kept)
    columns = [j for j in by_weight if weights[j] > 0.0 or j in kept][: task.stopping.largest]
    columns = sorted(columns, key=lambda j: -weights[j])
    score = engine.reset({j: float(weights[j]) for j in columns})
    names = tuple(task.space.names[j] for j in columns)
    steps, phases = ((), ()) if outcome is None else (outcome.path.steps, outcome.path.phases)
    phase = Phase(name, len(steps), names, score, tuple(engine.segment_scores))
    complete = complete and (outcome is None or outcome.path.complete)
    path = SelectionPath(task.criterion.name, task.criterion.is_loss, steps, (*phases, phase), complete=complete)
    subset = WeightedSubset(tuple(columns), tuple(float(weights[j]) for j in columns), None)
    subsets = {**({} if outcome is None else outcome.subsets), names: subset}
    gains = scored_gains(engine, task, replace(path, order=names), dict(enumerate(weights.tolist())))
    return Outcome(path, _last(path), subsets, task.scorer, gains=gains)


def unit_weights(task: SearchTask, visits: Iterable[Visit]) -> dict[tuple[str, ...], WeightedSubset]:
    """Return for each visit weights of one."""
    position = {name: j for j, name in enumerate(task.space.names)}
    return {
        visit.columns: WeightedSubset(tuple(map(position.__getitem__, visit.columns)), (1.0,) * visit.n_features, None)
        for visit in visits
    }


def scored_gains(
    engine: Engine, task: SearchTask, path: SelectionPath, weights: Mapping[int, float] | None = None
) -> Gains | None:
    """Score each group alone, and each change of the selected subset; None if the search was stopped.

    Selected columns have their weights (1 by default); others would enter at 1.
    """
    space = task.space
    selected = set(path.order)
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
    outside = everything[~inside]
    within = everything[inside]
    if len(outside):
        gains[outside] = engine.score(space.moves("add", outside), exact=True) - base
    if len(within):
        drops = [tuple(Change(j, present[j], 0.0) for j in space.groups[g].columns) for g in within]
        gains[within] = base - engine.score(drops, exact=True)
    return Gains(empty, alone, gains)
