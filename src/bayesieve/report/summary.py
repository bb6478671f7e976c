# SPDX-License-Identifier: BSD-3-Clause
"""The content of a report as plain data."""

import json
import platform
from collections import Counter
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import profile_columns
from bayesieve.explain.selection_reasons import DROPPED
from bayesieve.report.all_columns import describe_columns, describe_stability
from bayesieve.report.class_labels import format_label
from bayesieve.report.comparison import Comparison, describe_comparison
from bayesieve.report.data_warnings import describe_findings, find_warnings
from bayesieve.report.decision import describe_decision, own_threshold
from bayesieve.report.held_out_predictions import HeldOutPredictions, probability_model
from bayesieve.report.model_type import criterion_title, describe_model
from bayesieve.report.redundancy import describe_redundancy, use_matrix
from bayesieve.report.report_context import GOALS, ReportContext
from bayesieve.report.rounding import rounded
from bayesieve.report.selected_bins import describe_bins
from bayesieve.report.size_rule import describe_size_rule
from bayesieve.report.sizes import METRICS, describe_sizes, mark_sizes
from bayesieve.report.terms import describe_pairs, describe_terms
from bayesieve.report.verdict import Results, write_verdict
from bayesieve.report.what_if import describe_what_if

__all__ = ["library_versions", "summarize", "summary_json"]

_LIBRARIES = ("bayesieve", "numpy", "scipy", "scikit-learn", "narwhals", "polars")


def summarize(
    model: Any,
    X: Any,
    predictions: HeldOutPredictions,
    context: ReportContext,
    comparison: Comparison | None = None,
) -> dict[str, Any]:
    """Return goal, results and scores in types that JSON has; no row of the table is included.

    Parameters
    ----------
    model : fitted classifier
        A `ScorecardClassifier`, `SelectiveNaiveBayes`, `VoteClassifier` or `BoostClassifier` with
        ``scoring=("error", "auc", "brier", "log_loss")``, or a `BenefitClassifier` over one of them.
    X : data frame
        The training table; with a single model, the held-out rows, which then stand for all.
    predictions : HeldOutPredictions
        Predictions for rows by models that were fitted without them.
    context : ReportContext
        Target, goal and source.
    comparison : Comparison, default=None
        Predictions of other models for the same rows.
    """
    labels = [format_label(each) for each in model.classes_.tolist()]
    counts = np.bincount(predictions.target, minlength=len(labels))
    positive = None if context.positive is None else labels.index(format_label(context.positive))
    threshold = None if positive is None else own_threshold(model, positive)
    decision = None if positive is None else describe_decision(model, predictions, context, positive)
    model = probability_model(model)
    profiles = profile_columns(X, model.column_names_)
    shown_classes = _shown_classes(counts, positive)
    sizes = describe_sizes(model, predictions, shown_classes, threshold)
    compared = describe_comparison(predictions, comparison)
    marks = mark_sizes(sizes, compared["models"][0]["scores"]["log_loss"]["mean"])
    evaluation, search = _describe_evaluation(predictions), _describe_search(model, predictions)
    selected = next(size for size in sizes if size["selected"])
    frequencies = (counts / counts.sum()).tolist()
    candidates = [each for each in profiles if model.why_[each.name]["reason"] != DROPPED]
    verdict = write_verdict(
        context,
        Results(
            len(candidates),
            labels,
            counts.tolist(),
            frequencies,
            selected,
            marks,
            decision,
            compared["models"],
            evaluation,
            search,
            describe_size_rule(model),
            max(size["n_columns"] for size in sizes),
        ),
    )
    warnings = find_warnings(model, candidates)
    if context.findings is None and predictions.n_train is not None:  # no column can be added to a fitted model
        warnings = {name: text for name, text in warnings.items() if name in model.scorecard_.columns}
    columns = describe_columns(model, profiles, predictions, warnings)
    redundancy = describe_redundancy(model, X)
    return {
        "format": "bayesieve report",
        "version": 1,
        "verdict": " ".join(verdict),
        "verdict_sentences": verdict,
        "context": _describe_context(context, positive),
        "data": {
            "n_rows": len(predictions.target),
            "n_columns": len(profiles),
            "n_candidates": len(candidates),
            "n_without_target": context.n_without_target,
            "types": dict(Counter(each.kind for each in candidates)),
            "classes": [{"label": label, "n_rows": int(n)} for label, n in zip(labels, counts, strict=True)],
            "fingerprint": context.fingerprint,
        },
        "evaluation": evaluation,
        "metrics": {name: {"title": title, "higher_is_better": higher} for name, (title, higher) in METRICS.items()},
        "model": describe_model(model),
        "search": search,
        "sizes": sizes,
        "marks": marks,
        "comparison": compared,
        "decision": decision,
        "columns": use_matrix(columns, redundancy),
        "bins": describe_bins(model, X, positive, predictions.rows_per_observation),
        "terms": describe_terms(model),
        "pairs": describe_pairs(model, shown_classes),
        "findings": describe_findings(context.findings),
        "redundancy": redundancy,
        "stability": describe_stability(model, predictions),
        "what_if": describe_what_if(model, positive, threshold) if context.what_if else None,
        "reproduce": {"command": context.command, "versions": library_versions(), "made": context.made},
    }


def _shown_classes(counts: NDArray[np.intp], positive: int | None) -> list[int]:
    """Return the classes that have curves and heat maps: the positive one of two, or all."""
    return [positive] if positive is not None else list(range(len(counts)))


def _describe_context(context: ReportContext, positive: int | None) -> dict[str, Any]:
    return {
        "source": context.source,
        "target": context.target,
        "goal": context.goal,
        "goal_title": GOALS[context.goal],
        "positive": positive,
        "floor": rounded(context.floor),
        "cost": rounded(context.cost),
        "amount": rounded(context.amount),
    }


def _describe_evaluation(predictions: HeldOutPredictions) -> dict[str, Any]:
    return {
        "method": predictions.method,
        "n_train": predictions.n_train,
        "n_folds": len(predictions.folds) if predictions.n_train is None else 0,
        "description": predictions.description,
        "rows_per_observation": rounded(predictions.rows_per_observation),
    }


def _describe_search(model: Any, predictions: HeldOutPredictions) -> dict[str, Any]:
    cross_validated = predictions.n_train is None
    return {
        "criterion": criterion_title(model),
        "is_loss": bool(model.path_.is_loss),
        "complete": bool(model.path_.complete),
        "n_stopped_folds": sum(not fold.complete for fold in predictions.folds) if cross_validated else 0,
    }


def library_versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that take part."""
    versions = {library: _version_of(library) for library in _LIBRARIES}
    return {"Python": platform.python_version(), **{name: each for name, each in versions.items() if each is not None}}


@cache
def _version_of(library: str) -> str | None:
    """Return an installed version, which is read from a file: once, for all reports of a process."""
    try:
        return version(library)
    except ModuleNotFoundError:
        return None


def summary_json(summary: dict[str, Any]) -> str:
    """Return a summary as JSON, one line per part."""
    parts = (f"{json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in summary.items())
    return "{\n" + ",\n".join(parts) + "\n}\n"
