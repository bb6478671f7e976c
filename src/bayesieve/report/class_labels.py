# SPDX-License-Identifier: BSD-3-Clause
"""Class labels as text."""

from collections.abc import Iterable
from typing import Any

__all__ = ["format_counts", "format_label"]


def format_label(label: Any) -> str:
    """Return a class label, or another value of a table, as people write it: 1 and not 1.0."""
    return f"{label:.10g}" if isinstance(label, float) else str(label)


def format_counts(counts: Iterable[tuple[str, float]]) -> str:
    """Return the number of rows of each label: "9 no, 4 yes", and where labels are numbers, "9 of class 0".

    Examples
    --------
    >>> format_counts([("no", 2653), ("yes", 347)])
    '2,653 no, 347 yes'
    >>> format_counts([("0", 500), ("1", 268)])
    '500 of class 0, 268 of class 1'
    """
    pairs = list(counts)
    of_class = "of class " if any(label[:1] in "+-.0123456789" for label, _ in pairs) else ""
    return ", ".join(f"{n:,.0f} {of_class}{label}" for label, n in pairs)
