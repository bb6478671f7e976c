# SPDX-License-Identifier: BSD-3-Clause
"""The tables behind the figures, as plain data."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from bayesieve.evaluation import Evaluation
from bayesieve.evaluation.comparison import corrected_t
from bayesieve.papers.paper_001.floor_summary import summarize_floor
from bayesieve.papers.paper_001.paper_claims import CLAIMS, measure
from bayesieve.papers.paper_001.paper_methods import FILTERS, VOTES
from bayesieve.papers.paper_001.paper_scores import METRICS, Scores, collect
from bayesieve.papers.paper_001.scorecard import summarize_scorecard
from bayesieve.papers.paper_001.selector_ranks import rank_selectors
from bayesieve.papers.paper_001.sets import SETS
from bayesieve.papers.paper_001.word_tables import RANKINGS

__all__ = ["summarize"]

Record = dict[str, Any]
_QUARTILES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)


def summarize(records: Sequence[Record]) -> Record:
    """Return table 1, figures 2, 3 and 4, ranks, stability and verdicts, on the finished sets."""
    size_records = [record for record in records if record["job"][0] == "sizes"]
    scores = collect(size_records)
    finished = [record for record in size_records if record["data"] in scores.sets]
    floor = summarize_floor([record for record in records if record["job"][0] == "floor"])
    by_kind = {kind: [each for each in records if each["job"][0] == kind] for kind in ("scorecard", "words")}
    summary: Record = {
        "paper": "001",
        "floor": floor,
        "sets": _sets(finished, scores),
        "selectors": scores.selectors,
        "scorecard": summarize_scorecard(by_kind["scorecard"]),
        "words": _words(by_kind["words"]),
    }
    if not scores.sets:
        return summary
    summary |= _figures(scores)
    evaluation = Evaluation(finished, {})
    filters = Evaluation([record for record in finished if record["selector"] in FILTERS], {})
    for key, selected in (("ranks", evaluation), ("filter_ranks", filters)):
        several = len(scores.sets) > 1
        summary[key] = {metric: rank_selectors(selected, metric) for metric in METRICS} if several else {}
    summary["stability"] = _stability(evaluation)
    has_votes = all(each in scores.selectors for each in (*VOTES, *FILTERS))
    summary["claims"] = [measure(claim, scores) for claim in CLAIMS] if has_votes else []
    summary["same_order"] = _same_order(finished, "MIR", "CER")
    return summary


def _figures(scores: Scores) -> Record:
    """Return the means and quartiles behind the figures."""
    figure_2 = {
        metric: {
            name: {each: float(scores.of_set(metric, name, each).mean()) for each in scores.selectors}
            for name in scores.sets
        }
        for metric in METRICS
    }
    figure_3 = {
        metric: {
            classifier: {
                each: float(scores.of_classifier(metric, classifier, each).mean()) for each in scores.selectors
            }
            for classifier in scores.classifiers
        }
        for metric in METRICS
    }
    figure_4 = {
        metric: {each: np.quantile(scores.samples(metric, each), _QUARTILES).tolist() for each in scores.selectors}
        for metric in METRICS
    }
    return {"figure_2": figure_2, "figure_3": figure_3, "figure_4": figure_4}


def _sets(records: Sequence[Record], scores: Scores) -> list[Record]:
    rows = []
    for name in scores.sets:
        first = next(record for record in records if record["data"] == name)
        printed = SETS[name]
        rows.append(
            {
                "set": name,
                "short": printed.short,
                "n_columns": first["n_columns"],
                "n_rows": first["n_rows"],
                "positive": first["n_positive"] / first["n_rows"],
                "printed": [printed.n_columns, printed.n_rows, printed.positive / 100],
            }
        )
    return rows


def _words(records: Sequence[Record]) -> Record:
    """Return for each word table recall and precision, means over folds, and the votes less the mean of the filters."""
    folds: dict[str, list[Record]] = {}
    for record in records:
        folds.setdefault(record["data"], []).append(record["rates"])
    return {
        name: {
            "rates": {
                selector: {
                    key: float(np.mean([fold[selector][key] for fold in each])) for key in ("recall", "precision")
                }
                for selector in each[0]
            },
            "gains": {vote: {key: _gain(each, vote, key) for key in ("recall", "precision")} for vote in VOTES},
        }
        for name, each in folds.items()
    }


def _gain(folds: Sequence[Record], vote: str, key: str) -> Record:
    """Return a voting selector less the mean of the filters, with the standard error over folds that share rows."""
    gains = np.array([fold[vote][key] - np.mean([fold[each][key] for each in RANKINGS]) for fold in folds])
    error = corrected_t(gains, 1 / (len(gains) - 1))[0] if len(gains) > 1 else None
    return {"mean": float(gains.mean()), "standard_error": error, "n": len(gains)}


def _stability(evaluation: Evaluation) -> Record:
    """Return the mean stability of each selector over sets and sizes, without sizes of all columns."""
    rows: dict[str, list[tuple[float, float]]] = {}
    for row in evaluation.stabilities():
        if np.isfinite(row["kuncheva"]):
            rows.setdefault(row["selector"], []).append((row["kuncheva"], row["jaccard"]))
    return {
        selector: dict(zip(("kuncheva", "jaccard"), np.mean(values, axis=0).tolist(), strict=True))
        for selector, values in rows.items()
    }


def _same_order(records: Sequence[Record], first: str, second: str) -> Record:
    """Return the number of folds on which two selectors chose the same columns in the same order."""
    orders = {(record["data"], record["fold"], record["selector"]): record["order"] for record in records}
    pairs = [(order, orders.get((*key[:2], second))) for key, order in orders.items() if key[2] == first]
    return {"first": first, "second": second, "n_same": sum(a == b for a, b in pairs), "n_folds": len(pairs)}
