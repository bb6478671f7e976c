"""Columns that may not be what a model should use: identifiers, and those that give the target away."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayesieve.data import ColumnProfile

__all__ = ["find_suspicions"]

_FEW_ROWS = 20
_NEARLY = 0.999
_SAME = 0.999  # symmetric uncertainty of two columns that say the same


def find_suspicions(model: Any, profiles: Sequence[ColumnProfile]) -> dict[str, str]:
    """Return a sentence for each column that a person should look at.

    A column gives the target away if nearly all rows of each of its best bins have one class, which no honest column
    of more than a few rows does.
    """
    found = {each.name: "Every row has a value of its own: an identifier?" for each in profiles if each.is_identifier}
    leaks = [name for name, partition in model.partitions_.items() if _gives_away(partition)]
    found |= dict.fromkeys(leaks, "It tells the target almost exactly: is it known before the target is?")
    for name, entry in model.why_.items():
        if name not in found and entry["redundant_with"] in leaks and (entry["redundancy"] or 0.0) >= _SAME:
            found[name] = f"It says what {entry['redundant_with']!r} says, which tells the target almost exactly."
    return found


def _gives_away(partition: Any) -> bool:
    counts = np.asarray(partition.counts, dtype=np.float64)
    total, common = counts.sum(), counts.sum(axis=0).max()
    if total < _FEW_ROWS or common >= total:
        return False
    wrong, wrong_before = total - counts.max(axis=1).sum(), total - common
    return bool(wrong <= (1.0 - _NEARLY) * total and wrong <= 0.01 * wrong_before)
