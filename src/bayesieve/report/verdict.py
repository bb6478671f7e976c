"""The result in one sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

from bayesieve.report.class_labels import format_label
from bayesieve.report.report_context import ReportContext

__all__ = ["Results", "write_verdict"]


@dataclass(frozen=True)
class Results:
    """The numbers of a verdict.

    Attributes
    ----------
    n_columns : int
        Number of columns of the table.
    labels, frequencies : sequences
        The classes and their shares of the rows.
    size : dict
        The selected number of columns and its scores, as in `describe_sizes`.
    decision : dict or None
        The model's decisions, as in `describe_decision`.
    cross_validated : bool
        Whether scores are means over outer folds; otherwise over rows held out from one model.
    """

    n_columns: int
    labels: Sequence[str]
    frequencies: Sequence[float]
    size: dict[str, Any]
    decision: dict[str, Any] | None
    cross_validated: bool


def write_verdict(context: ReportContext, results: Results) -> str:
    """Return the number of selected columns and the score for the goal, beside the score without any column."""
    n_selected, n_columns = results.size["n_columns"], results.n_columns
    if not n_selected:
        return f"No column is informative about {context.target}: class frequencies are the best prediction."
    enough = (
        f"{n_selected} of {n_columns} columns are enough" if n_selected > 1 else f"One of {n_columns} columns is enough"
    )
    return f"{enough}: {_SENTENCES[context.goal](context, results)}."


def _probability(context: ReportContext, results: Results) -> str:
    baseline = -sum(share * log(share) for share in results.frequencies if share > 0)
    loss = results.size["held_out"]["log_loss"]
    figures = f"{loss['mean']:.3f} ± {loss['standard_error']:.3f}"
    return f"the {_how(results)} log loss is {figures}, against {baseline:.3f} for class frequencies alone"


def _ranking(context: ReportContext, results: Results) -> str:
    area = results.size["held_out"]["auc"]
    figures = f"{area['mean']:.3f} ± {area['standard_error']:.3f}"
    return f"the {_how(results)} ROC AUC is {figures}, against 0.5 for a random order"


def _accuracy(context: ReportContext, results: Results) -> str:
    accuracy = results.size["held_out"]["accuracy"]
    most = max(range(len(results.frequencies)), key=results.frequencies.__getitem__)
    figures = f"{accuracy['mean']:.1%} ± {accuracy['standard_error']:.1%}"
    baseline = f"{results.frequencies[most]:.1%} for always predicting {results.labels[most]}"
    return f"the {_how(results)} accuracy is {figures}, against {baseline}"


def _recall(context: ReportContext, results: Results) -> str:
    assert results.decision is not None
    recall, precision = (_share(results.decision[name]) for name in ("recall", "precision"))
    label = format_label(context.positive)
    return f"the {_how(results)} recall of {label} is {recall}{_minimum(context)}, with a precision of {precision}"


def _precision(context: ReportContext, results: Results) -> str:
    assert results.decision is not None
    recall, precision = (_share(results.decision[name]) for name in ("recall", "precision"))
    label = format_label(context.positive)
    return f"the {_how(results)} precision for {label} is {precision}{_minimum(context)}, with a recall of {recall}"


def _profit(context: ReportContext, results: Results) -> str:
    assert results.decision is not None
    counts = [results.decision[name] for name in ("true_positives", "false_positives")]
    others = [results.decision[name] for name in ("false_negatives", "true_negatives")]
    profit, everyone = results.decision["profit"], results.decision["profit_of_all_rows"]
    acted = f"acting on {sum(counts):,} of {sum(counts) + sum(others):,} rows"
    return f"{acted} gives a {_how(results)} profit of {profit:,.2f}, against {everyone:,.2f} for acting on all rows"


_SENTENCES = {
    "probability": _probability,
    "ranking": _ranking,
    "accuracy": _accuracy,
    "recall": _recall,
    "precision": _precision,
    "profit": _profit,
}


def _how(results: Results) -> str:
    return "cross-validated" if results.cross_validated else "held-out"


def _minimum(context: ReportContext) -> str:
    return "" if context.floor is None else f" (required: {context.floor:.0%})"


def _share(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.1%}"
