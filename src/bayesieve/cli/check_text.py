# SPDX-License-Identifier: BSD-3-Clause
"""Findings of a data check in a terminal."""

from collections.abc import Sequence

from rich.console import Console

from bayesieve.cli.visible_text import VisibleText as Text
from bayesieve.quality import Finding

__all__ = ["print_findings"]


def print_findings(findings: Sequence[Finding], console: Console, most: int | None = None) -> None:
    """Print one line per finding, with what to do about it; the rest is counted."""
    for finding in findings[:most]:
        advice = f" ({finding.advice}.)" if finding.advice else ""
        style = "" if finding.kind == "converted" else "yellow"
        console.print(Text(f"{finding}{advice}", style=style), soft_wrap=True)
    if most is not None and len(findings) > most:
        console.print(f"... and {len(findings) - most} more findings; bayesieve check prints all.")
