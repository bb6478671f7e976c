# SPDX-License-Identifier: BSD-3-Clause
"""Elements of SVG pictures as text: the same input gives the same bytes, so that a change is seen in a diff."""

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["COLORS", "DASHES", "arrow", "circle", "document", "line", "polyline", "rectangle", "text"]

COLORS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#8c564b", "#2f2f8f", "#9aa800",
    "#b22222", "#117733", "#000000", "#f781bf", "#7a3db8", "#00b8a9",
)  # fmt: skip

DASHES = {"line": "", "dashed": "5 3", "dotted": "1.5 2.5", "dash-dot": "7 2 1.5 2"}
"""Kinds of lines, and their patterns."""


def document(width: float, height: float, elements: Iterable[str], title: str = "") -> str:
    """Return a picture with a white background."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" font-size="11">'
    )
    named = [f"<title>{escape(title)}</title>"] if title else []
    return "\n".join([head, *named, '<rect width="100%" height="100%" fill="white"/>', *elements, "</svg>", ""])


def line(x1: float, y1: float, x2: float, y2: float, color: str = "#333", style: str = "line") -> str:
    """Return a straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}"{_dash(style)}/>'


def arrow(x1: float, y1: float, x2: float, y2: float, color: str = "#666") -> str:
    """Return a straight line with a head at its second end."""
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    corners = [(x2, y2), *((x2 - 7 * dx + side * dy, y2 - 7 * dy - side * dx) for side in (-3, 3))]
    head = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return line(x1, y1, x2 - 5 * dx, y2 - 5 * dy, color) + f'<polygon points="{head}" fill="{color}"/>'


def _dash(style: str) -> str:
    return f' stroke-dasharray="{DASHES[style]}"' if DASHES[style] else ""


def polyline(points: Sequence[tuple[float, float]], color: str, style: str = "line") -> str:
    """Return a line through points."""
    dash = _dash(style)
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.5"{dash}/>'


def circle(x: float, y: float, radius: float, color: str, fill: str | None = None) -> str:
    """Return a circle, filled with its color unless another one is given."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" stroke="{color}" fill="{fill or color}"/>'


def rectangle(x: float, y: float, width: float, height: float, fill: str, stroke: str = "none") -> str:
    """Return a rectangle."""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}" stroke="{stroke}"/>'


def text(x: float, y: float, words: str, anchor: str = "middle", *, size: int = 11, turned: bool = False) -> str:
    """Return a line of text; ``anchor`` is "start", "middle" or "end"."""
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"{turn}>{escape(words)}</text>'
