# SPDX-License-Identifier: BSD-3-Clause
"""Criteria: scores of predictions against the true classes."""

from bayesieve.search.criteria.area_criteria import Auc, Lift
from bayesieve.search.criteria.base import Criterion, Measure, Predictions
from bayesieve.search.criteria.benefit import Benefit
from bayesieve.search.criteria.pointwise import BalancedError, Brier, Error, ErrorProbability, LogLoss
from bayesieve.search.criteria.posterior import Map
from bayesieve.search.criteria.precision_at_recall import PrecisionAtRecall
from bayesieve.search.criteria.refinement import Refinement, isotonic_blocks
from bayesieve.search.criteria.scorer_names import SCORER_NAMES, criterion_name
from bayesieve.search.criteria.smoothed import SmoothedLogLoss

__all__ = [
    "ALL_CRITERIA",
    "CRITERIA",
    "METRICS",
    "SCORER_NAMES",
    "Criterion",
    "Measure",
    "PrecisionAtRecall",
    "Predictions",
    "SmoothedLogLoss",
    "criterion_name",
    "isotonic_blocks",
]

CRITERIA: dict[str, Criterion] = {
    "error": Error(),
    "error_probability": ErrorProbability(),
    "brier": Brier(),
    "log_loss": LogLoss(),
    "balanced_error": BalancedError(),
    "auc": Auc(),
    "lift": Lift(),
    "map": Map(),
    "refinement": Refinement(),
}
"""Criteria that need only predictions and classes."""

METRICS: dict[str, Criterion] = {**CRITERIA, "precision_at_recall": PrecisionAtRecall()}
"""Also the criterion that needs a positive class: all that can be reported along a path."""

ALL_CRITERIA: dict[str, Criterion] = {**METRICS, "benefit": Benefit()}
"""Also the criterion that needs benefits of actions; engines of the last two are built by `make_engine` only."""
