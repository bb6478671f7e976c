# SPDX-License-Identifier: BSD-3-Clause
"""The scorecard that is exported: one score per class and bin, which add up, and the amounts of a mailing."""

from typing import Any

from bayesieve.estimators.benefit_classifier import BenefitClassifier
from bayesieve.estimators.binned_amount import BinnedAmount
from bayesieve.exceptions import ExportError
from bayesieve.models import Scorecard, simplify_scorecard
from bayesieve.models.amount_model import AmountModel

__all__ = ["additive_scorecard", "deciding_amounts", "scoring_model"]


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
