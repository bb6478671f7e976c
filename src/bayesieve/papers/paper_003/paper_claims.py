# SPDX-License-Identifier: BSD-3-Clause
"""The sentences of the paper, and whether they hold."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np

from bayesieve.evaluation.comparison import signed_rank

__all__ = ["judge"]

Record = dict[str, Any]
_LEVEL: Final = 0.05


def judge(summary: Record) -> list[Record]:
    """Return a verdict on each sentence."""
    if not summary["sets"]:
        return []
    verdicts = [
        _end(summary, "recall", "One vote of k gives the highest recall (section 3.2).", 0, largest_first=True),
        _end(summary, "precision", "All votes of k give the highest precision (section 3.1).", 1, largest_first=False),
        _between(summary),
        _alike(summary["likelihoods"]),
    ]
    return verdicts + ([_filters(summary["filters"])] if summary["filters"] else [])


def _end(summary: Record, name: str, claim: str, place: int, *, largest_first: bool) -> Record:
    """Compare n = 1 with the largest n at which a row is accepted, by expected likelihood."""
    differences = []
    for row in summary["sets"]:
        values = [each[place] for each in row["expected"]["votes"] if each[1] is not None]
        differences.append(values[0] - values[-1] if largest_first else values[-1] - values[0])
    _, p = signed_rank(np.array(differences)) if len(differences) > 1 else (np.nan, np.nan)
    n_positive = sum(each > 0 for each in differences)
    holds = p < _LEVEL and np.mean(differences) > 0
    n_all = sum(row["expected"]["votes"][-1][1] is not None for row in summary["sets"])
    return {
        "claim": claim,
        "verdict": "holds" if holds else "undecided" if not p < _LEVEL else "does not hold",
        "figures": f"{name} of the votes differs by {np.mean(differences):+.3f} on average between n = 1 and the "
        f"largest n that accepts a row; positive on {n_positive} of {len(differences)} sets, "
        f"signed ranks p = {p:.3f}; n = k itself accepts a row on {n_all} of them",
    }


def _between(summary: Record) -> Record:
    """Count the steps from n to n + 1 at which recall does not rise and precision does not fall."""
    recall, precision = [], []
    for row in summary["sets"]:
        rates = [each for each in row["expected"]["votes"] if each[1] is not None]
        pairs = list(pairwise(rates))
        recall += [after[0] <= before[0] for before, after in pairs]
        precision += [after[1] >= before[1] for before, after in pairs]
    share = min(np.mean(recall), np.mean(precision)) if recall else 0.0
    partly = "holds on the whole, not in every step" if share > 0.5 else "does not hold"
    return {
        "claim": "n between them balances both (section 3.3).",
        "verdict": "holds" if share == 1 else partly,
        "figures": f"from n to n + 1, recall does not rise in {sum(recall)} of {len(recall)} steps, and precision does "
        f"not fall in {sum(precision)}",
    }


def _alike(rows: Sequence[Record]) -> Record:
    same, folds = sum(row["same_order"] for row in rows), sum(row["n_folds"] for row in rows)
    subsets, chosen = sum(row["same_subset"] for row in rows), sum(row["n_chosen"] for row in rows)
    return {
        "claim": "Expected and log likelihood select alike, as the logarithm is monotone (section 4).",
        "verdict": "holds" if same == folds else "does not hold",
        "figures": f"the same columns in the same order in {same} of {folds} folds and n; the same subset in {subsets} "
        f"of {chosen} where columns are left over. The logarithm is inside the sum over rows",
    }


def _filters(filters: Record) -> Record:
    tests = {metric: filters[metric]["p_value"] for metric in ("accuracy", "recall", "precision", "f1")}
    differ = [metric for metric, p in tests.items() if p < _LEVEL]
    return {
        "claim": "Existing filters show no statistical difference (section 1).",
        "verdict": "does not hold" if differ else "holds: none is shown",
        "figures": f"Friedman's test of the eight filters over {filters['n_sets']} sets: "
        + ", ".join(f"{metric} p = {p:.3f}" for metric, p in tests.items()),
    }
