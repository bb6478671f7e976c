# SPDX-License-Identifier: BSD-3-Clause
"""The table as Markdown."""

from statistics import mean
from typing import Any

from bayesieve.papers.paper_000.paper_claims import judge_campaigns, judge_library, judge_published
from bayesieve.papers.standard_error import standard_error
from bayesieve.papers.verdict import claims_table, count_units

__all__ = ["markdown"]

Row = dict[str, Any]


_MARGINS = (
    "The smallest difference worth naming is 0.0001 of an MSE, $100, or 0.01 of the gap and of a log ratio. A "
    "difference is positive where the sentence is true."
)
_DONOR = (
    "A sample of KDD Cup 1998 that was reworked for a course: 47 columns, a quarter of the people gave, no amounts. So "
    "there are no profits, and the seven columns selected by hand are not all in it. Random halves share rows, for "
    "which intervals are corrected; the standard errors of the table (±) are not."
)


def markdown(summary: Row) -> str:
    """Return the tables and the verdicts as Markdown."""
    lines = ["# Paper 000", "", *_printed(summary["printed"])]
    lines += ["## Claims about KDD Cup 1998", "", *_PUBLISHED, "", *claims_table(judge_published(summary))]
    if summary["real"]:
        lines += ["## Table 3 on KDD Cup 1998", "", *_campaigns(summary, "real")]
        lines += [_MARGINS, "", *claims_table(judge_campaigns(summary, "real", "campaign"))]
    if summary["simulated"]:
        lines += _simulated(summary)
    if summary["donor"]:
        n, rows = len(summary["donor"]["campaigns"]), summary["donor"]["n_test"]
        title = f"{n} random halves" if n > 1 else "one random half"
        lines += [f"## The donor table: {title} of {rows:,} test rows", "", _DONOR, ""]
        lines += [*_campaigns(summary, "donor"), "The paper's claims, on halves of the donor table:", ""]
        lines += claims_table(judge_campaigns(summary, "donor", "halves"))
        lines += ["Methods of this library, on the same halves:", ""]
        lines += claims_table(judge_library(summary, "donor", "halves"))
    return "\n".join(lines)


_PUBLISHED = (
    "The targets of the test set are published; its columns are not at hand, so that no figure of table 3 can be "
    "computed from them.",
)


def _simulated(summary: Row) -> list[str]:
    n, rows = len(summary["simulated"]["campaigns"]), summary["simulated"]["n_rows"]
    pairs = f"{n} pairs of mailings" if n > 1 else "one pair of mailings"
    return [
        f"## Table 3 on simulated campaigns: {pairs}, {rows:,} people each",
        "",
        *_campaigns(summary, "simulated"),
        "The paper's claims, on simulated campaigns. These are verdicts about the methods on such data, and not about "
        f"the paper's figures. {_MARGINS}",
        "",
        *claims_table(judge_campaigns(summary, "simulated", "campaigns")),
        "Methods of this library, on the same campaigns:",
        "",
        *claims_table(judge_library(summary, "simulated", "campaigns")),
    ]


_BINS = {"equal_frequency": "ten equal-frequency intervals", "modl": "MODL"}


def _printed(printed: Row) -> list[str]:
    return [
        "## Table 3 as printed",
        "",
        f"A letter to everyone in the test set earns ${printed['everyone']:,.0f}, and the winner of the competition "
        f"earned ${printed['winner']:,.0f}. MSE sums both classes.",
        "",
        "| method | MSE train | MSE test | profit train | profit test |",
        "|---|---|---|---|---|",
        *(
            f"| {name} | {row['mse_train']:.5f} | {row['mse_test']:.5f} | {row['profit_train']:,.0f} | "
            f"{row['profit_test']:,.0f} |"
            for name, row in printed["rows"].items()
        ),
        "",
    ]


def _campaigns(summary: Row, kind: str) -> list[str]:
    """Return a table and both curves; the paper's figures are in it if the data are the paper's."""
    table, printed = summary[kind], summary["printed"]["rows"] if kind == "real" else None
    quantities = [name for name in _FORMATS if any(name in row for row in table["rows"])]
    titles = ["method", "bins", *(_FORMATS[name][0] for name in quantities)]
    titles += ["paper: MSE, profit, test"] if printed else []
    return [
        _introduction(table["policies"]),
        "",
        f"| {' | '.join(titles)} |",
        "|" + "---|" * len(titles),
        *(_line(row, quantities, printed) for row in table["rows"]),
        *_apart(summary, kind, quantities, len(titles)),
        "",
        "MSE by the number of columns (figures 1 and 2), at some sizes:",
        "",
        *_curves(table),
        "",
    ]


def _apart(summary: Row, kind: str, quantities: list[str], width: int) -> list[str]:
    """Return the rows of other sizes of SelectiveNaiveBayes, and that of the scorecard, which is not in the paper."""
    lines, units = [], "halves" if kind == "donor" else "campaigns"

    def of_some(n: int) -> str:
        return "" if n == len(summary[kind]["campaigns"]) else f", {count_units(n, units)}"

    for size, values in summary["paths"].get(kind, {"sizes": {}})["sizes"].items():
        row: Row = {"n_columns": float(size), "n_columns_standard_error": 0.0}
        for name in ("mse_test", "true_profit"):
            if name in values:
                row |= {name: mean(values[name]), f"{name}_standard_error": standard_error(values[name])}
        cells = [
            f"SelectiveNaiveBayes, {size} columns{of_some(len(values['mse_test']))}",
            "MODL",
            *(_shown(row, name, _FORMATS[name][1]) for name in quantities),
        ]
        lines.append(f"| {' | '.join([*cells, *[''] * (width - len(cells))])} |")
    if row := summary["scorecard"].get(kind):
        title = f"**scorecard**{of_some(len(row['campaigns']))}"
        cells = [title, "its own", *(_shown(row, name, _FORMATS[name][1]) for name in quantities)]
        lines.append(f"| *not in the paper:* |{' |' * (width - 1)}")
        lines.append(f"| {' | '.join([*cells, *[''] * (width - len(cells))])} |")
    return lines


_SIZES = (1, 2, 3, 4, 5, 7, 10, 15, 20)


def _curves(table: Row) -> list[str]:
    """Return both curves as a table, at some sizes."""
    curves = {"forward": table["curve"], "boosted": table["boosted_curve"]}
    sizes = [size for size in _SIZES if size <= min(map(len, curves.values()))]
    return [
        f"| path, rows | {' | '.join(map(str, sizes))} |",
        "|" + "---|" * (1 + len(sizes)),
        *(
            f"| {path}, {rows} | {' | '.join(format(points[size - 1][f'mse_{rows}'], '.5f') for size in sizes)} |"
            for path, points in curves.items()
            for rows in ("train", "test")
        ),
    ]


def _introduction(policies: Row) -> str:
    if "true_best" in policies:
        profits = (
            f"Expected profits under the true probabilities: a letter to everyone ${policies['true_everyone']:,.0f}, "
            f"the best policy ${policies['true_best']:,.0f}; *gap*: the proportion of the difference that is earned. "
        )
    else:
        profits = f"A letter to everyone earns ${policies['everyone']:,.0f}. " if "everyone" in policies else ""
    return (
        f"{profits}The class frequencies alone have an MSE of {policies['mse_prior']:.5f}. *Calibration loss*: its "
        "part of the MSE (DeGroot and Fienberg). Ten equal-frequency intervals keep all columns; MODL drops those that "
        "it leaves in one bin."
    )


_FORMATS = {
    "n_columns": ("columns", ".1f"),
    "mse_train": ("MSE train", ".5f"),
    "mse_test": ("MSE test", ".5f"),
    "calibration": ("calibration loss", ".5f"),
    "profit_train": ("profit train", ",.0f"),
    "profit_test": ("profit test", ",.0f"),
    "true_profit": ("true profit", ",.0f"),
    "gap_closed": ("gap", ".1%"),
    "mailed": ("mailed", ".1%"),
    "seconds": ("seconds", ".1f"),
}


def _line(row: Row, quantities: list[str], printed: Row | None) -> str:
    cells = [row["method"], _BINS[row["bins"]], *(_shown(row, name, _FORMATS[name][1]) for name in quantities)]
    if printed:
        theirs = printed.get(row["method"]) if row["bins"] == "equal_frequency" else None
        cells.append(f"{theirs['mse_test']:.5f}, {theirs['profit_test']:,.0f}" if theirs else "")
    return f"| {' | '.join(cells)} |"


def _shown(row: Row, quantity: str, form: str) -> str:
    if quantity not in row:
        return "–"
    error = row[f"{quantity}_standard_error"]
    with_error = error is not None and quantity in ("mse_test", "true_profit")
    return f"{row[quantity]:{form}}" + (f" ± {error:{form}}" if with_error else "")
