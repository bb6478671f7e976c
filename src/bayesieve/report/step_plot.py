# SPDX-License-Identifier: BSD-3-Clause
"""The contribution of a numeric column as steps over its values, with intervals and the share of the rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import asinh, log10
from typing import Any

import numpy as np

from bayesieve.report.axis import Axis, nice_ticks
from bayesieve.report.chart import Chart
from bayesieve.report.markup import Markup, tag

__all__ = ["Steps", "step_plot"]

_WIDE = 1.959964  # standard errors of a 95 % interval
_SKEWED = 0.15  # share of the range that the middle half of the bounds has on a skewed axis
_EXTRA = 46  # width of a bin beside the axis


@dataclass(frozen=True)
class Steps:
    """What is drawn for a column.

    Attributes
    ----------
    bounds : sequence of float
        The inner bounds of its intervals.
    lines : sequence of sequences of float
        The values of all bins, intervals first; more than one line for more than two classes.
    errors : sequence of float or None
        Standard errors of the first line; None without.
    n_rows : sequence of float
        Rows per bin.
    labels : sequence of str
        The labels of the bins.
    tooltips : sequence of str
        What is shown on hover, per bin; empty for none.
    bound_labels : sequence of str or None
        The bounds as text, if they are dates or times.
    """

    bounds: Sequence[float]
    lines: Sequence[Sequence[float]]
    errors: Sequence[float | None] | None
    n_rows: Sequence[float]
    labels: Sequence[str]
    tooltips: Sequence[str] = ()
    bound_labels: Sequence[str] | None = None


def step_plot(steps: Steps, name: str, measure: str) -> Markup:
    """Return the chart; bins of special and missing values stand to its right."""
    n_intervals = len(steps.bounds) + 1
    n_extra = len(steps.n_rows) - n_intervals
    axis, edges = _value_axis(steps, name)
    low, high = _limits(steps)
    chart = Chart(
        f"Contribution of {name} by value",
        axis,
        Axis(low, high, measure, format="{:.3g}".format),
        width=440,
        height=230,
        right=12 + _EXTRA * min(n_extra, 3),
    )
    if n_extra:
        chart.beside = _extra_place(chart, 0), _short(steps.labels[n_intervals])
    _draw_rows(chart, steps, edges)
    if low < 0 < high:
        chart.horizontal(0.0, "zero")
    if steps.errors is not None:
        _draw_intervals(chart, steps, edges)
    for k, line in enumerate(steps.lines):
        points = [(x, y) for i, y in enumerate(line[:n_intervals]) for x in (edges[i], edges[i + 1])]
        chart.line(points, "held-out" if len(steps.lines) == 1 else f"k{k}")
    _draw_extra(chart, steps, n_intervals)
    return chart.svg(class_="wide step")


def _value_axis(steps: Steps, name: str) -> tuple[Axis, list[float]]:
    """Return the axis of values and the ends of all intervals; open intervals have a short end."""
    bounds = np.asarray(steps.bounds, dtype=np.float64)
    transform, inverse, title = _scale(bounds, name)
    places = [transform(bound) for bound in bounds.tolist()]
    room = 0.08 * (places[-1] - places[0]) or 0.5 * abs(places[0]) or 1.0
    low, high = inverse(places[0] - room), inverse(places[-1] + room)
    if steps.bound_labels is None:
        ticks = nice_ticks(low, high) if title == name else _power_ticks(low, high)
        if (np.abs(bounds % 1) == 0.5).all():  # between integers
            ticks = [tick for tick in ticks if tick.is_integer()] or ticks
        axis = Axis(low, high, title, ticks, transform=transform)
    else:
        texts = dict(zip(bounds.tolist(), steps.bound_labels, strict=True))
        shown = [bounds.tolist()[i] for i in sorted({0, len(bounds) // 2, len(bounds) - 1})]
        axis = Axis(low, high, title, shown, texts.__getitem__, transform)
    return axis, [low, *bounds.tolist(), high]


def _scale(bounds: Any, name: str) -> tuple[Callable[[float], float], Callable[[float], float], str]:
    """Return the scale of the axis and its inverse: linear, or nearly logarithmic if bounds are crowded."""
    if len(bounds) >= 4:
        quarter, three_quarters = np.quantile(bounds, [0.25, 0.75])
        if three_quarters - quarter < _SKEWED * (bounds[-1] - bounds[0]):
            title = f"{name} (logarithmic scale)"
            if bounds[0] > 0:
                return log10, (lambda u: float(10.0**u)), title
            unit = float(np.quantile(np.abs(bounds[bounds != 0]), 0.25))
            return (lambda x: asinh(x / unit)), (lambda u: float(np.sinh(u)) * unit), title
    return float, float, name


def _power_ticks(low: float, high: float) -> list[float]:
    largest = max(abs(low), abs(high))
    powers = [10.0**k for k in range(int(log10(largest)) - 3, int(log10(largest)) + 1)]
    ticks = sorted({0.0, *powers, *(-power for power in powers)})
    inside = [tick for tick in ticks if low <= tick <= high]
    return inside if len(inside) > 2 else nice_ticks(low, high, 4)


def _limits(steps: Steps) -> tuple[float, float]:
    """Return the range of values; intervals may widen it by a third only."""
    values = np.array(steps.lines, dtype=np.float64)
    low, high = float(values.min()), float(values.max())
    room = 0.35 * (high - low) or 0.5
    if steps.errors is None:
        return low - 0.08 * (high - low or 1.0), high + 0.08 * (high - low or 1.0)
    half = np.array([_WIDE * (error or 0.0) for error in steps.errors])
    return max(float((values[0] - half).min()), low - room), min(float((values[0] + half).max()), high + room)


def _interval(chart: Chart, steps: Steps, i: int) -> tuple[float, float]:
    """Return the ends of a bin's interval, within the chart."""
    assert steps.errors is not None
    half, value = _WIDE * (steps.errors[i] or 0.0), steps.lines[0][i]
    return max(value - half, chart.y.low), min(value + half, chart.y.high)


def _draw_intervals(chart: Chart, steps: Steps, edges: Sequence[float]) -> None:
    path = ""
    for i in range(len(edges) - 1):
        low, high = _interval(chart, steps, i)
        left, right = chart.across(edges[i]), chart.across(edges[i + 1])
        path += f"M{left:.1f} {chart.up(low):.1f}V{chart.up(high):.1f}H{right:.1f}V{chart.up(low):.1f}z"
    chart.shapes.append(tag("path", class_="band", d=path))


def _draw_rows(chart: Chart, steps: Steps, edges: Sequence[float]) -> None:
    """Add a strip at the bottom, darker where more rows are, and what is shown on hover."""
    most = max(steps.n_rows) or 1.0
    for i in range(len(edges) - 1):
        left, right = chart.across(edges[i]), chart.across(edges[i + 1])
        strength = f"{0.08 + 0.92 * steps.n_rows[i] / most:.2f}".rstrip("0")
        place = {"x": f"{left:.1f}", "width": f"{max(right - left - 0.4, 0.4):.1f}"}
        chart.shapes.append(tag("rect", class_="strip", y=chart.bottom - 5, height=5, fill_opacity=strength, **place))
        if steps.tooltips:
            chart.shapes.append(
                tag("rect", tag("title", steps.tooltips[i]), class_="target", y=10, height=chart.bottom - 10, **place)
            )


def _draw_extra(chart: Chart, steps: Steps, n_intervals: int) -> None:
    """Add the bins of special and missing values, three at most."""
    for k, i in enumerate(range(n_intervals, min(len(steps.n_rows), n_intervals + 3))):
        x = _extra_place(chart, k)
        shapes = []
        if steps.errors is not None:
            low, high = _interval(chart, steps, i)
            shapes.append(tag("path", class_="whisker strong", d=f"M{x:.1f} {chart.up(low):.1f}V{chart.up(high):.1f}"))
        for c, line in enumerate(steps.lines):
            kind = "held-out" if len(steps.lines) == 1 else f"k{c}"
            shapes.append(tag("circle", class_=f"dot {kind}", cx=f"{x:.1f}", cy=f"{chart.up(line[i]):.1f}", r=4))
        shapes.append(tag("text", _short(steps.labels[i]), x=f"{x:.1f}", y=chart.bottom + 15, text_anchor="middle"))
        tooltip = tag("title", steps.tooltips[i]) if steps.tooltips else None
        chart.shapes.append(tag("g", tooltip, *shapes))


def _extra_place(chart: Chart, k: int) -> float:
    return chart.edge + _EXTRA * (k + 0.5) + 4


def _short(label: str) -> str:
    return label if len(label) < 10 else label[:9] + "…"
