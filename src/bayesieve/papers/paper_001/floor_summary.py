# SPDX-License-Identifier: BSD-3-Clause
"""Recall and precision of methods with a recall floor."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from bayesieve.papers.paper_001.recall_floor import FLOOR, METHODS, OURS, REFERENCE

__all__ = ["summarize_floor"]

Record = dict[str, Any]
_LARGE: Final = 100  # least positive rows of a set whose recall counts in the verdict
_UNDECIDED: Final = f"undecided: no set has {_LARGE} positive rows"


def summarize_floor(records: Sequence[Record]) -> Record | None:
    """Return recall and precision of each set over all folds together, and a verdict; None without records."""
    sets: dict[str, list[Record]] = {}
    for record in records:
        sets.setdefault(record["data"], []).append(record)
    rows = [{"set": name, **_rates(folds)} for name, folds in sets.items()]
    if not rows:
        return None
    large = [row for row in rows if row["n_positive"] >= _LARGE]
    recalls = {
        method: float(np.mean([row[method]["recall"] for row in large])) if large else None for method in METHODS
    }
    n_higher = sum(row[OURS]["precision"] > row[REFERENCE]["precision"] for row in rows)
    ours = recalls[OURS]
    is_met = ours is not None and ours >= FLOOR
    return {
        "floor": FLOOR,
        "sets": rows,
        "n_large": len(large),
        "mean_recall": recalls,
        "n_higher": n_higher,
        "is_met": is_met,
        "is_more_precise": 2 * n_higher >= len(rows),
        "verdict": _verdict(is_met=is_met, is_precise=2 * n_higher >= len(rows)) if large else _UNDECIDED,
    }


def _rates(folds: Sequence[Record]) -> Record:
    n_positive = sum(fold["n_positive"] for fold in folds)
    rates: Record = {"n_positive": n_positive, "n_rows": sum(fold["n_rows"] for fold in folds)}
    for method in METHODS:
        true, accepted = (sum(fold["rows"][method][key] for fold in folds) for key in ("true", "accepted"))
        rates[method] = {
            "recall": true / n_positive,
            "precision": true / max(accepted, 1),
            "accepted": accepted / rates["n_rows"],
        }
    return rates


def _verdict(*, is_met: bool, is_precise: bool) -> str:
    recall = "the floor is met on average" if is_met else "the floor is missed on average"
    share = "at least" if is_precise else "fewer than"
    return f"{recall}, at a higher precision than regression on {share} half of the sets"
