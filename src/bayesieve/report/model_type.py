# SPDX-License-Identifier: BSD-3-Clause
"""The type of a model: what weights, importances and gains of its columns mean, and how it chose its size."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

from bayesieve.models import BoostedModel, Scorecard, VoteModel
from bayesieve.report.held_out_predictions import HeldOutPredictions

__all__ = ["ModelType", "SearchFacts", "describe_model", "describe_search", "describe_size_rule"]

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


@dataclass(frozen=True)
class ModelType:
    """The name of the estimator, and the meanings of its importances, single scores, gains and selection scores."""

    estimator: str
    importance: str
    score_alone: str
    gain: str
    selection_score: str
    weighted: bool


@dataclass(frozen=True)
class SearchFacts:
    """What the search improves, and whether it and the searches of the folds came to their ends."""

    criterion: str
    is_loss: bool
    complete: bool
    n_stopped_folds: int


def _learns_points_together(model: Any) -> bool:
    """Return whether the points of all columns are learned together: a `ScorecardClassifier` alone has ``min_gain``.

    The class itself and the modules of its training are loaded by models of this type only.
    """
    return hasattr(model, "min_gain")


def _criterion_title(model: Any) -> str:
    """Return what the search improves, in words; boosting by "logit" takes Newton steps of the log loss."""
    name = str(model.path_.criterion)
    return _CRITERIA.get(name, name.replace("_", " "))


def describe_model(model: Any) -> ModelType:
    """Return the name of the estimator, the meaning of importances and gains, and whether columns have weights."""
    joint = _learns_points_together(model)
    card = model.scorecard_
    criterion = _criterion_title(model)
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
    return ModelType(
        estimator=type(model).__name__,
        importance=_IMPORTANCES.get(type(card), _LOG_ODDS) + (_OF_PAIRS if card.pairs else ""),
        score_alone=alone,
        gain=gain,
        selection_score=_JOINT_SELECTION if joint else _SELECTION,
        weighted=type(card) is Scorecard and any(weight != 1.0 for weight in card.weights.values()),
    )


def describe_search(model: Any, predictions: HeldOutPredictions) -> SearchFacts:
    """Return what the search improves, and which searches a time limit ended."""
    cross_validated = predictions.n_train is None
    n_stopped = sum(not fold.complete for fold in predictions.folds) if cross_validated else 0
    return SearchFacts(_criterion_title(model), bool(model.path_.is_loss), bool(model.path_.complete), n_stopped)


def describe_size_rule(model: Any) -> str:
    """Return the end of the sentence "The model uses 7 of 14 features, ...".

    The scores are those of the selection, on its own rows or folds; cross-validation around the whole fit can prefer
    another number.
    """
    asked = model.n_features
    of_fit = {name for name in model.column_names_ if model.why_[name]["selected"]}  # pairs have reasons, too
    if isinstance(asked, Real) or asked == "all" or of_fit != set(model.selection_.best.columns):  # select(k)
        return "as requested"
    at_most = "" if isinstance(asked, str) or asked[1] is None else f" of at most {asked[1]:,}"
    if _learns_points_together(model):
        if asked == "best":
            return "all with a visible effect during the selection"
        kept = f"{_kept_share(model):.4g}% of the improvement over class frequencies"
        return f"the fewest{at_most} expected to keep {kept}"
    if model.one_se:
        return f"the fewest{at_most} within one standard error of the best score of the selection"
    if model.tol:
        return f"each of which improved the score of the selection by more than {model.tol:g}"
    return f"the number{at_most} with the best score of the selection"


def _kept_share(model: Any) -> float:
    """Return the share of the improvement that a scorecard must keep, in percent."""
    return 100.0 * (1.0 - (1.0 - float(model.min_gain)) / (len(model.classes_) - 1))
