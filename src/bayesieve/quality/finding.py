# SPDX-License-Identifier: BSD-3-Clause
"""Something in the data that a person should look at before a fit."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Finding", "quote"]

_LONGEST = 30  # characters of a quoted value


@dataclass(frozen=True)
class Finding:
    """Something in the data that a person should look at.

    Attributes
    ----------
    kind : str
        What it is: "nearly numeric", "numbers as text", "dates as text", "spelling", "empty", "constant", "duplicate",
        "identifier", "leak", "missing", "special value", "infinite", "converted", "rare class", "few rows", "target",
        "copied rows", "rounded", "name", "header".
    column : str or None
        Name of the column; None if it concerns whole rows or the target.
    message : str
        What was found, without the name of the column.
    advice : str
        What to do about it on the command line; may be empty.
    cells : tuple of (int, str)
        Some of the cells in question: the row, counted from 1, and the text.
    """

    kind: str
    column: str | None
    message: str
    advice: str = ""
    cells: tuple[tuple[int, str], ...] = ()

    def __str__(self) -> str:
        end = "" if self.message.endswith("?") else "."
        return f"{self.message}{end}" if self.column is None else f"Column {self.column!r}: {self.message}{end}"


def quote(values: Sequence[str]) -> str:
    """Return some values in quotes, separated by commas; long ones are cut."""
    return ", ".join(repr(value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…") for value in values)
