"""What a search came to: its path, the best subset, the weights of every candidate, and the gains of columns."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesieve._typing import Floats
from bayesieve.criteria import CRITERIA
from bayesieve.decisions import Calibration, Threshold, calibrate, find_threshold
from bayesieve.engine import Change, Engine
from bayesieve.exceptions import ParameterError, UnreachedFloorWarning
from bayesieve.models import Evidence, Model
from bayesieve.models.base import in_nats
from bayesieve.search import SelectionPath, Visit, WeightedSubset
from bayesieve.training.coded_folds import CandidateScorer, CodedFolds, ScoredRows, metric_of
from bayesieve.training.task import Task, held_out_rows

__all__ = [
    "Gains",
    "Outcome",
    "cv_results",
    "find_calibrations",
    "find_thresholds",
    "metric_names",
    "scored_gains",
    "unit_weights",
]


@dataclass(frozen=True)
class Gains:
    """What columns gain, each number larger-is-better and in the criterion's units.

    Attributes
    ----------
    empty : float
        The score of no column.
    alone : array of shape (n_groups,)
        The score of each group alone.
    given_others : array of shape (n_groups,)
        What each adds to the other selected ones.
    """

    empty: float
    alone: Floats
    given_others: Floats


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
    """

    path: SelectionPath
    visit: Visit
    subsets: Mapping[tuple[str, ...], WeightedSubset]
    segments: CodedFolds
    pooled: bool = False
    gains: Gains | None = None
    scored: Callable[[WeightedSubset], list[ScoredRows]] | None = None

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
        visit.columns: WeightedSubset(tuple(position[name] for name in visit.columns), (1.0,) * visit.n_features, None)
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


def metric_names(scoring: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the further metrics to report along the path."""
    names = (scoring,) if isinstance(scoring, str) else tuple(scoring or ())
    if unknown := [name for name in names if name not in CRITERIA]:
        valid = ", ".join(sorted(CRITERIA))
        raise ParameterError(f"scoring has the unknown metric {unknown[0]!r}; valid metrics are {valid}.")
    return names


def cv_results(task: Task, outcome: Outcome) -> dict[str, Any]:
    """Return arrays over the sizes: mean, spread and folds' scores (larger is better) of each metric."""
    metrics = task.options.metrics
    visits = [visit for visit in outcome.path.best_by_size().values() if visit.columns in outcome.subsets]
    results: dict[str, Any] = {"n_features": np.array([visit.n_features for visit in visits], dtype=np.int64)}
    _add(results, "score", [visit.split_scores for visit in visits])
    score = outcome.scored or outcome.scorer(task.options.model).score
    by_size = []
    for visit in visits if metrics else []:
        rows = score(outcome.subsets[visit.columns])
        by_size.append([metric_of(rows, name, task.n_classes) for name in metrics])
    for i, name in enumerate(metrics):
        split_scores = np.array([scores[i] for scores in by_size])
        costs = CRITERIA[name].subset_costs(len(task.space.names))
        if costs is not None:
            split_scores -= (costs / task.n_scored)[results["n_features"], None]
        _add(results, name, split_scores)
    return results


def _add(results: dict[str, Any], name: str, split_scores: ArrayLike) -> None:
    scores = np.array(split_scores, dtype=np.float64)
    results[f"mean_test_{name}"] = scores.mean(axis=1)
    results[f"std_test_{name}"] = scores.std(axis=1)
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
    scorer, thresholds = outcome.scorer(task.options.model), {}
    for columns in candidates:
        rows = scorer.score(outcome.subsets[columns])
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
