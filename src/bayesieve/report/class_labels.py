# SPDX-License-Identifier: BSD-3-Clause
"""Class labels as text."""

from typing import Any

__all__ = ["format_label"]


def format_label(label: Any) -> str:
    """Return a class label, or another value of a table, as people write it: 1 and not 1.0."""
    return f"{label:.10g}" if isinstance(label, float) else str(label)
