# SPDX-License-Identifier: BSD-3-Clause
"""The choice of n under a recall floor, by out-of-fold decisions of the training rows."""

from collections.abc import Callable, Sequence
from typing import Any, Final

__all__ = ["FLOOR", "choose_n", "summarize_floor"]

Record = dict[str, Any]
FLOOR: Final = 0.95


def choose_n(rows: Sequence[Record], n_positive: int) -> int:
    """Return the n of highest precision whose recall reaches the floor, the largest on ties; 1 if none reaches it."""
    allowed = [(row["inner"][0] / max(row["inner"][1], 1), row["n"]) for row in rows]
    reaches = [row["inner"][0] >= FLOOR * n_positive for row in rows]
    return max((each for each, is_allowed in zip(allowed, reaches, strict=True) if is_allowed), default=(0.0, 1))[1]


def summarize_floor(name: str, folds: Sequence[Record]) -> Record:
    """Return recall and precision of the chosen n, of one vote and of at least half, by expected likelihood."""
    chosen = [choose_n(fold["rows"]["expected"], fold["n_positive_train"]) for fold in folds]
    rules: dict[str, Callable[[int], int]] = {
        "chosen n": lambda i: chosen[i],
        "any": lambda i: 1,
        "at least half": lambda i: (folds[i]["k"] + 1) // 2,
    }
    n_positive = sum(fold["n_positive"] for fold in folds)
    row: Record = {"set": name, "n_positive": n_positive, "chosen": chosen}
    for rule, n_of in rules.items():
        counts = [fold["rows"]["expected"][n_of(i) - 1]["votes"] for i, fold in enumerate(folds)]
        true, accepted = (sum(each) for each in zip(*counts, strict=True))
        row[rule] = {"recall": true / n_positive, "precision": true / accepted if accepted else None}
    return row
