# SPDX-License-Identifier: BSD-3-Clause
"""Cells and lines of what a terminal shows of a user's file; rich, which they need, is not loaded for a help page."""

from typing import Any

from rich.text import Text

from bayesieve.cli.visible_text import visible

__all__ = ["VisibleText"]


class VisibleText(Text):
    """Text without markup and without control characters."""

    def __init__(self, text: str = "", *arguments: Any, **options: Any) -> None:
        super().__init__(visible(text), *arguments, **options)
