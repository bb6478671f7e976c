# SPDX-License-Identifier: BSD-3-Clause
"""The result of a section of the benchmarks, and its table."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Row", "Section", "markdown_table"]


@dataclass(frozen=True)
class Row:
    """One figure: ours and a yardstick from the same run, both in ``unit``.

    The ratio is ours / yardstick, and a target is an upper limit. With ``gain`` it is yardstick / ours, and a target
    is a lower limit.
    """

    name: str
    ours: float
    yardstick: float
    unit: str
    target: float | None = None
    gain: bool = False

    @property
    def ratio(self) -> float:
        """The figure."""
        return self.yardstick / self.ours if self.gain else self.ours / self.yardstick

    @property
    def reached(self) -> bool | None:
        """Whether the target was reached; None without a target."""
        if self.target is None:
            return None
        return self.ratio >= self.target if self.gain else self.ratio <= self.target

    def cells(self) -> list[str]:
        """Return the row as text."""
        bound = "" if self.target is None else f"{'>=' if self.gain else '<='} {_number(self.target)}"
        values = [f"{_number(value)} {self.unit}" for value in (self.ours, self.yardstick)]
        return [self.name, *values, _number(self.ratio), bound, _verdict(self.reached)]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        names = ("name", "ours", "yardstick", "unit", "ratio", "target", "gain", "reached")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Section:
    """A table of figures, with notes."""

    title: str
    yardstick: str
    rows: list[Row]
    notes: list[str] = field(default_factory=list)

    def to_markdown(self) -> str:
        """Return the table."""
        header = ["", "ours", self.yardstick, "ratio", "target", "reached"]
        lines = [f"## {self.title}", "", *markdown_table(header, [row.cells() for row in self.rows])]
        if self.notes:
            lines += ["", *(f"- {note}" for note in self.notes)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        rows = [row.to_dict() for row in self.rows]
        return {"title": self.title, "yardstick": self.yardstick, "rows": rows, "notes": self.notes}


def _verdict(reached: bool | None) -> str:
    return "" if reached is None else "yes" if reached else "no"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def markdown_table(header: list[str], rows: Iterable[list[str]]) -> list[str]:
    """Return the lines of a Markdown table, first column to the left, the others to the right."""
    lines = [header, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    padded = [
        [line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True))] for line in lines
    ]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return ["| " + " | ".join(line) + " |" for line in (padded[0], rule, *padded[1:])]
