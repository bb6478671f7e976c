# SPDX-License-Identifier: BSD-3-Clause
"""The type of a model: what weights, importances and gains of its columns mean, and how it chose its size."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from bayesieve.data import ColumnProfile
from bayesieve.fit.column_settings import Column, read_column_settings
from bayesieve.models import BoostedModel, Scorecard, VoteModel
from bayesieve.models.intervals import has_errors
from bayesieve.report.formats import plural
from bayesieve.report.held_out_predictions import HeldOutPredictions

__all__ = [
    "ModelType",
    "SearchFacts",
    "SizeRule",
    "describe_model",
    "describe_search",
    "describe_size_rule",
    "has_neutral_values",
]

_LOG_ODDS = "Mean absolute contribution to the log-odds, as a share of the sum over columns"
_OF_PAIRS = "; that of a pair is divided equally between its two columns"
_IMPORTANCES: dict[type[Scorecard], str] = {
    BoostedModel: "Mean absolute contribution to the score, as a share of the sum over columns",
    VoteModel: "Mean absolute deviation of the vote from its mean, as a share of the sum over columns",
}
_CRITERIA = {"logit": "log loss", "brier": "Brier score"}
_SELECTION = "Selection scores are computed on rows that were used for the selection, so that they are optimistic"
_JOINT_SELECTION = (
    "Selection scores are those by which columns and pairs were chosen; only the others are estimates for new rows"
)
_FACTORS = (
    "The out-of-fold log loss of a model with this column only; that of class frequencies for a column that has no "
    "evidence by itself",
    "The evidence that the column has an effect, given the other selected columns: the log Bayes factor, per row. A "
    "column without it can be selected for its pairs, or because the log loss of held-out rows is lower with it",
)


@dataclass(frozen=True)
class ModelType:
    """The name of the estimator, and the meanings of its importances, single scores, gains and selection scores.

    ``has_errors`` is whether points have posterior standard errors.
    """

    estimator: str
    importance: str
    score_alone: str
    gain: str
    selection_score: str
    weighted: bool
    has_errors: bool = False


@dataclass(frozen=True)
class SizeRule:
    """How a model came to its number of columns.

    Attributes
    ----------
    clause : str
        The rule, as a clause of a sentence.
    most : int or None
        How many were allowed, if not all.
    varies : bool
        Whether folds have a number of their own: then their scores are those of the selection, not of one number.
    of_folds : (int, int) or None
        The smallest and the largest number of columns of a fold, if there are folds.
    """

    clause: str
    most: int | None = None
    varies: bool = True
    of_folds: tuple[int, int] | None = None

    def describe(self, n_columns: int) -> str:
        """Return the clause for a model with this number of columns."""
        if n_columns == self.most:
            return "the most that are allowed"
        return self.clause + (f" with at most {plural(self.most, 'column')}" if self.most is not None else "")


@dataclass(frozen=True)
class SearchFacts:
    """What the search improves, and whether it and the searches of the folds came to their ends."""

    criterion: str
    is_loss: bool
    complete: bool
    n_stopped_folds: int


def has_neutral_values(model: Any, profiles: Sequence[ColumnProfile]) -> bool:
    """Return whether columns of a model's training table have missing values that are neutral."""
    if not _learns_points_together(model):
        return False
    settings = read_column_settings(model.columns, model.column_names_)
    place = model.selection_.positions
    missing = [settings.get(place[each.name], Column()).missing or model.missing for each in profiles if each.n_missing]
    return "neutral" in missing


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
        has_errors=has_errors(card),
    )


def describe_search(model: Any, predictions: HeldOutPredictions) -> SearchFacts:
    """Return what the search improves, and which searches a time limit ended."""
    cross_validated = predictions.n_train is None
    n_stopped = sum(not fold.complete for fold in predictions.folds) if cross_validated else 0
    return SearchFacts(_criterion_title(model), bool(model.path_.is_loss), bool(model.path_.complete), n_stopped)


def describe_size_rule(model: Any, n_candidates: int) -> SizeRule:
    """Return how the model came to its number of columns, of those that could be selected."""
    asked = model.n_features
    of_fit = {name for name in model.column_names_ if model.why_[name]["selected"]}  # pairs have reasons, too
    if isinstance(asked, Real) or asked == "all" or of_fit != set(model.selection_.best.columns):  # select(k)
        return SizeRule("as requested", varies=False)
    most = None if isinstance(asked, str) or asked[1] is None or asked[1] >= n_candidates else int(asked[1])
    if _learns_points_together(model):
        if asked == "best":
            return SizeRule("all that have a visible effect")
        n_others, lost = len(model.classes_) - 1, 1.0 - float(model.min_gain)
        kept = f"chosen to keep {1.0 - lost / n_others:.2%} of the improvement over class frequencies"
        kept = re.sub(r"\.?0+%", "%", kept)
        if n_others > 1:
            kept += (
                f" (with two classes {100.0 * lost:.4g}% may be lost, with {n_others + 1} classes 1/{n_others} of that)"
            )
        return SizeRule(kept, most)
    if model.one_se:
        return SizeRule("the fewest within one standard error of the best score of the selection", most)
    if model.tol:
        return SizeRule(f"each of which improved the score of the selection by more than {model.tol:g}", most)
    return SizeRule("the number with the best score of the selection", most)
