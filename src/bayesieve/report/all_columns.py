# SPDX-License-Identifier: BSD-3-Clause
"""Every column of the table: type, missing values, scores, and the reason why it was selected or not."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from bayesieve.data import ColumnProfile
from bayesieve.report.held_out_predictions import HeldOutPredictions
from bayesieve.report.rounding import rounded

__all__ = ["describe_columns", "describe_stability"]


def describe_columns(
    model: Any, profiles: Sequence[ColumnProfile], predictions: HeldOutPredictions, warnings: dict[str, str]
) -> dict[str, list[Any]]:
    """Return the columns of a table with one row per column of the data."""
    n_selections = Counter(name for fold in predictions.folds for name in fold.columns)
    repeated = predictions.n_train is None
    place = {name: j for j, name in enumerate(model.column_names_)}
    weights, selected = model.scorecard_.weights, set(model.scorecard_.columns)
    why = [model.why_[profile.name] for profile in profiles]
    return {
        "name": [profile.name for profile in profiles],
        "type": [profile.kind for profile in profiles],
        "n_missing": [profile.n_missing for profile in profiles],
        "n_distinct": [profile.n_distinct for profile in profiles],
        "selected": [profile.name in selected for profile in profiles],
        "weight": [rounded(weights.get(profile.name)) for profile in profiles],
        "importance": [rounded(model.feature_importances_[place[profile.name]]) for profile in profiles],
        "score_alone": [rounded(_natural_score(model, entry["score_alone"])) for entry in why],
        "gain": [rounded(entry["gain"]) for entry in why],
        "redundant_with": [place.get(entry["redundant_with"]) for entry in why],
        "redundancy": [rounded(entry["redundancy"]) for entry in why],
        "step": [entry["step"] for entry in why],
        "reason": [entry["reason"] for entry in why],
        "n_folds_selected": [n_selections.get(profile.name, 0) if repeated else None for profile in profiles],
        "warning": [warnings.get(profile.name) for profile in profiles],
    }


def _natural_score(model: Any, score: float | None) -> float | None:
    """Return a score with its usual sign: a loss is positive."""
    return -score if score is not None and model.path_.is_loss else score


def describe_stability(model: Any, predictions: HeldOutPredictions) -> dict[str, Any]:
    """Return the mean Jaccard index of the selections of two folds, and the number of columns of each selection.

    "notes" are sentences about columns of the model that no fold selected, and about a model without columns. A
    single model has no selections to compare.
    """
    if predictions.n_train is not None:
        return {"n_folds": 0, "jaccard": None, "sizes": [], "notes": []}
    selections = [set(fold.columns) for fold in predictions.folds]
    indices = [len(a & b) / len(a | b) if a | b else 1.0 for a, b in combinations(selections, 2)]
    return {
        "n_folds": len(selections),
        "jaccard": rounded(sum(indices) / len(indices)),
        "sizes": [len(each) for each in selections],
        "notes": [*_empty(model, selections), *_unstable(model, set().union(*selections), len(selections))],
    }


def _empty(model: Any, selections: Sequence[set[str]]) -> list[str]:
    """Return a sentence about a model without columns, where folds have columns: the scores are theirs."""
    n_with = sum(map(bool, selections))
    if model.scorecard_.columns or not n_with:
        return []
    return [
        f"The model has no columns, but {n_with} of the {len(selections)} folds selected some: the cross-validated "
        "scores are those of their models. The model predicts class frequencies."
    ]


def _unstable(model: Any, selected_in_folds: set[str], n_folds: int) -> list[str]:
    """Return a sentence for each column of the model that no fold selected, the most important first."""
    shares = {name: model.feature_importances_[model.selection_.positions[name]] for name in model.scorecard_.columns}
    return [
        f"Column {name!r} has {share:.0%} of the importance here, and was selected in none of the {n_folds} folds: "
        "it may be selected by chance, or in place of a similar column."
        for name, share in sorted(shares.items(), key=lambda item: -item[1])
        if name not in selected_in_folds
    ]
