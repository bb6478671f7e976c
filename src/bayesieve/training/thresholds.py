"""The threshold of each candidate, found on rows that its tables were learned without."""

import warnings

import numpy as np

from bayesieve.decisions import Threshold, find_threshold
from bayesieve.exceptions import UnreachedFloorWarning
from bayesieve.training.outcome import Outcome
from bayesieve.training.task import Task

__all__ = ["find_thresholds"]


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
