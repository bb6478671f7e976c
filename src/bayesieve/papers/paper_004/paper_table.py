# SPDX-License-Identifier: BSD-3-Clause
"""The table and the verdicts as Markdown."""

from typing import Any

from bayesieve.papers.paper_004.paper_claims import judge_both_guides, judge_guided, judge_others
from bayesieve.papers.verdict import claims_table

__all__ = ["markdown"]

Row = dict[str, Any]
_MARGINS = (
    "The smallest difference worth naming is 0.001 of an error, or 10 indicators. A difference is positive where the "
    "sentence is true."
)


def markdown(summary: Row) -> str:
    """Return the tables and the verdicts as Markdown."""
    lines = ["# Paper 004", ""]
    if summary["rows"]:
        lines += [*_table(summary), *_claims(summary)]
    if summary["guided"]:
        lines += _guided(summary)
    if summary["costs"]:
        lines += _costs(summary)
    return "\n".join(lines)


def _table(summary: Row) -> list[str]:
    n_seeds = len(summary["seeds"])
    everything = summary["all_indicators"]
    return [
        "## Table 1",
        "",
        f"Means over {n_seeds} simulated data sets ({n_seeds} seed{'s' * (n_seeds > 1)}) of {summary['n_series']:,} "
        "training and as many test series, ± standard errors. *Paper*: as printed, from one data set. The criterion "
        "guides the search on half B, which also chooses the subset; the other reading is below.",
        "",
        "| method | paper: size, error | size | error |",
        "|---|---|---|---|",
        *(_line(row) for row in summary["rows"]),
        f"| all indicators | | | {_with_error(everything['error'], everything['error_standard_error'], 4)} |",
        *_scorecard(summary["scorecard"]),
        "",
    ]


def _scorecard(row: Row | None) -> list[str]:
    if row is None:
        return []
    size = _with_error(row["size"], row["size_standard_error"], 0)
    error = _with_error(row["error"], row["error_standard_error"], 4)
    return [
        "| *not in the paper:* | | | |",
        f"| **scorecard**, fitted on both halves, {len(row['errors'])} seeds | | {size} | {error} |",
    ]


def _claims(summary: Row) -> list[str]:
    return [
        "## The paper's conclusions",
        "",
        _MARGINS,
        "",
        *claims_table([*judge_guided(summary["claims"]), *judge_others(summary)]),
    ]


def _guided(summary: Row) -> list[str]:
    n_seeds = len(summary["guided"][0]["errors"])
    lines = {each["method"]: each for each in judge_both_guides(summary)}
    return [
        "## The other reading: half A guides",
        "",
        "The paper builds naive Bayes on one half (A) and selects the subset on the other (B). It does not describe on "
        "which half the criterion is computed during the search. Above it is B, as in a wrapper with held-out rows; "
        "here it is A, as in the paper's formula of the error probability, a mean over the N training rows. In both, "
        f"each phase ends with the smallest subset of the lowest error on B. Means over {n_seeds} seeds; *difference*: "
        "error guided by B less error guided by A.",
        "",
        "| method | size | error | difference | 95 % interval |",
        "|---|---|---|---|---|",
        *(
            f"| {row['method']} | {_with_error(row['size'], row['size_standard_error'], 0)} | "
            f"{_with_error(row['error'], row['error_standard_error'], 4)} | {lines[row['method']]['mean']:+.4f} | "
            f"{lines[row['method']]['low']:+.4f} to {lines[row['method']]['high']:+.4f} |"
            for row in summary["guided"]
        ),
        "",
        "The same conclusions, where half A guides:",
        "",
        *claims_table(judge_guided(summary["guided_claims"])),
    ]


def _costs(summary: Row) -> list[str]:
    costs = summary["costs"]
    titles = {row["key"]: row["method"] for row in summary["rows"]} or {key: key for key in costs["seconds"]}
    n = len(next(iter(costs["seconds"].values())))
    return [
        "## Cost of a search",
        "",
        "Processor seconds of each method by itself, with all of its phases, from coded indicators to the selection; "
        f"{costs['n_columns']} indicators vary, {summary['n_series'] // 2:,} series in each half, means over {n} "
        f"seed{'s' * (n > 1)} on one thread of a shared computer.",
        "",
        "| method | seconds |",
        "|---|---|",
        *(f"| {titles[key]} | {sum(each) / len(each):.2f} |" for key, each in costs["seconds"].items()),
        *(
            ["| *not in the paper:* | |", f"| **scorecard** | {summary['scorecard']['seconds']:.1f} |"]
            if summary["scorecard"]
            else []
        ),
        "",
    ]


def _line(row: Row) -> str:
    printed = f"{row['printed_size']}, {row['printed_error']:.4f}" if row["printed_size"] else ""
    size = _with_error(row["size"], row["size_standard_error"], 0)
    return f"| {row['method']} | {printed} | {size} | {_with_error(row['error'], row['error_standard_error'], 4)} |"


def _with_error(value: float, error: float | None, digits: int) -> str:
    return f"{value:.{digits}f}" + ("" if error is None else f" ± {error:.{digits}f}")
