# SPDX-License-Identifier: BSD-3-Clause
"""Charts as SVG: two axes, and lines, steps, bars, dots and intervals between them.

A chart carries its scales as attributes, so that the page's script can move lines and marks without drawing axes.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import asinh, ceil, floor, log10
from typing import Any, Final

import numpy as np

from bayesieve.report.markup import Markup, tag

__all__ = ["Axis", "Chart", "Steps", "log_ticks", "nice_ticks", "share_axis", "step_plot"]

Point = tuple[float, float]

_DAY: Final = re.compile(r"-?\d+-\d\d-\d\d")
_STEPS: Final = (1, 2, 2.5, 5, 10)
_WIDTHS = {"%": 14, ".": 5, ",": 5}
_DIGIT = 9
_WIDE = 1.959964  # standard errors of a 95 % interval
_SKEWED = 0.15  # share of the range that the middle half of the bounds has on a skewed axis
_EXTRA = 46  # width of a bin to the right of the axis


def nice_ticks(low: float, high: float, n_ticks: int = 5, steps: Sequence[float] = _STEPS) -> list[float]:
    """Return round numbers between two, about as many as asked for: multiples of a step times a power of ten."""
    raw = (high - low or 1.0) / n_ticks
    power = 10.0 ** floor(log10(raw))
    step = next(each * power for each in steps if each * power >= raw * (1 - 1e-9))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Return powers of ten, their doubles and fives, between two positive numbers; other round ones if they are few."""
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    found = [m * 10.0**p for p in powers for m in (1, 2, 5) if low <= m * 10.0**p <= high]
    return found if len(found) > 1 else nice_ticks(low, high)


def _plain(value: float) -> str:
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:.3g}"


@dataclass(frozen=True)
class Axis:
    """A range of values with a title.

    Attributes
    ----------
    low, high : float
        The ends.
    title : str
        What the values are.
    ticks : sequence of float
        Where values are written; by default, at round numbers.
    format : callable
        The text of a tick.
    transform : callable
        The scale: the identity, or the logarithm.
    """

    low: float
    high: float
    title: str
    ticks: Sequence[float] = ()
    format: Callable[[float], str] = _plain
    transform: Callable[[float], float] = float

    @property
    def shown_ticks(self) -> Sequence[float]:
        """The values that are written."""
        return self.ticks or nice_ticks(self.low, self.high)

    def place(self, value: float, start: float, end: float) -> float:
        """Return where a value is, between the coordinates of the ends."""
        low, high = self.transform(self.low), self.transform(self.high)
        return start + (self.transform(value) - low) / (high - low or 1.0) * (end - start)


def share_axis(title: str, high: float = 1.0) -> Axis:
    """Return an axis of percentages from 0."""
    ticks = (0, 0.25, 0.5, 0.75, 1) if high == 1.0 else ()
    return Axis(0.0, high, title, ticks, lambda value: f"{100 * value:.4g}%")


def _width(text: str) -> int:
    """Return the width of a number in type of 14 pixels."""
    return sum(_WIDTHS.get(letter, _DIGIT) for letter in text)


@dataclass
class Chart:
    """A chart to which shapes are added, the first below the others."""

    label: str
    x: Axis
    y: Axis
    width: int = 260
    height: int = 210
    left: int = 46
    right: int = 12
    right_label: tuple[float, str] | None = (
        None  # place and text of a label to the right of the axis, next to its ticks
    )
    shapes: list[Markup] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Leave room for the title of the vertical axis next to its longest tick, in the larger type of a phone."""
        if self.y.title:
            widest = max((_width(self.y.format(value)) for value in self.y.shown_ticks), default=0)
            self.left = max(self.left, 23 + widest)

    @property
    def edge(self) -> int:
        """The horizontal coordinate of the right edge."""
        return self.width - self.right

    @property
    def bottom(self) -> int:
        """The vertical coordinate of the lower edge."""
        return self.height - 38

    def across(self, value: float) -> float:
        """Return the horizontal coordinate of a value."""
        return self.x.place(value, self.left, self.edge)

    def up(self, value: float) -> float:
        """Return the vertical coordinate of a value."""
        return self.y.place(value, self.bottom, 10)

    def line(self, points: Iterable[Point], kind: str, dots: float = 0) -> None:
        """Add a line through points, and a dot at each if dots have a radius."""
        points = list(points)
        self.shapes.append(tag("polyline", class_=f"line {kind}", points=self._places(points)))
        if dots:
            self.dots(points, kind, dots)

    def dots(self, points: Iterable[Point], kind: str, radius: float) -> None:
        """Add a dot at each point."""
        shapes = (self._dot(point, f"dot {kind}", radius) for point in points)
        self.shapes.append(tag("g", *shapes, class_=f"dots {kind}"))

    def mark(self, point: Point) -> None:
        """Add the mark of the present choice."""
        self.shapes.append(self._dot(point, "mark", 6))

    def area(self, upper: Sequence[Point], lower: Sequence[Point], kind: str) -> None:
        """Add the area between two lines."""
        self.shapes.append(tag("polygon", class_=f"area {kind}", points=self._places([*upper, *reversed(lower)])))

    def whiskers(self, ends: Iterable[tuple[float, float, float]], kind: str = "") -> None:
        """Add vertical intervals, each given by its place, its lower and its upper end."""
        path = "".join(f"M{self.across(x):.1f} {self.up(low):.1f}V{self.up(high):.1f}" for x, low, high in ends)
        self.shapes.append(tag("path", class_=f"whisker {kind}".strip(), d=path))

    def bars(self, bars: Iterable[tuple[float, float, float]], kind: str, base: float | None = None) -> None:
        """Add bars, each given by its left end, its right end and its value, from the lower edge or from a value."""
        floor_ = self.bottom if base is None else self.up(base)
        path = "".join(
            f"M{self.across(left) + 0.5:.1f} {floor_:.1f}V{self.up(value):.1f}"
            f"H{max(self.across(right) - 0.5, self.across(left) + 0.7):.1f}V{floor_:.1f}z"
            for left, right, value in bars
        )
        self.shapes.append(tag("path", class_=f"bar {kind}", d=path))

    def vertical(self, value: float, kind: str, text: str = "") -> None:
        """Add a vertical line, with a text at its top."""
        x = f"{self.across(value):.1f}"
        self.shapes.append(tag("line", class_=kind, x1=x, x2=x, y1=10, y2=self.bottom))
        if text:
            self.shapes.append(tag("text", text, x=x, y=20, class_="note", text_anchor="middle"))

    def horizontal(self, value: float, kind: str) -> None:
        """Add a horizontal line."""
        y = f"{self.up(value):.1f}"
        self.shapes.append(tag("line", class_=kind, x1=self.left, x2=self.edge, y1=y, y2=y))

    def diagonal(self) -> None:
        """Add the line from corner to corner."""
        ends = {"x1": self.left, "y1": self.bottom, "x2": self.edge, "y2": 10}
        self.shapes.append(tag("line", class_="diagonal", **ends))

    def svg(self, **attributes: str) -> Markup:
        """Return the chart as markup."""
        scales = {
            "data_x": f"{self.x.low:.6g} {self.x.high:.6g} {self.left} {self.edge}",
            "data_y": f"{self.y.low:.6g} {self.y.high:.6g} {self.bottom} 10",
        }
        view = f"0 0 {self.width} {self.height}"
        return tag(
            "svg", *self._axes(), *self.shapes, viewBox=view, role="img", aria_label=self.label, **scales, **attributes
        )

    def _axes(self) -> list[Markup]:
        middle, center = (10 + self.bottom) / 2, (self.left + self.edge) / 2
        shapes = []
        for value in self.y.shown_ticks:
            y = self.up(value)
            shapes.append(tag("line", class_="grid", x1=self.left, x2=self.edge, y1=f"{y:.1f}", y2=f"{y:.1f}"))
            shapes.append(tag("text", self.y.format(value), x=self.left - 6, y=f"{y + 4:.1f}", text_anchor="end"))
        for place, text in self._x_ticks():
            shapes.append(tag("text", text, x=f"{place:.1f}", y=self.bottom + 15, text_anchor="middle"))
        shapes.append(tag("text", self.x.title, x=center, y=self.height - 5, text_anchor="middle"))
        if self.y.title:
            turn = f"rotate(-90 11 {middle})"
            shapes.append(tag("text", self.y.title, x=11, y=middle, text_anchor="middle", transform=turn))
        return shapes

    def _x_ticks(self) -> list[tuple[float, str]]:
        """Return the places and texts of ticks, the last first, without those that would overlap."""
        ticks = list[tuple[float, str]]()
        after = self.right_label
        for value in reversed(self.x.shown_ticks):
            place, text = self.across(value), self.x.format(value)
            if after is None or after[0] - place > 3.2 * (len(text) + len(after[1])) + 4:
                after = place, text
                ticks.append(after)
        return ticks

    def _places(self, points: Iterable[Point]) -> str:
        return " ".join(f"{self.across(x):.1f},{self.up(y):.1f}" for x, y in points)

    def _dot(self, point: Point, kind: str, radius: float) -> Markup:
        x, y = self.across(point[0]), self.up(point[1])
        return tag("circle", class_=kind, cx=f"{x:.1f}", cy=f"{y:.1f}", r=radius)


@dataclass(frozen=True)
class Steps:
    """What is drawn for a column.

    Attributes
    ----------
    bounds : sequence of float
        The inner bounds of its intervals.
    lines : sequence of sequences of float
        The values of all bins, intervals first; more than one line for more than two classes.
    errors : sequence of sequences of float, or None
        Standard errors of the lines; None without.
    n_rows : sequence of float
        Rows per bin.
    labels : sequence of str
        The labels of the bins.
    tooltips : sequence of str
        What is shown on hover, per bin; empty for none.
    bound_labels : sequence of str or None
        The bounds as text, if they are dates or times.
    value_range : pair of float or None
        The smallest and the largest value, beyond which the axis does not go far.
    are_integers : bool
        Whether all values are integers, and so ticks are.
    """

    bounds: Sequence[float]
    lines: Sequence[Sequence[float]]
    errors: Sequence[Sequence[float | None]] | None
    n_rows: Sequence[float]
    labels: Sequence[str]
    tooltips: Sequence[str] = ()
    bound_labels: Sequence[str] | None = None
    value_range: Sequence[float] | None = None
    are_integers: bool = False


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
        chart.right_label = _extra_place(chart, 0), _short(steps.labels[n_intervals])
    _draw_rows(chart, steps, edges)
    if low < 0 < high:
        chart.horizontal(0.0, "zero")
    for k in range(len(steps.errors or ())):
        _draw_intervals(chart, steps, edges, k)
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
    if title == name:
        low, high = _within_values(steps, low, high)
    if steps.bound_labels is None:
        ticks = nice_ticks(low, high) if title == name else _power_ticks(low, high)
        if steps.are_integers or (np.abs(bounds % 1) == 0.5).all():  # between integers
            ticks = [tick for tick in ticks if tick.is_integer()] or [float(floor(high)), float(ceil(low))]
        axis = Axis(low, high, title, ticks, transform=transform)
    else:
        shown = sorted({0, len(bounds) // 2, len(bounds) - 1})
        labels = _days([steps.bound_labels[i] for i in shown])
        texts = dict(zip([bounds.tolist()[i] for i in shown], labels, strict=True))
        axis = Axis(low, high, title, list(texts), texts.__getitem__, transform)
    return axis, [low, *bounds.tolist(), high]


def _days(labels: list[str]) -> list[str]:
    """Return dates without the time of day, if they differ; a point in time is too wide for an axis."""
    days = [label.split(" ")[0] for label in labels]
    return days if len(set(days)) == len(days) and all(map(_DAY.fullmatch, days)) else labels


def _within_values(steps: Steps, low: float, high: float) -> tuple[float, float]:
    """Return the ends of the axis within the values, of integers at those next to the bounds at least."""
    if steps.value_range is None:
        return low, high
    smallest, largest = steps.value_range
    first, last = steps.bounds[0], steps.bounds[-1]
    if steps.are_integers:
        low, high = min(low, floor(first)), max(high, floor(last) + 1)
    least = 0.02 * (high - low)  # an interval that holds one value would have no width
    low, high = max(low, min(smallest, first - least)), min(high, max(largest, last + least))
    return (max(low, 0.0) if smallest >= 0.0 and first > 0.0 else low), high


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
    half = np.array([[_WIDE * (error or 0.0) for error in own] for own in steps.errors])
    return max(float((values - half).min()), low - room), min(float((values + half).max()), high + room)


def _interval(chart: Chart, steps: Steps, k: int, i: int) -> tuple[float, float]:
    """Return the ends of a bin's interval on a line, within the chart."""
    assert steps.errors is not None
    half, value = _WIDE * (steps.errors[k][i] or 0.0), steps.lines[k][i]
    return max(value - half, chart.y.low), min(value + half, chart.y.high)


def _draw_intervals(chart: Chart, steps: Steps, edges: Sequence[float], k: int) -> None:
    path, kind = "", "band" if len(steps.lines) == 1 else f"band k{k}"
    for i in range(len(edges) - 1):
        low, high = _interval(chart, steps, k, i)
        left, right = chart.across(edges[i]), chart.across(edges[i + 1])
        path += f"M{left:.1f} {chart.up(low):.1f}V{chart.up(high):.1f}H{right:.1f}V{chart.up(low):.1f}z"
    chart.shapes.append(tag("path", class_=kind, d=path))


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
        for c in range(len(steps.errors or ())):
            low, high = _interval(chart, steps, c, i)
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
