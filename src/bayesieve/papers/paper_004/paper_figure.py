# SPDX-License-Identifier: BSD-3-Clause
"""Test error against the number of indicators along the path, one line per method."""

from typing import Any

from bayesieve.papers.chart import Chart, Panel, Series

__all__ = ["pictures"]


def pictures(summary: dict[str, Any]) -> dict[str, str]:
    """Return one panel of the paper's methods and one of the others; points are the selected subsets."""
    rows = summary["rows"]
    groups = {"Methods of the paper": True, "Other criteria and searches": False}
    panels = [
        Panel(
            title,
            "number of indicators",
            "test error",
            [series for row in rows if (row["printed_size"] is not None) == is_printed for series in _series(row)],
            log_x=True,
        )
        for title, is_printed in groups.items()
    ]
    return {"paths.svg": Chart("Best subset of each size", panels, width=480, height=340).svg()}


def _series(row: dict[str, Any]) -> list[Series]:
    """Return the part of the curve within twice the error of the selected subset, and that subset."""
    points = [(size, error) for size, error in row["curve"] if error < 2 * row["error"]]
    line = Series(row["method"], [size for size, _ in points], [error for _, error in points])
    return [line, Series(row["method"], [max(row["size"], 1.0)], [row["error"]], "points")]
