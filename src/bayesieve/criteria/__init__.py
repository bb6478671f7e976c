"""How good beliefs are."""

from bayesieve.criteria.base import Beliefs, Criterion, Measure
from bayesieve.criteria.benefit import Benefit
from bayesieve.criteria.pointwise import BalancedError, Brier, Error, ErrorProbability, LogLoss
from bayesieve.criteria.posterior import Map
from bayesieve.criteria.ranking import Auc, Lift
from bayesieve.criteria.refinement import Refinement, isotonic_blocks
from bayesieve.criteria.smoothed import SmoothedLogLoss

__all__ = ["ALL_CRITERIA", "CRITERIA", "Beliefs", "Criterion", "Measure", "SmoothedLogLoss", "isotonic_blocks"]

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
"""Those that ask for nothing but beliefs and classes."""

ALL_CRITERIA: dict[str, Criterion] = {**CRITERIA, "benefit": Benefit()}
"""And one that asks what actions bring; an engine for it is made by `make_engine` alone."""
