# SPDX-License-Identifier: BSD-3-Clause
"""Balanced error against the number of columns, as in figure 25.1: a panel of means, and one panel per set.

Means are over the same sets for all points. The chapter's points are of test rows, ours of validation rows or folds.
"""

from collections.abc import Sequence
from statistics import mean
from typing import Any

from bayesieve.papers.chart import Chart, Panel, Series
from bayesieve.papers.paper_002.printed import LATER_WINNERS, SETS, WINNERS

__all__ = ["pareto_curve", "pictures"]

Point = tuple[str, float, float]


def pictures(summary: dict[str, Any]) -> dict[str, str]:
    """Return the picture of finished sets."""
    names = list(dict.fromkeys(row["set"] for row in summary["challenge"]))
    if not names:
        return {}
    panels = [_overall(summary, names), *(_panel(name, summary) for name in names)]
    return {"plane.svg": Chart("Error and number of columns", panels).svg()}


def pareto_curve(points: Sequence[Point]) -> list[tuple[float, float]]:
    """Return the points that no other one betters in both ways, from the lowest error on."""
    curve: list[tuple[float, float]] = []
    for _, error, size in sorted(points, key=lambda each: each[1:]):
        if not curve or size < curve[-1][1]:
            curve.append((error, size))
    return curve


def _overall(summary: dict[str, Any], names: Sequence[str]) -> Panel:
    """Return the plane of means over sets; sizes are percentages of the columns."""
    shares: dict[str, list[tuple[float, float]]] = {}
    for row in summary["challenge"]:
        share = 100 * max(1, row["n_columns"]) / row["n_table"]
        shares.setdefault(row["variant"], []).append((100 * row["ber"], share))
    for row in summary["scorecard"]:
        shares.setdefault("scorecard", []).append((100 * row["ber"], 100 * max(1, row["n_columns"]) / row["n_table"]))
    for row in summary["perceptron"]:
        share = 100 * max(1, row["n_columns"]) / row["n_table"]
        shares.setdefault("ESNB and perceptron", []).append((100 * row["ber"], share))
    points = [
        (title, mean(error for error, _ in each), mean(size for _, size in each))
        for title, each in shares.items()
        if len(each) == len(names)
    ]
    printed = {
        "paper, ESNB": [SETS[name].esnb for name in names],
        "paper, ESNB and perceptron": [SETS[name].perceptron for name in names],
        "paper, winner": [WINNERS[name] for name in names],
        "paper, later winner": [LATER_WINNERS[name] for name in names],
    }
    points += [
        (title, mean(one.ber for one in each), mean(one.features for one in each)) for title, each in printed.items()
    ]
    return _plane(f"means over {', '.join(names)}" if len(names) > 1 else "means", "columns, %", points)


def _panel(name: str, summary: dict[str, Any]) -> Panel:
    points = [
        (row["variant"], 100 * row["ber"], float(max(1, row["n_columns"])))
        for row in summary["challenge"]
        if row["set"] == name
    ]
    points += [
        ("ESNB and perceptron", 100 * row["ber"], float(max(1, row["n_columns"])))
        for row in summary["perceptron"]
        if row["set"] == name
    ]
    points += [
        ("scorecard", 100 * row["ber"], float(max(1, row["n_columns"])))
        for row in summary["scorecard"]
        if row["set"] == name
    ]
    printed, n_columns = SETS[name], SETS[name].n_columns
    points.append(("paper, ESNB", printed.esnb.ber, float(printed.size)))
    points.append(("paper, ESNB and perceptron", printed.perceptron.ber, float(printed.later_size)))
    for title, winners in (("paper, winner", WINNERS), ("paper, later winner", LATER_WINNERS)):
        points.append((title, winners[name].ber, winners[name].features / 100 * n_columns))
    return _plane(name, "number of columns", points)


def _plane(title: str, y_label: str, points: Sequence[Point]) -> Panel:
    """Return a panel of points, and the Pareto curve through the best of them."""
    curve = pareto_curve(points)
    series = [Series(name, [error], [size], "points") for name, error, size in points]
    errors, sizes = [error for error, _ in curve], [size for _, size in curve]
    line = Series("Pareto curve", errors, sizes, "dashed", color="#444444")
    return Panel(title, "balanced error, %", y_label, [*series, line], log_y=True)
