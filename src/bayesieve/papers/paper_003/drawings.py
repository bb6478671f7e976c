# SPDX-License-Identifier: BSD-3-Clause
"""Drawings: the graphical model of papers 001 and 003, and the dynamic program's table for a small example."""

from typing import Final

from bayesieve.papers.svg import arrow, circle, document, rectangle, text

__all__ = ["EXAMPLE", "draw_graphical_model", "draw_vote_table", "vote_table"]

EXAMPLE: Final = (0.9, 0.6, 0.3, 0.8)
"""Probabilities of four columns' votes in one row."""


def draw_graphical_model() -> str:
    """Draw figure 1 of both papers: the row and the selected features are observed, the votes are latent."""
    places = (110, 250, 430)
    elements = [*_node(270, 40, "x", observed=True), *_node(270, 320, "y", observed=True)]
    for x, i in zip(places, ("1", "2", "k"), strict=True):
        elements += [_arrow(270, 40, x + 20, 130), _arrow(x - 60, 130, x + 20, 130)]
        elements += [_arrow(x + 20, 130, x + 20, 220), _arrow(x + 20, 220, 270, 320)]
        elements += [*_node(x - 60, 130, f"f*{i}", observed=True), *_node(x + 20, 130, f"fˣ{i}", observed=False)]
        elements += _node(x + 20, 220, f"y{i}", observed=False)
    elements += [text(322, 134, "…", size=18), text(340, 224, "…", size=18)]
    elements.append(text(270, 372, "y = 1 if at least n of the votes y1 … yk are 1 (n = 1: any, n = k: all)", size=12))
    return document(540, 390, elements, "Graphical model of the votes")


def vote_table(chances: tuple[float, ...], n: int) -> list[list[float]]:
    """Return T[j][i], the probability of at least j votes among the first i columns, for j up to n.

    T[j][i] = (1 - p_i) T[j][i - 1] + p_i T[j - 1][i - 1], with T[0] = 1 and no votes without columns.
    """
    table = [[1.0] * (len(chances) + 1)]
    for _ in range(n):
        row, above = [0.0], table[-1]
        for i, p in enumerate(chances):
            row.append((1.0 - p) * row[i] + p * above[i])
        table.append(row)
    return table


def draw_vote_table(chances: tuple[float, ...] = EXAMPLE, n: int = 3) -> str:
    """Draw figure 2 of paper 003: each cell follows from its left neighbor and from the one above that."""
    width, height, left, top = 84, 42, 150, 54
    elements = [text(left - 10, top - 28, "column, p of its vote", "end")]
    for i in range(len(chances) + 1):
        words = "none" if i == 0 else f"{i}: {chances[i - 1]:g}"
        elements.append(text(left + (i + 0.5) * width, top - 28, words))
    for j, row in enumerate(vote_table(chances, n)):
        y = top + j * height
        elements.append(text(left - 10, y + 20, f"at least {j} vote{'s' * (j != 1)}", "end"))
        for i, value in enumerate(row):
            is_last = (j, i) == (n, len(chances))
            elements.append(
                rectangle(left + i * width, y - 6, width, height, "#fde9d9" if is_last else "white", "#999")
            )
            elements.append(text(left + (i + 0.5) * width, y + 20, f"{value:.4g}", size=12))
            if i and j:
                elements.append(_arrow(left + i * width - 14, y + 4, left + i * width + 12, y + 4, shorten=0))
                elements.append(_arrow(left + i * width - 12, y - 14, left + i * width + 10, y - 1, shorten=0))
    bottom = top + (n + 1) * height + 22
    rule = "T(j, i) = (1 - p) T(j, i - 1) + p T(j - 1, i - 1): a row of the data needs n k steps, not 2^k patterns"
    elements.append(text(20, bottom, rule, "start", size=12))
    return document(left + (len(chances) + 1) * width + 20, bottom + 16, elements, "Table of the dynamic program")


def _node(x: float, y: float, name: str, *, observed: bool) -> list[str]:
    rings = [circle(x, y, 20, "#333", "white")]
    if observed:
        rings.append(circle(x, y, 16.5, "#333", "white"))
    return [*rings, text(x, y + 4, name, size=12)]


def _arrow(x1: float, y1: float, x2: float, y2: float, shorten: float = 20.0) -> str:
    """Return an arrow between the rims of two nodes."""
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    return arrow(x1 + dx * shorten, y1 + dy * shorten, x2 - dx * shorten, y2 - dy * shorten)
