# SPDX-License-Identifier: BSD-3-Clause
"""The type of a model, and what weights, importances and gains of its columns mean."""

from typing import Any

from bayesieve.models import BoostedModel, Scorecard, VoteModel

__all__ = ["criterion_title", "describe_model", "learns_points_together"]

_LOG_ODDS = "Mean absolute contribution to the log-odds, as a share of the sum over columns"
_OF_PAIRS = "; that of a pair is divided equally between its two columns"
_IMPORTANCES: dict[type[Scorecard], str] = {
    BoostedModel: "Mean absolute contribution to the score, as a share of the sum over columns",
    VoteModel: "Mean absolute deviation of the vote from its mean, as a share of the sum over columns",
}
_CRITERIA = {"logit": "log loss", "brier": "Brier score"}
_SELECTION = "Selection scores are computed on rows that were used for the selection, so that they are optimistic"
_JOINT_SELECTION = (
    "Selection scores are the out-of-fold scores of the search, with its pairs; the rows were used for the selection"
)
_FACTORS = (
    "The log loss of a model with this column only, estimated from its log Bayes factor",
    "The log Bayes factor of the column given the other selected columns, per row; sizes are compared by out-of-fold "
    "log loss, so that a column can be selected without evidence of its own, or for its pairs",
)


def learns_points_together(model: Any) -> bool:
    """Return whether the points of all columns are learned together: a `ScorecardClassifier` alone has ``min_gain``.

    The class itself and the modules of its training are loaded by models of this type only.
    """
    return hasattr(model, "min_gain")


def criterion_title(model: Any) -> str:
    """Return what the search improves, in words; boosting by "logit" takes Newton steps of the log loss."""
    name = str(model.path_.criterion)
    return _CRITERIA.get(name, name.replace("_", " "))


def describe_model(model: Any) -> dict[str, Any]:
    """Return the name of the estimator, the meaning of importances and gains, and whether columns have weights."""
    joint = learns_points_together(model)
    card, criterion = model.scorecard_, criterion_title(model)
    # The score of a boosted subset is a sum of decreases.
    of_one = "decrease of the " if isinstance(card, BoostedModel) else ""
    alone, gain = (
        _FACTORS
        if joint
        else (
            f"The {of_one}{criterion} of a model with this column only",
            f"The improvement in {criterion} from this column, given the other selected columns",
        )
    )
    return {
        "estimator": type(model).__name__,
        "importance": _IMPORTANCES.get(type(card), _LOG_ODDS) + (_OF_PAIRS if card.pairs else ""),
        "score_alone": alone,
        "gain": gain,
        "selection_score": _JOINT_SELECTION if joint else _SELECTION,
        "weighted": type(card) is Scorecard and any(weight != 1.0 for weight in card.weights.values()),
    }
