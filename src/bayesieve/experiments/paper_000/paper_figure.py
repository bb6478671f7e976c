# SPDX-License-Identifier: BSD-3-Clause
"""Figure 1: errors along the forward path."""

from typing import Any

from bayesieve.experiments.chart import Chart, Panel, Series

__all__ = ["pictures"]


def pictures(summary: dict[str, Any]) -> dict[str, str]:
    """Return the picture of each kind of campaign side by side."""
    panels = [_panel(name, summary[name]) for name in ("real", "simulated") if summary[name] is not None]
    return {"path.svg": Chart("Mean squared error along the path", panels).svg()}


def _panel(name: str, campaigns: dict[str, Any]) -> Panel:
    sizes = [point["n_columns"] for point in campaigns["curve"]]
    series = [
        Series(rows, sizes, [point[f"mse_{rows}"] for point in campaigns["curve"]], style)
        for rows, style in (("train", "dashed"), ("test", "line"))
    ]
    prior = campaigns["policies"]["mse_prior"]
    series.append(Series("class frequencies", [sizes[0], sizes[-1]], [prior, prior], "dashed"))
    return Panel(f"Forward selection, {name}", "number of columns", "MSE", series)
