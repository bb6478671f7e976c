# SPDX-License-Identifier: BSD-3-Clause
"""Cells of heat maps: red above zero, blue below, in ten strengths."""

from typing import Any

from bayesieve.report.markup import Markup, tag

__all__ = ["heat_cell"]

_LEVELS = 10


def heat_cell(name: str, value: float, largest: float, *children: Any, **attributes: Any) -> Markup:
    """Return an element with the color of a value; a style sheet has one class per strength."""
    level = round(_LEVELS * min(1.0, abs(value) / largest)) if largest else 0
    return tag(name, *children, class_=f"heat {'p' if value > 0 else 'm'}{level}", **attributes)
