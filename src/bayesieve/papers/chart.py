# SPDX-License-Identifier: BSD-3-Clause
"""Charts as SVG, without a plotting library: panels of lines and points, or of groups of bars."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log10
from typing import Final

from bayesieve.papers.svg import COLORS, DASHES, circle, document, line, polyline, rectangle, text
from bayesieve.report.chart import Axis, log_ticks, nice_ticks

__all__ = ["Bars", "Boxes", "Chart", "Panel", "Series"]

_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 14, 30, 44  # margins of a panel
_LEGEND_ROW: Final = 18
_MOST_TICKS: Final = 9  # of a logarithmic axis: with more, only powers of ten have a number


@dataclass(frozen=True)
class Series:
    """Points of one name, which has the same color and kind of line in all panels.

    Attributes
    ----------
    name : str
        Its name in the legend.
    x, y : sequence of float
        The points.
    style : {"line", "dashed", "dotted", "dash-dot", "points"}
        A line through the points, or the points only.
    color_name : str
        Series with the same one share a color, and differ by their kinds of lines; by default, the name.
    color : str
        A color outside of the palette, for what is not one of the things compared.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    style: str = "line"
    color_name: str = ""
    color: str = ""


@dataclass(frozen=True)
class Panel:
    """Series in one coordinate system."""

    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Bars:
    """Groups of bars from zero: ``heights`` has one sequence per name, with one value per group."""

    title: str
    y_label: str
    groups: Sequence[str]
    heights: Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Boxes:
    """One box per name: minimum, quartiles and maximum."""

    title: str
    y_label: str
    quartiles: Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Chart:
    """Panels in rows of ``n_columns``, with one legend."""

    title: str
    panels: Sequence[Panel | Bars | Boxes]
    n_columns: int = 2
    width: int = 380
    height: int = 260

    def svg(self) -> str:
        """Return the picture."""
        entries = list(dict.fromkeys(entry for panel in self.panels for entry in _entries(panel)))
        colors = _colors(entries)
        n_columns = min(self.n_columns, len(self.panels))
        width, n_rows = n_columns * self.width, ceil(len(self.panels) / n_columns)
        legend, legend_height = _legend(entries, colors, width)
        elements = list(legend)
        for i, panel in enumerate(self.panels):
            x, y = (i % n_columns) * self.width, legend_height + (i // n_columns) * self.height
            elements.append(f'<g transform="translate({x} {y})">')
            elements += _panel(panel, colors, self.width, self.height)
            elements.append("</g>")
        return document(width, legend_height + n_rows * self.height, elements, self.title)


@dataclass(frozen=True)
class _Scale:
    """An axis between two places of the picture."""

    axis: Axis
    first: float
    last: float

    def __call__(self, value: float) -> float:
        return self.axis.place(value, self.first, self.last)

    @property
    def ticks(self) -> Sequence[float]:
        """The values that are written."""
        return self.axis.shown_ticks


@dataclass(frozen=True)
class _Entry:
    """An entry of the legend."""

    name: str
    color_name: str
    color: str
    style: str


def _entries(panel: Panel | Bars | Boxes) -> list[_Entry]:
    """Return the entries of the legend; boxes have their names below them."""
    if isinstance(panel, Boxes):
        return []
    if isinstance(panel, Bars):
        return [_Entry(name, name, "", "bar") for name in panel.heights]
    styles: dict[str, Series] = {}
    for each in panel.series:  # of a line and its points, the line
        if each.name not in styles or styles[each.name].style == "points":
            styles[each.name] = each
    return [_Entry(name, each.color_name or name, each.color, each.style) for name, each in styles.items()]


def _colors(entries: Sequence[_Entry]) -> dict[str, str]:
    """Return the color of each name; all that share no color name are distinct."""
    of_palette = list(dict.fromkeys(each.color_name for each in entries if not each.color))
    if len(of_palette) > len(COLORS):
        raise AssertionError(f"{len(of_palette)} names, and only {len(COLORS)} colors")
    palette = dict(zip(of_palette, COLORS, strict=False))
    return {each.name: each.color or palette[each.color_name] for each in entries}


def _panel(panel: Panel | Bars | Boxes, colors: Mapping[str, str], width: float, height: float) -> list[str]:
    if isinstance(panel, Boxes):
        return _boxes(panel, width, height)
    return _bars(panel, colors, width, height) if isinstance(panel, Bars) else _lines(panel, colors, width, height)


def _legend(entries: Sequence[_Entry], colors: Mapping[str, str], width: float) -> tuple[list[str], float]:
    elements: list[str] = []
    x, y = 12.0, 14.0
    for each in entries:
        sample = 22 if each.style in DASHES else 10
        room = 16 + sample + 6.2 * len(each.name)
        if x > 12 and x + room > width:
            x, y = 12.0, y + _LEGEND_ROW
        elements += [_sample(x, y, each.style, colors[each.name]), text(x + sample + 4, y, each.name, "start")]
        x += room
    return elements, y + 6 if entries else 0.0


def _sample(x: float, y: float, style: str, color: str) -> str:
    """Return what an entry of the legend looks like in the panels."""
    if style in DASHES:
        return line(x, y - 4, x + 22, y - 4, color, style)
    return circle(x + 5, y - 4, 3.5, color) if style == "points" else rectangle(x, y - 8, 10, 10, color)


def _scale(low: float, high: float, first: float, last: float) -> _Scale:
    return _Scale(Axis(low, high, "", nice_ticks(low, high, steps=(1, 2, 5, 10))), first, last)


def _scale_of(values: Sequence[float], first: float, last: float, *, log: bool) -> _Scale:
    low, high = min(values), max(values)
    if log:
        low, high = low / 1.15, high * 1.15
        ticks = log_ticks(low, high)
        if len(ticks) > _MOST_TICKS:
            ticks = [tick for tick in ticks if log10(tick) == round(log10(tick))]
        return _Scale(Axis(low, high, "", ticks, transform=log10), first, last)
    margin = 0.05 * (high - low) or 0.5
    return _scale(low - margin, high + margin, first, last)


def _frame(y_axis: _Scale, labels: tuple[str, str, str], width: float, height: float) -> list[str]:
    title, x_label, y_label = labels
    elements = [text(width / 2 + 20, 18, title, size=12), text(width / 2 + 20, height - 8, x_label)]
    elements.append(text(14, height / 2, y_label, turned=True))
    for tick in y_axis.ticks:
        elements += [line(_LEFT, y_axis(tick), width - _RIGHT, y_axis(tick), "#ddd")]
        elements.append(text(_LEFT - 5, y_axis(tick) + 4, f"{tick:.6g}", "end"))
    return [*elements, line(_LEFT, _TOP, _LEFT, height - _BOTTOM), *_base(width, height)]


def _base(width: float, height: float) -> list[str]:
    return [line(_LEFT, height - _BOTTOM, width - _RIGHT, height - _BOTTOM)]


def _lines(panel: Panel, colors: Mapping[str, str], width: float, height: float) -> list[str]:
    points = [(x, y) for each in panel.series for x, y in zip(each.x, each.y, strict=True)]
    if not points:
        return [text(width / 2, 18, panel.title, size=12)]
    x_axis = _scale_of([x for x, _ in points], _LEFT, width - _RIGHT, log=panel.log_x)
    y_axis = _scale_of([y for _, y in points], height - _BOTTOM, _TOP, log=panel.log_y)
    elements = _frame(y_axis, (panel.title, panel.x_label, panel.y_label), width, height)
    for tick in x_axis.ticks:
        elements += [line(x_axis(tick), height - _BOTTOM, x_axis(tick), height - _BOTTOM + 4)]
        elements.append(text(x_axis(tick), height - _BOTTOM + 16, f"{tick:.6g}"))
    for each in sorted(panel.series, key=lambda each: not each.color):  # others are drawn above curves and limits
        elements += _draw_series(each, colors[each.name], x_axis, y_axis)
    return elements


def _draw_series(
    series: Series, color: str, x_axis: Callable[[float], float], y_axis: Callable[[float], float]
) -> list[str]:
    places = [(x_axis(x), y_axis(y)) for x, y in zip(series.x, series.y, strict=True)]
    if series.style == "points":
        return [circle(x, y, 3.5, color) for x, y in places]
    has_dots = len(places) <= 25 and not series.color
    return [polyline(places, color, series.style), *(circle(x, y, 1.8, color) for x, y in places if has_dots)]


def _bars(panel: Bars, colors: Mapping[str, str], width: float, height: float) -> list[str]:
    values = [value for heights in panel.heights.values() for value in heights]
    y_axis = _scale(0.0, 1.02 * max(values), height - _BOTTOM, _TOP)
    elements = _frame(y_axis, (panel.title, "", panel.y_label), width, height)
    slot = (width - _LEFT - _RIGHT) / len(panel.groups)
    bar = 0.84 * slot / len(panel.heights)
    for g, group in enumerate(panel.groups):
        left = _LEFT + g * slot + 0.08 * slot
        elements.append(text(left + 0.42 * slot, height - _BOTTOM + 16, group))
        for i, (name, heights) in enumerate(panel.heights.items()):
            top = y_axis(heights[g])
            elements.append(rectangle(left + i * bar, top, bar * 0.9, height - _BOTTOM - top, colors[name]))
    return elements


def _boxes(panel: Boxes, width: float, height: float) -> list[str]:
    values = [value for five in panel.quartiles.values() for value in five]
    y_axis = _scale_of(values, height - _BOTTOM, _TOP, log=False)
    elements = _frame(y_axis, (panel.title, "", panel.y_label), width, height)
    slot = (width - _LEFT - _RIGHT) / len(panel.quartiles)
    for i, (name, five) in enumerate(panel.quartiles.items()):
        center, half = _LEFT + (i + 0.5) * slot, 0.3 * slot
        lowest, first, median, third, highest = map(y_axis, five)
        elements += [line(center, lowest, center, highest), text(center, height - _BOTTOM + 16, name)]
        elements.append(rectangle(center - half, third, 2 * half, first - third, "#cfe3f2", "#333"))
        elements.append(line(center - half, median, center + half, median, "#d55e00"))
    return elements
