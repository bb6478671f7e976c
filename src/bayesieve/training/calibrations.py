"""The calibration of each candidate, fitted on rows that its tables were learned without."""

from dataclasses import replace

import numpy as np

from bayesieve.decisions import Calibration, calibrate
from bayesieve.models import Evidence
from bayesieve.models.evidence import in_nats
from bayesieve.training.outcome import Outcome
from bayesieve.training.task import Task, held_out_rows

__all__ = ["find_calibrations"]


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
