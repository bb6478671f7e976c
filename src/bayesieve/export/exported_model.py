# SPDX-License-Identifier: BSD-3-Clause
"""What of a fitted model is exported: score tables that add up, the rule of two classes, the amounts of a mailing."""

from dataclasses import dataclass
from typing import Any, Literal

from bayesieve.estimators.amounts import BinnedAmount, ColumnAmount
from bayesieve.estimators.benefit_classifier import BenefitClassifier
from bayesieve.exact import in_nats
from bayesieve.exceptions import ExportError
from bayesieve.models import Scorecard, simplify_scorecard
from bayesieve.models.number_scorecard import refuse_numbers
from bayesieve.models.scorecard import AmountModel

__all__ = [
    "TwoClassRule",
    "additive_scorecard",
    "deciding_amounts",
    "known_amount",
    "scoring_model",
    "two_class_rule",
]


def scoring_model(model: Any) -> Any:
    """Return the classifier whose scores are exported: that inside a `BenefitClassifier`, or the model itself."""
    refuse_numbers(model, "Exports and model cards")
    return model.estimator_ if isinstance(model, BenefitClassifier) else model


def deciding_amounts(model: Any, form: str) -> AmountModel | None:
    """Return the amounts that decide, None for a classifier that decides by its probabilities; refuse others."""
    if not isinstance(model, BenefitClassifier):
        return None
    if not isinstance(model.amount_, BinnedAmount):
        raise ExportError(f"A BenefitClassifier with {_described(model.amount_, form)}.")
    return model.amount_.model


def _described(amount: Any, form: str) -> str:
    """Return that amounts cannot be exported, and what can be done."""
    refused = f"cannot be exported as {form}"
    if amount is None:
        return f"a benefit_matrix {refused}; use amount='bins', or the mean amount"
    if isinstance(amount, ColumnAmount):
        return f"the amounts of a column, {amount.column!r}, {refused}; export it as SQL, which reads the column"
    return f"amounts of a {type(amount.regressor).__name__} {refused}; use amount='bins', or the mean amount"


def known_amount(model: Any) -> str | None:
    """Return the column that has the amount of each row; None for models that decide otherwise."""
    amount = model.amount_ if isinstance(model, BenefitClassifier) else None
    return amount.column if isinstance(amount, ColumnAmount) else None


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
    """The class that is predicted where the log-odds or the probability of one of two classes pass a limit.

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


def two_class_rule(model: Any, c: int = 1) -> TwoClassRule:
    """Return how a model of two classes predicts, by the log-odds or the probability of the class ``c``."""
    rule, positive = model.threshold_.rule, model.positive_index_
    if rule.name == "bayes":
        return TwoClassRule("log_odds", c == 1, 0.0, 1)  # a tie is of the first class
    if rule.name == "probability":
        return TwoClassRule("probability", positive == c, rule.level if positive == c else 1.0 - rule.level, positive)
    cut = float(in_nats(model.threshold_.cut))
    return TwoClassRule("log_odds", positive == c, cut if positive == c else -cut, positive)
