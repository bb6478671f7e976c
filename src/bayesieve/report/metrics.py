# SPDX-License-Identifier: BSD-3-Clause
"""The metrics of a report, and scores with their standard errors."""

from dataclasses import dataclass
from typing import Final

__all__ = ["METRICS", "TITLES", "Metric", "Score", "goal_metrics"]


@dataclass(frozen=True)
class Metric:
    """The title of a metric, and whether higher is better."""

    title: str
    higher_is_better: bool

    @property
    def directed_title(self) -> str:
        """The title, with the direction if lower is better."""
        return self.title + ("" if self.higher_is_better else " (lower is better)")


METRICS: Final = {
    "log_loss": Metric("log loss", False),
    "brier": Metric("Brier score", False),
    "auc": Metric("ROC AUC", True),
    "accuracy": Metric("accuracy", True),
}


TITLES: Final = {name: metric.title for name, metric in METRICS.items()} | {
    "recall": "recall",
    "precision": "precision",
    "profit": "profit per row",
}
"""Titles of the metrics of new rows."""


def goal_metrics(goal: str, floor: float | None) -> dict[str, Metric]:
    """Return the measures of a goal, the most telling first; of goals without decisions, none.

    Thresholds hold recall (or precision) near its minimum at every size, so that the other one tells sizes apart.
    """
    if goal == "profit":
        return {"profit": Metric("profit", True)}
    if goal not in ("recall", "precision"):
        return {}
    other = "precision" if goal == "recall" else "recall"
    minimum = "" if floor is None else f" (required: {floor:.0%})"
    return {other: Metric(other, True), goal: Metric(f"{goal}{minimum}", True)}


@dataclass(frozen=True)
class Score:
    """A score with its standard error."""

    mean: float
    standard_error: float
