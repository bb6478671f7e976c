"""All that a report says, as plain data."""

import platform
from collections import Counter
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.data import profile_columns
from bayesieve.report.agreement import describe_agreement
from bayesieve.report.all_columns import describe_columns, describe_stability
from bayesieve.report.brief import brief
from bayesieve.report.chosen_bins import chosen_bins
from bayesieve.report.decision import describe_decision, own_threshold
from bayesieve.report.honest_rows import HonestRows
from bayesieve.report.question import GOALS, Question
from bayesieve.report.sizes import METRICS, describe_sizes
from bayesieve.report.suspicions import find_suspicions
from bayesieve.report.verdict import write_verdict

__all__ = ["summarize"]

_LIBRARIES = ("bayesieve", "numpy", "scipy", "scikit-learn", "narwhals", "polars")


def summarize(model: Any, X: Any, honest: HonestRows, question: Question) -> dict[str, Any]:
    """Return what was asked, what was found and what it is worth, in types that JSON has; no row of the table.

    Parameters
    ----------
    model : fitted classifier
        A `SelectiveNaiveBayes` with ``scoring=("error", "auc", "brier", "log_loss")``.
    X : data frame
        The table that it was fitted on; or the rows that were held out, which then stand for all.
    honest : HonestRows
        What models that have not seen the rows believe of them.
    question : Question
        What was asked.
    """
    labels = [_label(each) for each in model.classes_.tolist()]
    counts = np.bincount(honest.target, minlength=len(labels))
    positive = None if question.positive is None else labels.index(_label(question.positive))
    own = None if positive is None else own_threshold(model, positive)
    profiles = profile_columns(X)
    suspicions = find_suspicions(model, profiles)
    sizes = describe_sizes(model, honest, _curved(counts, positive), own)
    chosen = next(size for size in sizes if size["chosen"])
    told: dict[str, Any] = {"n_columns": len(profiles)}
    if positive is not None:
        told["decision"] = describe_decision(model, honest, question, positive)
    shares = (counts / counts.sum()).tolist()
    return {
        "format": "bayesieve report",
        "version": 1,
        "verdict": write_verdict(question, shares, labels, chosen, told),
        "question": _describe_question(question, labels, positive),
        "data": {
            "n_rows": len(honest.target),
            "n_columns": len(profiles),
            "n_without_target": question.n_without_target,
            "kinds": dict(Counter(each.kind for each in profiles)),
            "classes": [{"label": label, "rows": int(n)} for label, n in zip(labels, counts, strict=True)],
            "fingerprint": question.fingerprint,
        },
        "judged": {"n_fitted": honest.n_fitted, "n_groups": len(honest.folds), "words": honest.words},
        "metrics": {name: {"title": title, "rises": rises} for name, (title, rises) in METRICS.items()},
        "search": {
            "criterion": model.path_.criterion.replace("_", " "),
            "falls": bool(model.path_.is_loss),
            "complete": bool(model.path_.complete),
        },
        "sizes": sizes,
        "decision": told.get("decision"),
        "columns": describe_columns(model, profiles, honest, suspicions),
        "bins": chosen_bins(model, positive),
        "agreement": describe_agreement(model, X),
        "stability": describe_stability(honest),
        "reproduce": {"command": question.command, "versions": _versions()},
    }


def _curved(counts: NDArray[np.intp], positive: int | None) -> list[int]:
    """Return the classes that have curves: the positive one, or all, the most frequent first."""
    return [positive] if positive is not None else np.argsort(-counts, kind="stable").tolist()


def _describe_question(question: Question, labels: list[str], positive: int | None) -> dict[str, Any]:
    return {
        "source": question.source,
        "target": question.target,
        "goal": question.goal,
        "goal_in_words": GOALS[question.goal],
        "positive": positive,
        "floor": brief(question.floor),
        "cost": brief(question.cost),
        "amount": brief(question.amount),
    }


def _versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for library in _LIBRARIES:
        try:
            found[library] = version(library)
        except ModuleNotFoundError:
            continue
    return found


def _label(label: Any) -> str:
    """Return a class label as people write it: 1 and not 1.0."""
    return f"{label:.10g}" if isinstance(label, float) else str(label)
