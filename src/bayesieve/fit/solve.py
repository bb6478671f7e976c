# SPDX-License-Identifier: BSD-3-Clause
"""From a task to a selection: run the search, and derive a model per candidate."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesieve.bins import JoinedBins, Partition, in_weights, with_counts
from bayesieve.data import frame_backend
from bayesieve.decisions import Calibration, Threshold, calibrate, find_threshold
from bayesieve.exact import in_nats
from bayesieve.exceptions import UnreachedFloorWarning
from bayesieve.fit.coded_folds import metric_of
from bayesieve.fit.outcome import Outcome, scored_gains, unit_weights
from bayesieve.fit.selection import BoostingStep, Candidate, FittedColumns, FittedModels, Selection, SubsetWeights
from bayesieve.fit.solve_boosted import final_rounds, run_boosted
from bayesieve.fit.solve_weighted import WEIGHTINGS
from bayesieve.fit.task import Task, held_out_rows, open_checkpoint
from bayesieve.models import Boosting, Evidence, ScoreTable
from bayesieve.search import Observer, SearchRun, SearchState, run_search

__all__ = ["add_scores", "cv_results", "find_calibrations", "find_thresholds", "solve"]

Steps = dict[tuple[str, ...], tuple[BoostingStep, ...]]


def solve(task: Task, observers: list[Observer]) -> Selection:
    """Run the search, and return the candidates that it found."""
    run = SearchRun(open_checkpoint(task), observers, task.options.max_time)
    if task.options.shapes is not None:
        from bayesieve.fit.solve_scorecard import run_scorecard

        outcome, shapes = run_scorecard(task, run)
        return _selection(task, outcome, _candidates(task, outcome, {}), shapes, shapes.shown(outcome.visit.columns))
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
        exclusions=outcome.exclusions,
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
    engine, chooser = task.engine(), task.options.choose_by
    state = SearchState(engine, task.space, run, None if chooser is None else task.engine(task.criterion_of(chooser)))
    path = run_search(task.search, state, task.stopping, task.criterion)
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
        candidates[columns] = Candidate(
            visit,
            SubsetWeights(task.space.names, subset.columns, subset.weights),
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
    return JoinedBins(finest, rule, len(task.names), task.unit, task.options.n_threads)


def cv_results(task: Task, outcome: Outcome) -> dict[str, Any]:
    """Return arrays over the sizes: mean, spread and folds' scores (larger is better) of each metric."""
    metrics = task.options.metrics
    visits = [visit for visit in outcome.path.best_by_size().values() if visit.columns in outcome.subsets]
    results: dict[str, Any] = {"n_features": np.array([visit.n_features for visit in visits], dtype=np.int64)}
    add_scores(results, "score", [visit.split_scores for visit in visits])
    if not metrics:
        return results
    score = outcome.scored or outcome.scorer(task.options.model).score
    by_size = []
    for visit in visits:
        rows = score(outcome.subsets[visit.columns])
        by_size.append([metric_of(rows, task.criterion_of(name), task.n_classes) for name in metrics])
    for i, name in enumerate(metrics):
        split_scores = np.array([scores[i] for scores in by_size])
        costs = task.criterion_of(name).subset_costs(len(task.space.names))
        if costs is not None:
            split_scores -= (costs / task.n_scored)[results["n_features"], None]
        add_scores(results, name, split_scores)
    return results


def add_scores(results: dict[str, Any], name: str, split_scores: ArrayLike) -> None:
    """Add mean, spread and folds' scores of a metric, shape (n_sizes, n_folds), to the results."""
    scores = np.array(split_scores, dtype=np.float64)
    results[f"mean_test_{name}"] = scores.mean(axis=1)
    finite = np.where(np.isfinite(scores).all(axis=1, keepdims=True), scores, 0.0)  # of no columns: -inf
    results[f"std_test_{name}"] = finite.std(axis=1)
    for i in range(scores.shape[1]):
        results[f"split{i}_test_{name}"] = scores[:, i]


def find_thresholds(task: Task, outcome: Outcome) -> dict[tuple[str, ...], Threshold]:
    """Find the threshold of each candidate, on the rows on which its weights were found.

    A threshold that does not depend on rows is the same for all. Only the best subset warns of a floor that cannot be
    promised.
    """
    rule, positive, candidates = task.options.threshold, task.options.positive, outcome.candidates
    if not rule.needs_rows:
        return dict.fromkeys(candidates, find_threshold(rule, np.zeros(0), np.zeros(0, dtype=np.int64)))
    score, thresholds = outcome.scored or outcome.scorer(task.options.model).score, {}
    for columns in candidates:
        rows = score(outcome.subsets[columns])
        log_odds = np.concatenate([each.evidence[positive] - each.evidence[1 - positive] for each in rows])
        target = np.concatenate([each.target for each in rows])
        weights = np.concatenate([each.weights for each in rows])
        with warnings.catch_warnings():
            if columns != outcome.visit.columns:
                warnings.simplefilter("ignore", UnreachedFloorWarning)
            thresholds[columns] = find_threshold(rule, log_odds, target == positive, weights, task.unit)
    shift = task.options.prior_shift
    if shift is None:
        return thresholds
    # A threshold was found under the training prior, and keeps its place among the rows under another one.
    growth = int(shift[positive] - shift[1 - positive])
    return {columns: threshold.shifted(growth) for columns, threshold in thresholds.items()}


def find_calibrations(task: Task, outcome: Outcome) -> dict[tuple[str, ...], Calibration]:
    """Fit the calibration of each candidate; none unless the options ask for it."""
    if task.options.calibration is None:
        return {}
    held_out = held_out_rows(task)
    outcome = replace(outcome, segments=held_out.segments, pooled=held_out.pooled)
    scorer, calibrations = outcome.scorer(task.options.model), {}
    for columns in outcome.candidates:
        rows = scorer.score(outcome.subsets[columns])
        evidence = Evidence(np.concatenate([each.evidence for each in rows], axis=1))
        target = np.concatenate([each.target for each in rows])
        weights = np.concatenate([each.weights for each in rows])
        ranked = (1,) if len(evidence.scores) == 2 else range(len(evidence.scores))
        log_odds = [in_nats(evidence.log_odds(c)) for c in ranked]
        calibrations[columns] = calibrate(task.options.calibration, log_odds, target, weights * task.unit)
    return calibrations
