# SPDX-License-Identifier: BSD-3-Clause
"""The tables as Markdown."""

from collections.abc import Iterable, Sequence
from typing import Any

from bayesieve.papers.paper_003.paper_claims import headline, judge_filters, judge_rule, judge_selection
from bayesieve.papers.verdict import claims_table

__all__ = ["markdown"]

Row = dict[str, Any]
_DECIDERS = {"votes": "the votes themselves", "follower": "naive Bayes on the selected columns"}


_MARGINS = (
    "The smallest difference worth naming is 0.01 of recall and precision. A difference is positive where the sentence "
    "is true."
)


def markdown(summary: Row) -> str:
    """Return all tables as Markdown."""
    lines = ["# Paper 003", ""]
    if summary["sets"]:
        lines += [*headline(summary), *_claims(summary), *_rates(summary), *_floor(summary)]
        lines += _likelihoods(summary["likelihoods"])
    if summary["filters"]:
        lines += _filters(summary["filters"])
    return "\n".join(lines)


def _claims(summary: Row) -> list[str]:
    return [
        "## The paper's claims",
        "",
        f"{_MARGINS} First, n of k votes as a classifier by itself:",
        "",
        *claims_table(judge_rule(summary)),
        "The draft is about the *selection* of columns for a classifier of high precision or recall. These verdicts "
        f"are about naive Bayes on {summary['k']} selected columns. On {_n_whole(summary)} of the other sets these "
        "are all columns, so that n makes no difference. Intervals on the word table are by its rows, as if both "
        "rates were independent.",
        "",
        *claims_table(judge_selection(summary)),
        "Likelihoods and filters:",
        "",
        *claims_table(judge_filters(summary)),
    ]


def _n_whole(summary: Row) -> int:
    """Return the number of sets without more than k columns."""
    return sum(row["k"] < summary["k"] for row in summary["sets"])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    return [lines[0], "|" + "---|" * len(head), *lines[1:], ""]


def _rates(summary: Row) -> list[str]:
    lines = [
        "## Recall and precision against n",
        "",
        f"{len(summary['sets'])} sets of paper 001, {summary['n_folds']} folds, k = {summary['k']} columns or all. "
        "Each cell: recall / precision on the test rows of all folds; –: no row is accepted. The votes accept a row "
        "if the probability of n votes or more is above one half. The scorecard, which is not in the draft, selects "
        "its columns by itself, without k and n.",
        "",
    ]
    for decider, words in _DECIDERS.items():
        shown = decider == "follower" and bool(summary["scorecard"])
        rows = [
            [row["set"], criterion, *(_rate(each) for each in row[criterion][decider])]
            + [""] * (summary["k"] - row["k"])
            + ([_of_scorecard(summary, row["set"], "plain")] if shown and criterion == "expected" else [""] * shown)
            for row in summary["sets"]
            for criterion in ("expected", "log")
        ]
        head = [f"set; {words}", "likelihood", *(f"n = {n}" for n in range(1, summary["k"] + 1))]
        head += ["scorecard"] * shown
        lines += _table(head, rows)
    return lines


def _rate(rate: Sequence[float | None]) -> str:
    recall, precision = rate
    return f"{recall:.2f} / " + ("–" if precision is None else f"{precision:.2f}")


def _of_scorecard(summary: Row, name: str, decision: str) -> str:
    rates = summary["scorecard"].get(name)
    return "" if rates is None else _rate((rates[decision]["recall"], rates[decision]["precision"]))


def _floor(summary: Row) -> list[str]:
    floor, rules = summary["floor"], ("chosen n", "at least half", "any")
    with_scorecard = bool(summary["scorecard"])
    rows = [
        [row["set"], str(row["n_positive"]), _chosen(row["chosen"])]
        + [_pair(row[rule]) for rule in rules]
        + [_pair(summary["scorecard"][row["set"]]["floor"]) if row["set"] in summary["scorecard"] else ""]
        * with_scorecard
        for row in floor["sets"]
    ]
    met = sum(row["chosen n"]["recall"] >= floor["floor"] for row in floor["sets"])
    return [
        f"## The choice of n under a recall floor of {floor['floor']:.2f}",
        "",
        "Expected likelihood. In each fold, n is the one of highest precision among those that reach the floor on the "
        "training rows, out of three inner folds. Each cell: recall / precision. *Scorecard*, not in the draft: its "
        "threshold has the same floor.",
        "",
        *_table(["set", "positive rows", "chosen n: folds", *rules, *["scorecard"] * with_scorecard], rows),
        f"The test recall of the chosen n reaches the floor on {met} of {len(rows)} sets.",
        "",
    ]


def _chosen(chosen: Sequence[int]) -> str:
    """Return how many folds chose each n."""
    return "; ".join(f"{n}: {chosen.count(n)}" for n in sorted(set(chosen)))


def _pair(rates: Row) -> str:
    precision = "–" if rates["precision"] is None else f"{rates['precision']:.3f}"
    return f"{rates['recall']:.3f} / {precision}"


def _likelihoods(rows: Sequence[Row]) -> list[str]:
    cells = [
        [
            str(row["n"]),
            f"{row['same_first']} of {row['n_folds']}",
            f"{row['same_order']} of {row['n_folds']}",
            f"{row['same_subset']} of {row['n_chosen']}",
            "–" if row["jaccard"] is None else f"{row['jaccard']:.2f}",
        ]
        for row in rows
    ]
    return [
        "## Expected against log likelihood",
        "",
        "Over all folds of all sets; subsets and their Jaccard index only where a set has more than k columns.",
        "",
        *_table(["n", "same first column", "same order", "same subset", "mean Jaccard index"], cells),
    ]


def _filters(filters: Row) -> list[str]:
    metrics = ("accuracy", "recall", "precision", "f1")
    selectors = list(filters["accuracy"]["mean_ranks"])
    rows = [[name, *(f"{filters[metric]['mean_ranks'][name]:.2f}" for metric in metrics)] for name in selectors]
    rows.append(["Friedman p", *(f"{filters[metric]['p_value']:.3f}" for metric in metrics)])
    rows.append(["critical difference", *(f"{filters[metric]['critical_difference']:.2f}" for metric in metrics)])
    return [
        "## The eight filters among each other",
        "",
        f"Mean ranks over {filters['n_sets']} sets (1 is best), of the means over folds, sizes up to k and four "
        "classifiers that are not tuned; paper 001 has the same test with tuned classifiers and up to 50 columns.",
        "",
        *_table(["filter", *metrics], rows),
    ]
