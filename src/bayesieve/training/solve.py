"""From a task to a selection: run the search, and derive a model per candidate."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bayesieve.coding import JoinedBins, Partition, in_weights, with_counts
from bayesieve.data import frame_backend
from bayesieve.models import Boosting, ScoreTable
from bayesieve.search import Observer, SearchRun, SearchState, run_search
from bayesieve.training.outcome import (
    Outcome,
    cv_results,
    find_calibrations,
    find_thresholds,
    scored_gains,
    unit_weights,
)
from bayesieve.training.selection import BoostingStep, Candidate, FittedColumns, FittedModels, Selection
from bayesieve.training.shapes.solve_shapes import run_shapes
from bayesieve.training.solve_boosted import final_rounds, run_boosted
from bayesieve.training.solve_weighted import WEIGHTINGS
from bayesieve.training.task import Task, open_checkpoint

__all__ = ["solve"]

Steps = dict[tuple[str, ...], tuple[BoostingStep, ...]]


def solve(task: Task, observers: list[Observer]) -> Selection:
    """Run the search, and return the candidates that it found."""
    run = SearchRun(open_checkpoint(task), observers, task.options.max_time)
    if task.options.shapes is not None:
        outcome, shapes = run_shapes(task, run)
        return _selection(task, outcome, _candidates(task, outcome, {}), shapes, shapes.partitions)
    outcome, steps = _run(task, run)
    # Columns of all weighted subsets have bins to show, also where another subset of the size is better.
    columns = sorted({j for subset in outcome.subsets.values() for j in subset.columns})
    candidates, fitted = _candidates(task, outcome, steps), _fitted_columns(task, columns)
    return _selection(task, outcome, candidates, fitted, _partitions(task, columns))


def _selection(
    task: Task,
    outcome: Outcome,
    candidates: Mapping[tuple[str, ...], Candidate],
    fitted: FittedModels,
    partitions: Mapping[str, Partition],
) -> Selection:
    return Selection(
        names=tuple(task.names),
        ordered=task.data.columns.ordered,
        path=replace(outcome.path, order=outcome.visit.columns, backend=frame_backend(task.rows.example)),
        candidates=candidates,
        best=candidates[outcome.visit.columns],
        cv_results=cv_results(task, outcome),
        partitions=partitions,
        fitted=fitted,
        gains=outcome.gains,
    )


def _run(task: Task, run: SearchRun) -> tuple[Outcome, Steps]:
    if isinstance(task.options.model, Boosting):
        outcome, columns_of = run_boosted(task, run)
        return outcome, _boosting_steps(task, columns_of)
    if task.options.weights == "none":
        return _search_subset(task, run), {}
    return WEIGHTINGS[task.options.weights](task, run, lambda: _search_subset(task, run)), {}


def _search_subset(task: Task, run: SearchRun) -> Outcome:
    """Run a search whose columns all have the weight 1."""
    assert task.search is not None
    engine = task.engine()
    path = run_search(task.search, SearchState(engine, task.space, run), task.stopping, task.criterion)
    visit = path.choose(task.stopping, one_se=task.options.one_se)
    subsets = unit_weights(task, [*path.best_by_size().values(), visit])
    gains = scored_gains(engine, task, replace(path, order=visit.columns))
    return Outcome(path, visit, subsets, task.segments, gains=gains)


def _boosting_steps(task: Task, columns_of: dict[tuple[str, ...], NDArray[np.int64]]) -> Steps:
    """Learn the steps of the longest subset from all rows; those of the others are its first ones."""
    names, longest = task.space.names, max(columns_of.values(), key=len)
    steps = tuple(
        BoostingStep(names[each.column], each.alphas[0], each.tables[0]) for each in final_rounds(task, longest)
    )
    return {columns: steps[: len(own)] for columns, own in columns_of.items()}


def _candidates(task: Task, outcome: Outcome, steps: Steps) -> dict[tuple[str, ...], Candidate]:
    thresholds, calibrations = find_thresholds(task, outcome), find_calibrations(task, outcome)
    candidates = {}
    for columns, visit in outcome.candidates.items():
        subset = outcome.subsets[columns]
        weights = dict(sorted(zip(subset.columns, subset.weights, strict=True)))
        candidates[columns] = Candidate(
            visit,
            {task.space.names[j]: weight for j, weight in weights.items()},
            subset.start,
            thresholds[columns],
            calibrations.get(columns),
            steps.get(columns, ()),
        )
    return candidates


def _fitted_columns(task: Task, columns: list[int]) -> FittedColumns:
    final, names, options = task.final, task.space.names, task.options
    tables = {}
    for j in columns:
        counts = in_weights(final.counts[j][:-1], task.unit)
        partition = with_counts(final.partitions[j], counts)
        tables[names[j]] = ScoreTable(names[j], partition, final.tables.column(j).copy(), 1.0, counts)
    return FittedColumns(
        model=options.model,
        classes=task.rows.classes,
        class_mass=tuple(float(each) * task.unit for each in task.rows.class_mass),
        start=final.tables.start,
        tables=tables,
        laplace=options.laplace,
        prior_shift=options.prior_shift,
    )


def _partitions(task: Task, columns: list[int]) -> Mapping[str, Partition]:
    """Return the bins of some columns for display: those of the model, or the best way to join finest ones."""
    final, names, rule = task.final, task.space.names, task.options.display_rule
    if rule is None:
        return {names[j]: with_counts(final.partitions[j], final.counts[j][:-1], task.unit) for j in columns}
    finest = {names[j]: (final.partitions[j], final.counts[j][:-1]) for j in columns}
    return JoinedBins(finest, rule.for_table(len(task.names)), task.unit, task.options.n_threads)
