# SPDX-License-Identifier: BSD-3-Clause
"""Charts as SVG: two axes, and lines, steps, bars, dots and intervals between them.

A chart carries its scales as attributes, so that the page's script can move lines and marks without drawing axes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bayesieve.report.axis import Axis
from bayesieve.report.markup import Markup, tag

__all__ = ["Chart"]

Point = tuple[float, float]


_WIDTHS = {"%": 14, ".": 5, ",": 5}
_DIGIT = 9


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
    beside: tuple[float, str] | None = None  # place and text of a label to the right of the axis, next to its ticks
    shapes: list[Markup] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Leave room for the title of the vertical axis beside its longest tick, in the larger type of a phone."""
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
        ticks, after = list[tuple[float, str]](), self.beside
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
