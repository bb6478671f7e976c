"""Whether promises of recall were kept, and at which precision."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from bayesieve.experiments.paper_001.recall_floor import FLOOR, METHODS, OURS, REFERENCE

__all__ = ["summarize_floor"]

Record = dict[str, Any]
_ENOUGH: Final = 100  # positive rows of a set whose recall counts in the verdict


def summarize_floor(records: Sequence[Record]) -> Record | None:
    """Return recall and precision of each set, all folds taken together, and a verdict; None without records."""
    sets: dict[str, list[Record]] = {}
    for record in records:
        sets.setdefault(record["data"], []).append(record)
    rows = [{"set": name, **_shares(found)} for name, found in sets.items()]
    if not rows:
        return None
    large = [row for row in rows if row["n_positive"] >= _ENOUGH]
    recalls = {
        method: float(np.mean([row[method]["recall"] for row in large])) if large else None for method in METHODS
    }
    n_higher = sum(row[OURS]["precision"] > row[REFERENCE]["precision"] for row in rows)
    ours = recalls[OURS]
    kept = ours is not None and ours >= FLOOR
    return {
        "floor": FLOOR,
        "sets": rows,
        "n_large": len(large),
        "mean_recall": recalls,
        "n_higher": n_higher,
        "is_kept": kept,
        "is_more_precise": 2 * n_higher >= len(rows),
        "verdict": _words(kept=kept, precise=2 * n_higher >= len(rows)),
    }


def _shares(folds: Sequence[Record]) -> Record:
    n_positive = sum(fold["n_positive"] for fold in folds)
    found: Record = {"n_positive": n_positive, "n_rows": sum(fold["n_rows"] for fold in folds)}
    for method in METHODS:
        true, accepted = (sum(fold["rows"][method][key] for fold in folds) for key in ("true", "accepted"))
        found[method] = {
            "recall": true / n_positive,
            "precision": true / max(accepted, 1),
            "accepted": accepted / found["n_rows"],
        }
    return found


def _words(*, kept: bool, precise: bool) -> str:
    recall = "the floor is met on average" if kept else "the floor is missed on average"
    return (
        f"{recall}, at a higher precision than regression on {'at least' if precise else 'fewer than'} half of the sets"
    )
