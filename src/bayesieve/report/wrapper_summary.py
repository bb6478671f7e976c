# SPDX-License-Identifier: BSD-3-Clause
"""The content of a report of a `WrapperSelector` as plain data."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesieve.estimators.wrapper_selector import WrapperSelector
from bayesieve.evaluation.outer_cv import OuterSelection, evaluate_wrapper, scorer_names
from bayesieve.report.formats import digits, plural
from bayesieve.report.rounding import rounded
from bayesieve.report.summary import library_versions

__all__ = ["summarize_wrapper"]


def summarize_wrapper(
    selector: WrapperSelector,
    X: Any,
    y: Any,
    cv: int,
    row_values: Mapping[str, NDArray[Any]],
    advance: Callable[[], None],
) -> dict[str, Any]:
    """Fit a selector on all rows and without each outer fold; return path, sizes, scores and reasons."""
    labels, name = np.asarray(y), getattr(y, "name", None)
    parameters = selector.get_params(deep=False)
    fitted = type(selector)(**parameters).fit(X, labels, **row_values)
    folds = evaluate_wrapper(selector, X, labels, cv, row_values, advance)
    metrics = {each: _metric(each) for each in scorer_names(selector)}
    sizes = _sizes(fitted, folds, metrics)
    command = f"Report.from_estimator({' '.join(repr(selector).split())}, X, y, cv={cv})"
    summary = {
        "kind": "wrapper",
        "target": "target" if name is None else str(name),
        "estimator": type(selector.estimator).__name__,
        "search": selector.search,
        "n_rows": len(labels),
        "n_columns": len(fitted.column_names_),
        "n_folds": cv,
        "n_refits": fitted.n_refits_,
        "complete": fitted.path_.complete,
        "metrics": metrics,
        "sizes": sizes,
        "path": [_step(number, step, fitted.path_.is_loss) for number, step in enumerate(fitted.path_.steps, 1)],
        "columns": _columns(fitted, folds),
        "reproduce": {"command": command, "versions": library_versions()},
    }
    return {"verdict": _verdict(summary), **summary}


def _metric(name: str) -> dict[str, Any]:
    """Return title and sense of a scorer; a negative loss is shown as the loss."""
    return {"title": name.removeprefix("neg_").replace("_", " "), "higher_is_better": not name.startswith("neg_")}


def _sizes(
    fitted: WrapperSelector, folds: Sequence[OuterSelection], metrics: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the subset of each size, with its scores in the outer folds and in the folds of the search."""
    sizes, by_size = [], fitted.path_.best_by_size()
    places = {int(size): i for i, size in enumerate(fitted.cv_results_["n_features"])}
    signs = {name: 1.0 if metric["higher_is_better"] else -1.0 for name, metric in metrics.items()}
    for size in sorted({0, *by_size}):
        held_out = {}
        for m, (name, sign) in enumerate(signs.items()):
            values = sign * np.array([fold.scores[size][m] for fold in folds if size in fold.scores])
            held_out[name] = _mean(values[np.isfinite(values)])
        inner = {}
        for m, (name, sign) in enumerate(signs.items()):
            key = "mean_test_score" if m == 0 else f"mean_test_{name}"
            known = size in places and key in fitted.cv_results_
            inner[name] = rounded(sign * fitted.cv_results_[key][places[size]]) if known else None
        columns = by_size[size].columns if size in by_size else ()
        chosen = size == len(fitted.path_.order)
        columns = fitted.path_.order if chosen else columns
        sizes.append(
            {"n_columns": size, "columns": list(columns), "selected": chosen, "held_out": held_out, "optimistic": inner}
        )
    return sizes


def _mean(values: NDArray[np.float64]) -> dict[str, Any]:
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else None
    return {
        "mean": rounded(values.mean()) if len(values) else None,
        "standard_error": None if error is None else rounded(error),
        "n_folds": len(values),
    }


def _step(number: int, step: Any, is_loss: bool) -> dict[str, Any]:
    score = None if not np.isfinite(step.score) else rounded(-step.score if is_loss else step.score)
    runner_up = None if step.runner_up is None else str(step.runner_up)
    names = {"step": number, "action": step.action, "column": step.column, "n_columns": step.n_features}
    return {**names, "score": score, "runner_up": runner_up}


def _columns(fitted: WrapperSelector, folds: Sequence[OuterSelection]) -> list[dict[str, Any]]:
    described = []
    for name, reason in fitted.why_.items():
        known = {key: reason.get(key) for key in ("selected", "step", "score_alone", "gain", "reason")}
        n_folds = sum(name in fold.selected for fold in folds)
        described.append({"name": name, "n_folds": n_folds, **{key: _plain(value) for key, value in known.items()}})
    return sorted(described, key=lambda each: (not each["selected"], -each["n_folds"]))


def _plain(value: Any) -> Any:
    return rounded(value) if isinstance(value, float) else value


def _verdict(summary: Mapping[str, Any]) -> str:
    """Return the result in one sentence: the score in the outer folds, and that of no feature."""
    name, metric = next(iter(summary["metrics"].items()))
    chosen = next(size for size in summary["sizes"] if size["selected"])
    score, baseline = chosen["held_out"][name], summary["sizes"][0]["held_out"][name]["mean"]
    text = f"{chosen['n_columns']} of {plural(summary['n_columns'], 'feature')} selected for {summary['estimator']}"
    if score["mean"] is not None:
        spread = "" if score["standard_error"] is None else f" ± {digits(score['standard_error'], 2)}"
        text += f": cross-validated {metric['title']} {digits(score['mean'])}{spread}"
        text += "" if baseline is None else f" (baseline {digits(baseline)})"
    return text + ("." if summary["complete"] else "; the search was ended before it was complete.")
