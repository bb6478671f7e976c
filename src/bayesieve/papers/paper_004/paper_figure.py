# SPDX-License-Identifier: BSD-3-Clause
"""Test error against the number of indicators along the path, one line per method."""

from collections.abc import Callable
from typing import Any, Final

from bayesieve.papers.chart import Chart, Panel, Series

__all__ = ["pictures"]

_FILTERS: Final = ("mi", "mrmr")
_STYLES: Final = {"error": "dashed", "error_probability": "line", "brier": "dotted", "log_loss": "dash-dot"}
_HIGHEST: Final = 1.4  # of the smallest error, where curves are cut


def pictures(summary: dict[str, Any]) -> dict[str, str]:
    """Return one panel of the paper's methods and one of the others; points are the selected subsets.

    A search has a color, and a criterion a kind of line.
    """
    rows = summary["rows"]
    if not rows:
        return {}
    highest = _HIGHEST * min(row["error"] for row in rows)
    groups: dict[str, Callable[[dict[str, Any]], bool]] = {
        "Filters and forward searches of the paper": lambda row: row["printed_size"] and row["key"][:8] != "backward",
        "Searches of the paper that begin backward": lambda row: row["printed_size"] and row["key"][:8] == "backward",
        "Other criteria and searches": lambda row: not row["printed_size"],
    }
    panels = [
        Panel(
            title,
            "number of indicators",
            "test error",
            [series for row in rows if is_shown(row) for series in _series(row, highest)],
            log_x=True,
        )
        for title, is_shown in groups.items()
    ]
    return {"paths.svg": Chart("Best subset of each size", panels, width=480, height=340).svg()}


def _series(row: dict[str, Any], highest: float) -> list[Series]:
    """Return the part of the curve below a limit, and the selected subset."""
    search, criterion = row["key"].split(", ")
    style = "line" if search in _FILTERS else _STYLES[criterion]
    points = [(size, error) for size, error in row["curve"] if error < highest]
    curve = Series(row["method"], [size for size, _ in points], [error for _, error in points], style, search)
    return [curve, Series(row["method"], [max(row["size"], 1.0)], [row["error"]], "points", search)]
