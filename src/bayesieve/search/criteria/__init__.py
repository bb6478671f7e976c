# SPDX-License-Identifier: BSD-3-Clause
"""Criteria: scores of predictions against the true classes."""

from bayesieve.search.criteria.benefit import Benefit
from bayesieve.search.criteria.criterion import Criterion, Measure, Predictions
from bayesieve.search.criteria.log_loss import LogLoss, Map, SmoothedLogLoss
from bayesieve.search.criteria.pointwise import BalancedError, Brier, Error, ErrorProbability
from bayesieve.search.criteria.ranking import Auc, Lift, PrecisionAtRecall, Refinement

__all__ = [
    "ALL_CRITERIA",
    "CRITERIA",
    "METRICS",
    "SCORER_NAMES",
    "Criterion",
    "Lift",
    "Measure",
    "PrecisionAtRecall",
    "Predictions",
    "SmoothedLogLoss",
    "criterion_name",
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

SCORER_NAMES = {
    "roc_auc": "auc",
    "neg_log_loss": "log_loss",
    "neg_brier_score": "brier",
    "accuracy": "error",
    "balanced_accuracy": "balanced_error",
}
"""Names of scikit-learn's scorers, and the criteria that order subsets as they do."""


def criterion_name(name: str) -> str:
    """Return the name of a criterion, given that or the name of a scorer."""
    return SCORER_NAMES.get(name, name)
