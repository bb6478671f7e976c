# SPDX-License-Identifier: BSD-3-Clause
"""Recall and precision against n, and the paper's two drawings."""

from typing import Any

from bayesieve.papers.chart import Chart, Panel, Series
from bayesieve.papers.paper_003.drawings import draw_graphical_model, draw_vote_table

__all__ = ["pictures"]


def pictures(summary: dict[str, Any]) -> dict[str, str]:
    """Return one panel per set, and the drawings, which do not depend on results."""
    drawn = {"graphical_model.svg": draw_graphical_model(), "vote_table.svg": draw_vote_table()}
    if summary["sets"]:
        panels = [_panel(row) for row in summary["sets"]]
        drawn["rates.svg"] = Chart("Recall and precision against n", panels, 3, width=330, height=230).svg()
    return drawn


def _panel(row: dict[str, Any]) -> Panel:
    series = []
    for place, name in enumerate(("recall", "precision")):
        for criterion, style in (("expected", "line"), ("log", "dashed")):
            rates = row[criterion]["votes"]
            points = [(n, each[place]) for n, each in enumerate(rates, 1) if each[place] is not None]
            series.append(Series(f"{name}, {criterion}", [n for n, _ in points], [y for _, y in points], style, name))
    return Panel(row["set"], "votes needed, n", "", series)
