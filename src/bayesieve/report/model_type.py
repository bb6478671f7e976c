"""The type of a model, and what weights and importances of its columns mean."""

from typing import Any

from bayesieve.models import BoostedModel, Scorecard, VoteModel

__all__ = ["describe_model"]

_LOG_ODDS = "Mean absolute contribution to the log-odds, as a share of the sum over columns"
_IMPORTANCES: dict[type[Scorecard], str] = {
    BoostedModel: "Mean absolute contribution to the score, as a share of the sum over columns",
    VoteModel: "Mean absolute deviation of the vote from its mean, as a share of the sum over columns",
}


def describe_model(model: Any) -> dict[str, Any]:
    """Return the name of the estimator, the meaning of importances, and whether columns have weights."""
    card = model.scorecard_
    return {
        "estimator": type(model).__name__,
        "importance": _IMPORTANCES.get(type(card), _LOG_ODDS),
        "weighted": type(card) is Scorecard,
    }
