# SPDX-License-Identifier: BSD-3-Clause
"""The model's own decisions on held-out rows."""

from typing import Any

import numpy as np

from bayesieve.report.held_out_predictions import HeldOutPredictions
from bayesieve.report.report_context import ReportContext
from bayesieve.report.rounding import rounded
from bayesieve.report.shares import wilson_interval

__all__ = ["describe_decision", "own_threshold"]


def own_threshold(model: Any, positive: int) -> float | None:
    """Return the probability above which the model predicts the positive class; None if it depends on the row."""
    if hasattr(model, "expected_benefit"):
        return None
    level = float(model.threshold_.probability)
    return level if positive == model.positive_index_ else 1.0 - level


def describe_decision(
    model: Any, predictions: HeldOutPredictions, context: ReportContext, positive: int
) -> dict[str, Any]:
    """Return the threshold, and counts, recall, precision and profit of the models' own decisions on held-out rows."""
    is_positive, acted = predictions.target == positive, predictions.predicted == positive
    true_positives, false_positives, false_negatives = (
        int(each.sum()) for each in (is_positive & acted, ~is_positive & acted, is_positive & ~acted)
    )
    described: dict[str, Any] = {
        "threshold": rounded(own_threshold(model, positive)),
        "true_positives": true_positives,
        "false_positives": false_positives,
        "false_negatives": false_negatives,
        "true_negatives": len(is_positive) - true_positives - false_positives - false_negatives,
        "recall": rounded(true_positives / is_positive.sum()) if is_positive.any() else None,
        "precision": rounded(true_positives / acted.sum()) if acted.any() else None,
    }
    for name, whole in (("recall", is_positive), ("precision", acted)):
        limits = wilson_interval(true_positives, whole.sum(), predictions.rows_per_observation)
        described[f"{name}_interval"] = [rounded(float(each)) for each in limits]
    if context.amount is not None and context.cost is not None:
        amounts = np.full(len(is_positive), context.amount) if context.amounts is None else context.amounts
        profits = np.where(is_positive, amounts, 0.0) - context.cost
        described["profit"] = rounded(float(profits[acted].sum()))
        described["profit_of_all_rows"] = rounded(float(profits.sum()))
    return described
