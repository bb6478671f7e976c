# SPDX-License-Identifier: BSD-3-Clause
"""Figures 1 and 2: errors along the forward and the boosted path."""

from typing import Any, Final

from bayesieve.papers.chart import Chart, Panel, Series

__all__ = ["pictures"]

_KINDS: Final = {"real": "KDD Cup 1998", "simulated": "simulated campaigns", "donor": "donor table"}
_FIGURES: Final = {
    "figure_1.svg": ("curve", "Forward selection"),
    "figure_2.svg": ("boosted_curve", "Boosted selection"),
}


def pictures(summary: dict[str, Any]) -> dict[str, str]:
    """Return both pictures, with one panel per kind of campaign."""
    return {
        file: Chart(
            title,
            [_panel(f"{title}, {words}", summary[kind], curve) for kind, words in _KINDS.items() if summary[kind]],
        ).svg()
        for file, (curve, title) in _FIGURES.items()
    }


def _panel(title: str, campaigns: dict[str, Any], curve: str) -> Panel:
    sizes = [point["n_columns"] for point in campaigns[curve]]
    series = [
        Series(rows, sizes, [point[f"mse_{rows}"] for point in campaigns[curve]], style)
        for rows, style in (("train", "dashed"), ("test", "line"))
    ]
    prior = campaigns["policies"]["mse_prior"]
    series.append(Series("class frequencies", [sizes[0], sizes[-1]], [prior, prior], "dashed"))
    return Panel(title, "number of columns", "MSE", series)
