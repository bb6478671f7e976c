"""Balanced error against the number of columns, as in figure 25.1: one panel per set, one point per method."""

from typing import Any

from bayesieve.experiments.chart import Chart, Panel, Series
from bayesieve.experiments.paper_002.printed import SETS

__all__ = ["pictures"]


def pictures(summary: dict[str, Any]) -> dict[str, str]:
    """Return the picture of finished sets."""
    names = list(dict.fromkeys(row["set"] for row in summary["challenge"]))
    return (
        {"plane.svg": Chart("Error and number of columns", [_panel(name, summary) for name in names]).svg()}
        if names
        else {}
    )


def _panel(name: str, summary: dict[str, Any]) -> Panel:
    points = [
        Series(row["variant"], [100 * row["ber"]], [max(1, row["n_columns"])], "points")
        for row in summary["challenge"]
        if row["set"] == name
    ]
    points += [
        Series("ESNB and perceptron", [100 * row["ber"]], [max(1, row["n_columns"])], "points")
        for row in summary["perceptron"]
        if row["set"] == name
    ]
    printed = SETS[name]
    points.append(Series("paper, ESNB", [printed.esnb.ber], [printed.size], "points"))
    points.append(Series("paper, ESNB and perceptron", [printed.perceptron.ber], [printed.later_size], "points"))
    return Panel(name, "balanced error, %", "number of columns", points, log_y=True)
