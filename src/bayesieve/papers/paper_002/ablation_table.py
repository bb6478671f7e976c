# SPDX-License-Identifier: BSD-3-Clause
"""ESNB's enhancements one at a time, and probes before any search, as Markdown."""

from collections.abc import Sequence
from statistics import mean
from typing import Any

from bayesieve.papers.paper_002.paper_claims import ESNB, LANGLEY_SAGE, ablation_sets, judge_ablation, wilson
from bayesieve.papers.paper_002.printed import SETS
from bayesieve.papers.verdict import claims_table

__all__ = ["ablation_lines", "noise_lines"]

Row = dict[str, Any]

_BINS = {"gaussian": "normal", "equal_width": "ten of equal width", "modl": "MODL"}
_THRESHOLDS = {"half": "1/2", "chi2": "chi-square"}
_CRITERIA = {
    "accuracy": "accuracy rises", "lift": "lift area rises", "accuracy may stay": "accuracy does not fall",
}  # fmt: skip


def ablation_lines(sets: Sequence[Row]) -> list[str]:
    """Return the enhancements one at a time: a line per combination, and the verdicts."""
    challenge = [each["set"] for each in sets if each["set"] in SETS]
    uci = [each["set"] for each in sets if each["set"] not in SETS]
    names = [
        (row["bins"], row["criterion"], threshold)
        for row in max((each["rows"] for each in sets), key=len)
        for threshold in _THRESHOLDS
    ]
    lines = []
    for each in sorted(names, key=lambda each: each != LANGLEY_SAGE):
        found = ablation_sets(sets, each)
        cells = [
            f"{found[name]['n_columns']:.0f}, {100 * found[name]['ber']:.1f}" if name in found else ""
            for name in challenge
        ]
        if uci:
            own = [found[name] for name in uci if name in found]
            cells.append(
                ", ".join(
                    f"{factor * mean(row[key] for row in own):.1f}" for key, factor in (("n_columns", 1), ("ber", 100))
                )
            )
        title = " (Langley and Sage)" if each == LANGLEY_SAGE else " (ESNB)" if each == ESNB else ""
        lines.append(
            f"| {_BINS[each[0]]} | {_CRITERIA[each[1]]} | {_THRESHOLDS[each[2]]}{title} | {' | '.join(cells)} |"
        )
    heads = [*challenge, *([f"{len(uci)} UCI sets"] if uci else [])]
    return [
        "## The three enhancements, one at a time",
        "",
        "Each cell: columns, balanced error in percent; of the challenge on validation rows, of the UCI sets means "
        "over ten folds. *Normal*: Langley and Sage's distribution of a number, with Weka's estimates, and "
        "frequencies of labels. *Does not fall*: their rule, at most 200 columns. DOROTHEA has binary columns, which "
        "need no normal distribution.",
        "",
        *_lines(f"| numbers | a column is added while the | threshold | {' | '.join(heads)} |", lines),
        "Verdicts over all of these sets, which differ: a mean over them has a wide interval.",
        "",
        *claims_table(judge_ablation(sets)),
    ]


def noise_lines(rows: Sequence[Row]) -> list[str]:
    """Return the table of probes that MODL divides."""
    return [
        "## Probes before any search",
        "",
        "One probe per column is added: permuted values, or Gaussian ones for MADELON and Zipf's for DEXTER, as the "
        "organizers' were. *Divided*: probes of which MODL makes more than one interval, so that a search could select "
        "them.",
        "",
        *_lines(
            "| set | rows | probes | divided | share | 95 % interval |",
            [
                f"| {row['set']} | {row['n_rows']} | {row['n_probes']:,} | {row['n_divided']} | "
                f"{row['n_divided'] / row['n_probes']:.3%} | "
                f"{' to '.join(format(end, '.3%') for end in wilson(row['n_divided'], row['n_probes']))} |"
                for row in rows
            ],
        ),
    ]


def _lines(head: str, rows: Sequence[str]) -> list[str]:
    return [head, "|" + "---|" * (head.count("|") - 1), *rows, ""]
