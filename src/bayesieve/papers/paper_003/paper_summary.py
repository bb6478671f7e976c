# SPDX-License-Identifier: BSD-3-Clause
"""The tables as plain data: recall and precision by n, the choice of n, both likelihoods, and the filters."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from bayesieve.evaluation import Evaluation
from bayesieve.papers.paper_001.paper_scores import METRICS, collect
from bayesieve.papers.paper_001.scorecard import summarize_scorecard
from bayesieve.papers.paper_001.selector_ranks import rank_selectors
from bayesieve.papers.paper_001.sets import SETS
from bayesieve.papers.paper_003.likelihoods import compare_likelihoods
from bayesieve.papers.paper_003.vote_floor import FLOOR, summarize_floor
from bayesieve.papers.paper_003.vote_folds import CRITERIA

__all__ = ["summarize"]

Record = dict[str, Any]
DECIDERS: Final = ("votes", "follower")


def summarize(records: Sequence[Record]) -> Record:
    """Return all tables on the sets with all folds."""
    by_set: dict[str, list[Record]] = {}
    for record in records:
        if record["job"][0] == "votes":
            by_set.setdefault(record["data"], []).append(record)
    n_folds = records[0]["setting"][0] if records else 0
    finished = {name: by_set[name] for name in SETS if len(by_set.get(name, ())) == n_folds}
    return {
        "paper": "003",
        "k": records[0]["setting"][1] if records else 0,
        "n_folds": n_folds,
        "sets": [_rates(name, folds) for name, folds in finished.items()],
        "floor": {"floor": FLOOR, "sets": [summarize_floor(name, folds) for name, folds in finished.items()]},
        "likelihoods": compare_likelihoods(finished),
        "filters": _filters([record for record in records if record["job"][0] == "filters"]),
        "scorecard": summarize_scorecard([record for record in records if record["job"][0] == "scorecard"]),
    }


def _rates(name: str, folds: Sequence[Record]) -> Record:
    """Return recall and precision over the test rows of all folds, for each likelihood and n."""
    n_positive = sum(fold["n_positive"] for fold in folds)
    row: Record = {"set": name, "short": SETS[name].short, "k": folds[0]["k"], "n_positive": n_positive}
    row["n_rows"] = sum(fold["n_test"] for fold in folds)
    for criterion in CRITERIA:
        row[criterion] = {
            decider: [
                _recall_precision([fold["rows"][criterion][i][decider] for fold in folds], n_positive)
                for i in range(row["k"])
            ]
            for decider in DECIDERS
        }
    return row


def _recall_precision(counts: Sequence[Sequence[int]], n_positive: int) -> list[float | None]:
    """Return recall and precision; there is no precision if no row is accepted."""
    true, accepted = np.sum(counts, axis=0).tolist()
    return [true / n_positive, true / accepted if accepted else None]


def _filters(records: Sequence[Record]) -> Record:
    scores = collect(records)
    if len(scores.sets) < 2:
        return {}
    finished = Evaluation([record for record in records if record["data"] in scores.sets], {})
    return {"n_sets": len(scores.sets), **{metric: rank_selectors(finished, metric) for metric in METRICS}}
