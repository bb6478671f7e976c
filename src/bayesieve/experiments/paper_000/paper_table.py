# SPDX-License-Identifier: BSD-3-Clause
"""The table as Markdown."""

from typing import Any

__all__ = ["markdown"]

Row = dict[str, Any]


def markdown(summary: Row) -> str:
    """Return the tables and the verdicts as Markdown."""
    lines = [
        "# Paper 000, table 3",
        "",
        f"In the paper, a letter to everyone in the test set earns ${summary['printed']['everyone']:,.0f}, and the "
        f"winner of the competition earned ${summary['printed']['winner']:,.0f}. MSE sums both classes.",
        "",
    ]
    if summary["real"] is None:
        lines += ["The files of KDD Cup 1998 are not present: simulated campaigns only, whose figures differ from "
                  "the paper's.", ""]  # fmt: skip
    else:
        lines += ["## KDD Cup 1998", "", *_campaigns(summary["real"])]
    if summary["simulated"] is not None:
        n, rows = len(summary["simulated"]["campaigns"]), summary["simulated"]["n_rows"]
        lines += [f"## Simulated campaigns: {n} of {rows:,} training and as many test rows", ""]
        lines += [*_campaigns(summary["simulated"]), "### Claims", ""]
        lines += [*map(_verdict, summary["verdicts"]), ""]
    return "\n".join(lines)


def _campaigns(table: Row) -> list[str]:
    policies = table["policies"]
    introduction = (
        f"Expected profits under the true probabilities: a letter to everyone ${policies['true_everyone']:,.0f}, the "
        f"best policy ${policies['true_best']:,.0f}; *gap*: the proportion of the difference that is earned. "
        if "true_best" in policies
        else f"A letter to everyone earns ${policies['everyone']:,.0f}. "
    )
    return [
        introduction
        + f"The class frequencies alone have an MSE of {policies['mse_prior']:.5f}. *Calibration loss*: its part of "
        "the MSE (DeGroot and Fienberg).",
        "",
        "| method | paper: MSE train, test | paper: profit train, test | columns | MSE train | MSE test | "
        "calibration loss | profit train | profit test | true profit | gap | mailed | seconds |",
        "|" + "---|" * 13,
        *map(_line, table["rows"]),
        "",
        "MSE along the forward path (figure 1), training, test: "
        + "; ".join(f"{p['n_columns']:.0f}: {p['mse_train']:.5f}, {p['mse_test']:.5f}" for p in table["curve"])
        + ".",
        "",
    ]


def _line(row: Row) -> str:
    printed = row["printed"]
    theirs = ["", ""]
    if printed:
        theirs = [
            f"{printed['mse_train']:.5f}, {printed['mse_test']:.5f}",
            f"{printed['profit_train']:,.0f}, {printed['profit_test']:,.0f}",
        ]
    formats = {
        "n_columns": ".1f", "mse_train": ".5f", "mse_test": ".5f", "calibration": ".5f", "profit_train": ",.0f",
        "profit_test": ",.0f", "true_profit": ",.0f", "gap_closed": ".1%", "mailed": ".1%", "seconds": ".1f",
    }  # fmt: skip
    ours = [_shown(row, quantity, form) for quantity, form in formats.items()]
    return "| " + " | ".join([row["method"], *theirs, *ours]) + " |"


def _shown(row: Row, quantity: str, form: str) -> str:
    if quantity not in row:
        return "–"
    error = row[f"{quantity}_standard_error"]
    with_error = error is not None and quantity in ("mse_test", "true_profit")
    return f"{row[quantity]:{form}}" + (f" ± {error:{form}}" if with_error else "")


def _verdict(verdict: Row) -> str:
    mean, rows = verdict["mean"], verdict["differences"]
    form = {"mse_test": "+.5f", "true_profit": "+,.0f", "gap_closed": "+.1%"}[rows[0]["quantity"]]
    error = "" if mean["standard_error"] is None else f" ± {mean['standard_error']:{form[1:]}}"
    fewest = min(rows, key=lambda row: row["n_positive"])
    return (
        f"- {verdict['claim']} **{verdict['verdict'].capitalize()}** (mean difference {mean['mean']:{form}}{error}; "
        f"positive in {fewest['n_positive']} of {fewest['n_seeds']} campaigns{' at least' if len(rows) > 1 else ''})."
    )
