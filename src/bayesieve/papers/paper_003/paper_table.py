# SPDX-License-Identifier: BSD-3-Clause
"""The tables as Markdown."""

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["markdown"]

Row = dict[str, Any]
_DECIDERS = {"votes": "the votes themselves", "follower": "naive Bayes on the selected columns"}


def markdown(summary: Row) -> str:
    """Return all tables as Markdown."""
    lines = ["# Paper 003", ""]
    if summary["sets"]:
        lines += _rates(summary)
        lines += _floor(summary["floor"])
        lines += _likelihoods(summary["likelihoods"])
    if summary["filters"]:
        lines += _filters(summary["filters"])
    if summary["verdicts"]:
        rows = [[each["claim"], f"**{each['verdict']}**", each["figures"]] for each in summary["verdicts"]]
        lines += ["## The paper's claims", "", *_table(["claim", "verdict", "figures"], rows)]
    return "\n".join(lines)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    return [lines[0], "|" + "---|" * len(head), *lines[1:], ""]


def _rates(summary: Row) -> list[str]:
    lines = [
        "## Recall and precision against n",
        "",
        f"{len(summary['sets'])} sets of paper 001, {summary['n_folds']} folds, k = {summary['k']} columns or all. "
        "Each cell: recall / precision on the test rows of all folds; –: no row is accepted. A row is accepted if n "
        "votes or more have a probability above one half.",
        "",
    ]
    for decider, words in _DECIDERS.items():
        rows = [
            [row["set"], criterion, *(_rate(each) for each in row[criterion][decider])]
            + [""] * (summary["k"] - row["k"])
            for row in summary["sets"]
            for criterion in ("expected", "log")
        ]
        head = [f"set; {words}", "likelihood", *(f"n = {n}" for n in range(1, summary["k"] + 1))]
        lines += _table(head, rows)
    return lines


def _rate(rate: Sequence[float | None]) -> str:
    recall, precision = rate
    return f"{recall:.2f} / " + ("–" if precision is None else f"{precision:.2f}")


def _floor(floor: Row) -> list[str]:
    rules = ("chosen n", "at least half", "any")
    rows = [
        [row["set"], str(row["n_positive"]), ", ".join(map(str, row["chosen"]))] + [_pair(row[rule]) for rule in rules]
        for row in floor["sets"]
    ]
    met = sum(row["chosen n"]["recall"] >= floor["floor"] for row in floor["sets"])
    return [
        f"## The choice of n under a recall floor of {floor['floor']:.2f}",
        "",
        "Expected likelihood. In each fold, n is the one of highest precision among those that reach the floor on the "
        "training rows, out of three inner folds. Each cell: recall / precision.",
        "",
        *_table(["set", "positive rows", "chosen n per fold", *rules], rows),
        f"The test recall of the chosen n reaches the floor on {met} of {len(rows)} sets.",
        "",
    ]


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
