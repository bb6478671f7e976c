# SPDX-License-Identifier: BSD-3-Clause
"""Whether expected and log likelihood select alike."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["compare_likelihoods"]

Record = dict[str, Any]


def compare_likelihoods(sets: Mapping[str, Sequence[Record]]) -> list[Record]:
    """Return for each n how often both likelihoods have the same columns, over all folds of all sets."""
    every = [fold for folds in sets.values() for fold in folds]
    longest = max((fold["k"] for fold in every), default=0)
    return [_row(n, [fold for fold in every if n <= fold["k"]]) for n in range(1, longest + 1)]


def _row(n: int, folds: Sequence[Record]) -> Record:
    orders = [tuple(fold["rows"][criterion][n - 1]["order"] for criterion in ("expected", "log")) for fold in folds]
    # All columns of a small table are the same subset in any case.
    chosen = [pair for pair, fold in zip(orders, folds, strict=True) if fold["n_columns"] > fold["k"]]
    return {
        "n": n,
        "n_folds": len(orders),
        "same_first": sum(a[:1] == b[:1] for a, b in orders),
        "same_order": sum(a == b for a, b in orders),
        "n_chosen": len(chosen),
        "same_subset": sum(set(a) == set(b) for a, b in chosen),
        "jaccard": float(np.mean([len({*a} & {*b}) / len({*a, *b}) for a, b in chosen])) if chosen else None,
    }
