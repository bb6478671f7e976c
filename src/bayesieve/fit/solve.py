# SPDX-License-Identifier: BSD-3-Clause
"""From rows to a selection: what can be trained, by name, and the model, threshold and scores of each candidate."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bayesieve.bins import JoinedBins, Partition, in_weights, with_counts
from bayesieve.data import frame_backend
from bayesieve.decisions import Calibration, Threshold, calibrate, find_threshold
from bayesieve.exact import in_nats
from bayesieve.exceptions import UnreachedFloorWarning
from bayesieve.fit.boosting import run_boosted
from bayesieve.fit.class_order import ModelsByLabel, PartitionsByLabel
from bayesieve.fit.coded_folds import metric_of
from bayesieve.fit.options import TrainingOptions
from bayesieve.fit.rows import TrainingRows
from bayesieve.fit.selection import Candidate, FittedColumns, Outcome, Selection, SubsetWeights, Trained
from bayesieve.fit.task import SearchTask, Task, held_out, open_checkpoint, prepare_search
from bayesieve.fit.weighted_search import run_averaged, run_fractional, run_penalized, run_subset
from bayesieve.models import Evidence, ScoreTable
from bayesieve.search import Observer, SearchRun

__all__ = ["METHODS", "Method", "add_scores", "cv_results", "prepare", "selection_of", "solve"]


class Method(NamedTuple):
    """How a task is made of rows, and how it is trained."""

    prepare: Callable[..., Task]
    train: Callable[[Any, SearchRun], Trained]


def prepare(rows: TrainingRows, options: TrainingOptions, groups: ArrayLike | None = None) -> Task:
    """Learn what the method asks for, code the rows, and lay out where the selection may go."""
    return METHODS[options.method_options.method]().prepare(rows, options, options.method_options, groups)


def solve(task: Task, observers: list[Observer]) -> Selection:
    """Train, and return the candidates that were found."""
    options = task.options
    run = SearchRun(open_checkpoint(task), observers, options.max_time)
    return selection_of(task, METHODS[options.method_options.method]().train(task, run))


def selection_of(task: Task, trained: Trained) -> Selection:
    """Return the candidates that training has found."""
    outcome = trained.outcome
    candidates = _candidates(task, trained)
    numbers = task.rows.class_numbers
    by_label = (numbers == np.arange(len(numbers))).all()
    return Selection(
        names=tuple(task.names),
        ordered=task.columns.ordered,
        path=replace(outcome.path, order=outcome.visit.columns, backend=frame_backend(task.rows.example)),
        candidates=candidates,
        best=candidates[outcome.visit.columns],
        cv_results=cv_results(task, outcome),
        partitions=trained.partitions if by_label else PartitionsByLabel(trained.partitions, numbers),
        fitted=trained.fitted if by_label else ModelsByLabel(trained.fitted, numbers),
        gains=outcome.gains,
        exclusions=outcome.exclusions,
        shares=outcome.shares,
    )


def _by_search(method: Callable[[SearchTask, SearchRun], Outcome]) -> Method:
    """Return the method of a search, whose candidates have the tables that were learned once."""

    def train(task: SearchTask, run: SearchRun) -> Trained:
        return _with_tables(task, method(task, run))

    return Method(prepare_search, train)


def _boosting() -> Method:
    """Return the method that adds columns by boosting."""

    def train(task: SearchTask, run: SearchRun) -> Trained:
        outcome, steps = run_boosted(task, run)
        return replace(_with_tables(task, outcome), steps=steps)

    return Method(prepare_search, train)


def _scorecard() -> Method:
    """Return the method whose tables are fitted together; it is loaded where it is used."""
    from bayesieve.fit.scorecard import prepare_scorecard, train_scorecard

    return Method(prepare_scorecard, train_scorecard)


METHODS: Final[dict[str, Callable[[], Method]]] = {
    "subset": partial(_by_search, run_subset),
    "penalized": partial(_by_search, run_penalized),
    "fractional": partial(_by_search, run_fractional),
    "averaged": partial(_by_search, run_averaged),
    "boosting": _boosting,
    "scorecard": _scorecard,
}
"""What can be trained, by name."""


def _with_tables(task: SearchTask, outcome: Outcome) -> Trained:
    """Return the models of candidates, whose tables were learned once."""
    # Columns of all weighted subsets have bins to show, also where another subset of the size is better.
    columns = sorted({j for subset in outcome.subsets.values() for j in subset.columns})
    calibrations = _find_calibrations(task, outcome)
    return Trained(outcome, _fitted_columns(task, columns), _partitions(task, columns), calibrations)


def _candidates(task: Task, trained: Trained) -> dict[tuple[str, ...], Candidate]:
    outcome = trained.outcome
    thresholds = _find_thresholds(task, outcome)
    candidates = {}
    for columns, visit in outcome.candidates.items():
        subset = outcome.subsets[columns]
        candidates[columns] = Candidate(
            visit,
            SubsetWeights(task.space.names, subset.columns, subset.weights),
            subset.start,
            thresholds[columns],
            trained.calibrations.get(columns),
            trained.steps.get(columns, ()),
        )
    return candidates


def _fitted_columns(task: SearchTask, columns: list[int]) -> FittedColumns:
    final = task.final
    names = task.space.names
    options = task.method_options
    tables = {}
    for j in columns:
        counts = in_weights(final.counts[j][:-1], task.unit)
        partition = with_counts(final.partitions[j], counts)
        tables[names[j]] = ScoreTable(names[j], partition, task.tables.column(j).copy(), 1.0, counts)
    return FittedColumns(
        model=options.model,
        classes=task.rows.classes,
        class_mass=tuple(float(each) * task.unit for each in task.rows.class_mass),
        start=task.tables.start,
        tables=tables,
        laplace=options.laplace,
        prior_shift=task.options.prior_shift,
    )


def _partitions(task: SearchTask, columns: list[int]) -> Mapping[str, Partition]:
    """Return the bins of some columns for display: those of the model, or the best way to join finest ones."""
    final = task.final
    names = task.space.names
    rule = task.method_options.display_rule
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
    score = outcome.scorer().score
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
    finite = np.where(np.isfinite(scores).all(axis=1, keepdims=True), scores, 0.0)  # of no columns: -inf
    with np.errstate(over="ignore", invalid="ignore"):  # errors of numbers of 1e308
        results[f"mean_test_{name}"] = scores.mean(axis=1)
        results[f"std_test_{name}"] = finite.std(axis=1)
    for i in range(scores.shape[1]):
        results[f"split{i}_test_{name}"] = scores[:, i]


def _find_thresholds(task: Task, outcome: Outcome) -> dict[tuple[str, ...], Threshold]:
    """Find the threshold of each candidate, on the rows on which its weights were found.

    A threshold that does not depend on rows is the same for all. Only the best subset warns of a floor that cannot be
    promised.
    """
    rule = task.options.threshold
    positive = task.options.positive
    candidates = outcome.candidates
    if not rule.needs_rows:
        return dict.fromkeys(candidates, find_threshold(rule, np.zeros(0), np.zeros(0, dtype=np.int64)))
    score = outcome.scorer().score
    thresholds = {}
    for columns in candidates:
        rows = score(outcome.subsets[columns])
        log_odds = np.concatenate([each.class_scores[positive] - each.class_scores[1 - positive] for each in rows])
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


def _find_calibrations(task: SearchTask, outcome: Outcome) -> dict[tuple[str, ...], Calibration]:
    """Fit the calibration of each candidate; none unless the options ask for it."""
    name = task.method_options.calibration
    if name is None:
        return {}
    rows_left_out = held_out(task)
    scorer = task.scorer(rows_left_out.segments, pooled=rows_left_out.pooled)
    calibrations = {}
    for columns in outcome.candidates:
        rows = scorer.score(outcome.subsets[columns])
        evidence = Evidence(np.concatenate([each.class_scores for each in rows], axis=1))
        target = np.concatenate([each.target for each in rows])
        weights = np.concatenate([each.weights for each in rows])
        ranked = (1,) if len(evidence.scores) == 2 else range(len(evidence.scores))
        log_odds = [in_nats(evidence.log_odds(c)) for c in ranked]
        calibrations[columns] = calibrate(name, log_odds, target, weights * task.unit)
    return calibrations
