# SPDX-License-Identifier: BSD-3-Clause
"""Figures 2, 3 and 4: bars per data set, bars per classifier, and boxes of all scores."""

from typing import Any, Final

from bayesieve.papers.chart import Bars, Boxes, Chart

__all__ = ["pictures"]

_METRICS: Final = ("recall", "precision", "accuracy")


def pictures(summary: dict[str, Any]) -> dict[str, str]:
    """Return the pictures of finished sets."""
    if not summary["sets"]:
        return {}
    short = {row["set"]: row["short"] for row in summary["sets"]}
    drawn = {}
    for number, title in ((2, "Means per data set"), (3, "Means per classifier")):
        panels = [_bars(metric, summary[f"figure_{number}"][metric], short) for metric in _METRICS]
        drawn[f"figure_{number}.svg"] = Chart(title, panels, n_columns=1, width=1000, height=230).svg()
    boxes = [Boxes("", metric, summary["figure_4"][metric]) for metric in _METRICS]
    return drawn | {"figure_4.svg": Chart("Distribution of all scores", boxes, 1, width=700, height=230).svg()}


def _bars(metric: str, rows: dict[str, dict[str, float]], short: dict[str, str]) -> Bars:
    groups = [short.get(name, name) for name in rows]
    selectors = next(iter(rows.values()))
    return Bars("", metric, groups, {each: [row[each] for row in rows.values()] for each in selectors})
