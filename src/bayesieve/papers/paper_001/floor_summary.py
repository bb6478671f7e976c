# SPDX-License-Identifier: BSD-3-Clause
"""Recall and precision of methods with a recall floor, and their verdicts, by the rule of the paper's claims."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bayesieve.papers.paper_001.recall_floor import FLOOR, METHODS, OURS, REFERENCE
from bayesieve.papers.verdict import Difference, Scale, judge, judge_cases

__all__ = ["judge_floor", "summarize_floor"]

Record = dict[str, Any]
_LARGE: Final = 100  # least positive rows of a set whose recall is compared with the floor
_RATES: Final = Scale("+.4f", 0.01)


def summarize_floor(records: Sequence[Record]) -> Record | None:
    """Return recall and precision of each set over all folds together; None without records."""
    sets: dict[str, list[Record]] = {}
    for record in records:
        sets.setdefault(record["data"], []).append(record)
    rows = [{"set": name, **_rates(folds)} for name, folds in sets.items()]
    return {"floor": FLOOR, "sets": rows} if rows else None


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


def judge_floor(floor: Record, scorecard: Mapping[str, Any]) -> list[Record]:
    """Return the verdicts on the majority of votes, and on the scorecard if it is there."""
    rows = _judge_method(floor, "The majority of ten votes", {row["set"]: row[OURS] for row in floor["sets"]})
    own = {row["set"]: scorecard[row["set"]]["floor"] for row in floor["sets"] if row["set"] in scorecard}
    return rows + (_judge_method(floor, "The scorecard", own) if own else [])


def _judge_method(floor: Record, title: str, rates: Mapping[str, Any]) -> list[Record]:
    sets = {row["set"]: row for row in floor["sets"] if row["set"] in rates}
    reached = [rates[name]["recall"] >= FLOOR for name in sets]
    large = [rates[name]["recall"] for name, row in sets.items() if row["n_positive"] >= _LARGE]
    precise = [(rates[name]["precision"] or 0.0) - row[REFERENCE]["precision"] for name, row in sets.items()]
    return [
        judge_cases(f"{title} reaches the floor on new rows of every set.", sum(reached), len(reached), "sets"),
        _keeps_floor(title, large),
        judge(
            f"{title} has a higher precision at the floor than regression on ten mRMR columns.",
            [Difference.of_values("", precise)] if precise else [], _RATES, "sets",
        ),
    ]  # fmt: skip


def _keeps_floor(title: str, recalls: Sequence[float]) -> Record:
    """Judge whether a mean recall is below the floor by less than the smallest difference worth naming."""
    claim = f"{title} misses the floor by less than 0.01 on average, on sets with {_LARGE} positive rows or more."
    if not recalls:
        return judge(claim, [], _RATES, "sets")
    found = Difference.of_values("", recalls)
    above = Difference("", found.mean - FLOOR + _RATES.margin, found.half_width, found.n)
    interval = "" if found.half_width is None else f"{found.low:.4f} to {found.high:.4f}"
    row = judge(claim, [above], _RATES, "sets")
    return row | {"effect": f"mean recall {found.mean:.4f}", "interval": interval, "bound": ""}
