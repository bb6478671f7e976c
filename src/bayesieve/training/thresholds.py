"""The threshold of each candidate, found on rows that its tables were learned without."""

import warnings
from dataclasses import replace

import numpy as np

from bayesieve.decisions import Calibration, Threshold, calibrate, find_threshold
from bayesieve.exceptions import UnreachedFloorWarning
from bayesieve.models import Evidence
from bayesieve.models.base import in_nats
from bayesieve.training.outcome import Outcome
from bayesieve.training.task import Task, held_out_rows

__all__ = [
    "find_calibrations",
    "find_thresholds",
]


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
