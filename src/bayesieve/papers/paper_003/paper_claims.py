# SPDX-License-Identifier: BSD-3-Clause
"""The sentences of the draft: about the votes as a rule, about the columns that they select, and about filters."""

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt
from typing import Any, Final

import numpy as np

from bayesieve.papers.verdict import FAILS, HOLDS, UNKNOWN, Difference, Scale, judge, judge_cases, state, unknown

__all__ = ["WIDE", "headline", "judge_filters", "judge_rule", "judge_selection"]

Record = dict[str, Any]
_LEVEL: Final = 0.05
_LEAST_SETS: Final = 10  # of a test of ranks, from which no difference is concluded
_RATES: Final = Scale("+.3f", 0.01)
_NORMAL: Final = 1.96
WIDE: Final = "newsgroup"
"""The set with more columns than a handful per row: 500 words."""


def judge_rule(summary: Record) -> list[Record]:
    """Return the verdicts on n of k votes as a classifier, by expected likelihood."""
    votes = [row["expected"]["votes"] for row in summary["sets"]]
    accepting = [[each for each in rates if each[1] is not None] for rates in votes]
    steps = [pair for rates in accepting for pair in pairwise(rates)]
    rises = [rates[-1][1] - rates[0][1] for rates in accepting if rates]
    return [
        judge_cases(
            "One vote of k gives the highest recall (section 3.2).",
            sum(rates[0][0] == max(recall for recall, _ in rates) for rates in votes), len(votes),
            "sets, nearly by construction: of the same columns, what n + 1 votes accept, n votes accept",
        ),
        _highest_precision(votes),
        judge(
            "More votes are more precise: the largest n that accepts a row against n = 1.",
            [Difference.of_values("", rises)], _RATES, "sets",
        ),
        judge_cases(
            "n between them balances both: from n to n + 1 recall does not rise and precision does not fall (section "
            "3.3).",
            sum(after[0] <= before[0] and after[1] >= before[1] for before, after in steps), len(steps), "steps",
        ),
    ]  # fmt: skip


def _highest_precision(votes: Sequence[Any]) -> Record:
    """Judge whether k of k votes are the most precise, on sets on which they accept a row at all."""
    claim = "All votes of k give the highest precision, where they accept a row at all (section 3.1)."
    defined = [
        [precision for _, precision in rates if precision is not None] for rates in votes if rates[-1][1] is not None
    ]
    if not defined:
        return unknown(claim, "they accept no row on any set, so that their precision is undefined")
    n_highest = sum(each[-1] == max(each) for each in defined)
    return judge_cases(claim, n_highest, len(defined), f"sets on which they accept a row, of {len(votes)}")


def judge_selection(summary: Record) -> list[Record]:
    """Return the verdicts on the columns that n selects, for naive Bayes that follows: what the draft is about."""
    rows = []
    for likelihood, place, sentence in (
        (
            "expected",
            0,
            "By expected likelihood, columns for n = 1 give naive Bayes a higher recall than those for n = k",
        ),
        ("log", 0, "By log likelihood, columns for n = 1 give naive Bayes a higher recall than those for n = k"),
        (
            "expected",
            1,
            "By expected likelihood, columns for n = k give naive Bayes a higher precision than those for n = 1",
        ),
        ("log", 1, "By log likelihood, columns for n = k give naive Bayes a higher precision than those for n = 1"),
    ):
        section = "3.2" if place == 0 else "3.1"
        for where, units, differences in (
            (
                "on the word table",
                "positive rows" if place == 0 else "accepted rows",
                _on_words(summary, likelihood, place),
            ),
            ("on the other sets", "sets", _on_others(summary, likelihood, place)),
        ):
            if differences:
                rows.append(judge(f"{sentence}: {where} (section {section}).", differences, _RATES, units))
    return rows


def _on_words(summary: Record, likelihood: str, place: int) -> list[Difference]:
    """Return the difference on the word table, whose units are rows: it is a single table."""
    found = []
    for row in summary["sets"]:
        first, last = row[likelihood]["follower"][0], row[likelihood]["follower"][-1]
        if row["set"] == WIDE and first[1] is not None and last[1] is not None:
            counts = [
                row["n_positive"] if place == 0 else each[0] * row["n_positive"] / each[1] for each in (first, last)
            ]
            variance = sum(
                each[place] * (1 - each[place]) / max(n, 1) for each, n in zip((first, last), counts, strict=True)
            )
            value = (first[place] - last[place]) * (1 if place == 0 else -1)
            found.append(Difference("", value, _NORMAL * sqrt(variance), round(min(counts))))
    return found


def _on_others(summary: Record, likelihood: str, place: int) -> list[Difference]:
    """Return the mean difference over the other sets."""
    rates = [
        (row[likelihood]["follower"][0], row[likelihood]["follower"][-1])
        for row in summary["sets"]
        if row["set"] != WIDE
    ]
    values = [first[place] - last[place] for first, last in rates if first[1] is not None and last[1] is not None]
    return [Difference.of_values("", np.array(values) * (1 if place == 0 else -1))] if values else []


def judge_filters(summary: Record) -> list[Record]:
    """Return the verdicts on the sentences about likelihoods and filters."""
    rows = summary["likelihoods"]
    same, folds = sum(row["same_order"] for row in rows), sum(row["n_folds"] for row in rows)
    subsets, chosen = sum(row["same_subset"] for row in rows), sum(row["n_chosen"] for row in rows)
    verdicts = [
        judge_cases(
            "Expected and log likelihood select alike, as the logarithm is monotone (section 4).", same, folds,
            f"folds and n have the same order; {subsets} of {chosen} the same subset where columns are left over",
        )
    ]  # fmt: skip
    if filters := summary["filters"]:
        p_values = {metric: filters[metric]["p_value"] for metric in ("accuracy", "recall", "precision", "f1")}
        shown = ", ".join(f"{metric} {p:.2f}" for metric, p in p_values.items())
        n_same = sum(not p < _LEVEL for p in p_values.values())
        verdict = FAILS if n_same < len(p_values) else HOLDS if filters["n_sets"] >= _LEAST_SETS else UNKNOWN
        verdicts.append(
            state(
                "Existing filters show no statistical difference (section 1): Friedman's test at 5 %.", verdict,
                f"none in {n_same} of {len(p_values)} measures; p-values: {shown}", f"{filters['n_sets']} sets",
            )
        )  # fmt: skip
    return verdicts


def headline(summary: Record) -> list[str]:
    """Return the finding about both likelihoods as a paragraph, with its figures; nothing without the word table."""
    wide = next((row for row in summary["sets"] if row["set"] == WIDE), None)
    if wide is None:
        return []
    recalls = {each: [rates[0] for rates in wide[each]["follower"]] for each in ("expected", "log")}
    bound = ""
    narrow = [_on_others(summary, likelihood, 0) for likelihood in ("expected", "log")]
    if all(narrow) and narrow[0][0].half_width is not None:
        expected, log = (f"{each.low:+.3f} to {each.high:+.3f}" for (each,) in narrow)
        bound = (
            f" On the {narrow[0][0].n} other sets n hardly matters to it: the recall for n = 1 less that for n = k has "
            f"the 95 % interval {expected} by expected and {log} by log likelihood."
        )
    return [
        "## What we found",
        "",
        "**By log likelihood the roles of “any” and “all” are reversed for a classifier that follows.** On the word "
        f"table ({wide['n_positive']} positive rows), naive Bayes on the columns that n = 1 selects has a recall of "
        f"{recalls['expected'][0]:.2f} by expected and of {recalls['log'][0]:.2f} by log likelihood; on those for n = "
        f"k it is {recalls['expected'][-1]:.2f} and {recalls['log'][-1]:.2f}.{bound} Six word tables have the same "
        "result: see [paper 001](001_high_recall.md#what-we-found).",
        "",
    ]
