# SPDX-License-Identifier: BSD-3-Clause
"""Findings of a data check in a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from bayesieve.cli.terminal_text import VisibleText as Text
from bayesieve.quality import DataCheck, Finding

__all__ = ["MOST_FINDINGS", "column_table", "print_findings"]

MOST_FINDINGS = 10
"""The number of findings that are printed before a fit."""

_MOST_LETTERS = 14


def print_findings(findings: Sequence[Finding], console: Console, most: int | None = None) -> None:
    """Print one line per finding, with what to do about it; the rest is counted."""
    for finding in findings[:most]:
        advice = f" ({finding.advice}.)" if finding.advice else ""
        style = "" if finding.kind == "converted" else "yellow"
        console.print(Text(f"{finding}{advice}", style=style), soft_wrap=True)
    if most is not None and len(findings) > most:
        console.print(f"... and {len(findings) - most} more findings; bayesieve check prints all.")


def column_table(checked: DataCheck) -> Table:
    """Return a table with one row per column of the file: type, values, and what was found."""
    table = Table()
    longest = max(len(each.name) for each in checked.columns)
    # Wider minima are more than 80 letters together, and a table that is too wide is cut.
    table.add_column("column", overflow="fold", min_width=min(10, longest))
    table.add_column("type")
    for heading in ("missing", "distinct"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("examples", overflow="fold")
    table.add_column("check", overflow="fold")
    for each in checked.columns:
        missing = f"{each.n_missing / checked.n_rows:.1%}" if each.n_missing else ""
        found = ", ".join(kind for kind in dict.fromkeys(each.findings))
        # Names and values are the user's: as Text, their brackets are not markup.
        examples = Text(", ".join(map(_in_short, each.examples)))
        table.add_row(Text(each.name), each.type, missing, f"{each.n_distinct:,}", examples, found)
    return table


def _in_short(value: str) -> str:
    """Return the beginning of a value in one line; an ellipsis shows that it goes on."""
    line = " ".join(value.split())
    return line if len(line) <= _MOST_LETTERS else f"{line[: _MOST_LETTERS - 1].rstrip()}…"
