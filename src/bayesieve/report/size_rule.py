# SPDX-License-Identifier: BSD-3-Clause
"""The rule by which a model chose its number of columns, in words."""

from numbers import Real
from typing import Any

from bayesieve.report.model_type import learns_points_together

__all__ = ["describe_size_rule"]


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
    if learns_points_together(model):
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
