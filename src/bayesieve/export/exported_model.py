# SPDX-License-Identifier: BSD-3-Clause
"""What of a fitted model is exported: score tables that add up, the rule of two classes, the amounts of a mailing."""

from dataclasses import dataclass
from typing import Any, Literal

from bayesieve.estimators.amounts import BinnedAmount
from bayesieve.estimators.benefit_classifier import BenefitClassifier
from bayesieve.exact import in_nats
from bayesieve.exceptions import ExportError
from bayesieve.models import Scorecard, simplify_scorecard
from bayesieve.models.scorecard import AmountModel

__all__ = ["TwoClassRule", "additive_scorecard", "deciding_amounts", "scoring_model", "two_class_rule"]


def scoring_model(model: Any) -> Any:
    """Return the classifier whose scores are exported: that inside a `BenefitClassifier`, or the model itself."""
    return model.estimator_ if isinstance(model, BenefitClassifier) else model


def deciding_amounts(model: Any, form: str) -> AmountModel | None:
    """Return the amounts that decide, None for a classifier that decides by its probabilities; refuse others."""
    if not isinstance(model, BenefitClassifier):
        return None
    if not isinstance(model.amount_, BinnedAmount):
        found = "a benefit_matrix" if model.amount_ is None else f"amounts of type {type(model.amount_).__name__}"
        raise ExportError(
            f"A BenefitClassifier with {found} cannot be exported as {form}; use amount='bins', or the mean amount."
        )
    return model.amount_.model


def additive_scorecard(model: Any, form: str, max_bins: int | None) -> Scorecard:
    """Return the scorecard of a model, with at most ``max_bins`` bins per column; ``form`` is for the refusal."""
    classifier = scoring_model(model)
    card = classifier.scorecard_.additive() if hasattr(classifier, "scorecard_") else None
    if card is None:
        raise ExportError(
            f"A {type(classifier).__name__} cannot be exported as {form}: its score is not a sum over columns."
        )
    return card if max_bins is None else simplify_scorecard(card, max_bins)


@dataclass(frozen=True)
class TwoClassRule:
    """The class that is predicted where the log-odds or the probability of the second class pass a limit.

    Attributes
    ----------
    of : {"log_odds", "probability"}
        What is compared.
    above : bool
        Whether it must be above the limit; else below it.
    limit : float
        The limit.
    chosen : int
        Index of the class that is predicted then; otherwise it is the other one.
    """

    of: Literal["log_odds", "probability"]
    above: bool
    limit: float
    chosen: int


def two_class_rule(model: Any) -> TwoClassRule:
    """Return how a model of two classes predicts."""
    rule, positive = model.threshold_.rule, model.positive_index_
    if rule.name == "bayes":
        return TwoClassRule("log_odds", True, 0.0, 1)
    if rule.name == "probability":
        return TwoClassRule("probability", positive == 1, rule.level if positive == 1 else 1.0 - rule.level, positive)
    cut = float(in_nats(model.threshold_.cut))
    return TwoClassRule("log_odds", positive == 1, cut if positive == 1 else -cut, positive)
