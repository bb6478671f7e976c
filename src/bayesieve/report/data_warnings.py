# SPDX-License-Identifier: BSD-3-Clause
"""Warnings about columns that a model should perhaps not use: identifiers, and columns that leak the target."""

from collections.abc import Sequence
from typing import Any

from bayesieve.data import ColumnProfile
from bayesieve.quality import leaks_target

__all__ = ["find_warnings"]

_SAME = 0.999  # symmetric uncertainty of two columns that determine each other


def find_warnings(model: Any, profiles: Sequence[ColumnProfile]) -> dict[str, str]:
    """Return a sentence for each column that a person should check.

    A column leaks the target if nearly all rows of each of its optimal bins have one class. A column that is known
    before the target does not do that in a table of more than a few rows.
    """
    warnings = {
        each.name: "Every row has a different value; is it an identifier?" for each in profiles if each.is_identifier
    }
    leaks = [name for name, partition in model.partitions_.items() if leaks_target(partition.counts)]
    warnings |= dict.fromkeys(leaks, "It predicts the target almost perfectly; is it known before the target?")
    for name, entry in model.why_.items():
        if name not in warnings and entry["redundant_with"] in leaks and (entry["redundancy"] or 0.0) >= _SAME:
            warnings[name] = (
                f"It is redundant with {entry['redundant_with']!r}, which predicts the target almost perfectly."
            )
    return warnings
