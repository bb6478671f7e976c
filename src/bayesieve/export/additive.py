"""The scorecard that is exported: one score per class and bin, which add up."""

from bayesieve.estimators.fitted_mixins import PredictionMixin
from bayesieve.exceptions import ExportError
from bayesieve.models import Scorecard, simplify_scorecard

__all__ = ["additive_scorecard"]


def additive_scorecard(model: PredictionMixin, form: str, max_bins: int | None) -> Scorecard:
    """Return the scorecard of a model, with at most ``max_bins`` bins per column; ``form`` is for the refusal."""
    card = model.scorecard_.additive()
    if card is None:
        raise ExportError(
            f"A {type(model).__name__} cannot be exported as {form}: its score is not a sum over columns."
        )
    return card if max_bins is None else simplify_scorecard(card, max_bins)
