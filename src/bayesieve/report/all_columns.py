"""Every column of the table: what it is, what it says alone and beside others, and why it was kept or not."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from bayesieve.data import ColumnProfile
from bayesieve.report.brief import brief
from bayesieve.report.honest_rows import HonestRows

__all__ = ["describe_columns", "describe_stability"]


def describe_columns(
    model: Any, profiles: Sequence[ColumnProfile], honest: HonestRows, suspicions: dict[str, str]
) -> dict[str, list[Any]]:
    """Return the columns of a table with a row for each column of the data."""
    folds = Counter(name for fold in honest.folds for name in fold.columns)
    place = {name: j for j, name in enumerate(model.column_names_)}
    why = [model.why_[profile.name] for profile in profiles]
    return {
        "name": [profile.name for profile in profiles],
        "kind": [profile.kind for profile in profiles],
        "missing": [profile.n_missing for profile in profiles],
        "distinct": [profile.n_distinct for profile in profiles],
        "weight": [brief(model.weights_.get(profile.name)) for profile in profiles],
        "importance": [brief(model.feature_importances_[place[profile.name]]) for profile in profiles],
        "alone": [brief(_natural(model, entry["score_alone"])) for entry in why],
        "gain": [brief(entry["gain"]) for entry in why],
        "partner": [place.get(entry["redundant_with"]) for entry in why],
        "redundancy": [brief(entry["redundancy"]) for entry in why],
        "step": [entry["step"] for entry in why],
        "reason": [entry["reason"] for entry in why],
        "folds": [folds.get(profile.name, 0) if honest.n_fitted is None else None for profile in profiles],
        "suspicion": [suspicions.get(profile.name) for profile in profiles],
    }


def _natural(model: Any, score: float | None) -> float | None:
    """Return a score as people know it: a loss is positive."""
    return -score if score is not None and model.path_.is_loss else score


def describe_stability(honest: HonestRows) -> dict[str, Any]:
    """Return how much the selections of the folds agree: the mean Jaccard index of two, and their sizes.

    A model that was fitted once tells nothing of that.
    """
    if honest.n_fitted is not None:
        return {"n_folds": 0, "jaccard": None, "sizes": []}
    chosen = [set(fold.columns) for fold in honest.folds]
    agreements = [len(a & b) / len(a | b) if a | b else 1.0 for a, b in combinations(chosen, 2)]
    return {
        "n_folds": len(chosen),
        "jaccard": brief(sum(agreements) / len(agreements)),
        "sizes": [len(each) for each in chosen],
    }
