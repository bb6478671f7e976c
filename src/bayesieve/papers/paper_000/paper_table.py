# SPDX-License-Identifier: BSD-3-Clause
"""The table as Markdown."""

from typing import Any

__all__ = ["markdown"]

Row = dict[str, Any]


def markdown(summary: Row) -> str:
    """Return the tables and the verdicts as Markdown."""
    lines = ["# Paper 000", "", *_printed(summary["printed"])]
    if summary["real"] is not None:
        lines += ["## Table 3 on KDD Cup 1998", "", *_campaigns(summary["real"], summary["printed"]["rows"])]
    if summary["simulated"] is not None:
        n, rows = len(summary["simulated"]["campaigns"]), summary["simulated"]["n_rows"]
        title = f"## Table 3 on simulated campaigns: {n} of {rows:,} training and as many test rows"
        lines += [title, "", *_campaigns(summary["simulated"])]
        lines += ["Comparisons of rows over the campaigns, of this library's methods too:", ""]
        lines += [*map(_verdict, summary["verdicts"]), ""]
    if summary["donor"] is not None:
        n, rows = len(summary["donor"]["campaigns"]), summary["donor"]["n_test"]
        lines += [f"## The donor table: {n} random halves of {rows:,} test rows", "", _DONOR, ""]
        lines += _campaigns(summary["donor"])
    return "\n".join(lines)


_DONOR = (
    "A sample of KDD Cup 1998 that was reworked for a course: 47 columns, a quarter of the people gave, no amounts. So "
    "there are no profits, and the seven columns selected by hand are not all in it."
)
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


def _campaigns(table: Row, printed: Row | None = None) -> list[str]:
    """Return a table, both curves and the claims; ``printed`` has the paper's figures if the data are the paper's."""
    quantities = [name for name in _FORMATS if any(name in row for row in table["rows"])]
    titles = ["method", "bins", *(_FORMATS[name][0] for name in quantities)]
    titles += ["paper: MSE, profit, test"] if printed else []
    return [
        _introduction(table["policies"]),
        "",
        f"| {' | '.join(titles)} |",
        "|" + "---|" * len(titles),
        *(_line(row, quantities, printed) for row in table["rows"]),
        "",
        f"Figure 1, MSE along the forward path, training, test: {_curve(table['curve'])}.",
        "",
        f"Figure 2, MSE along the boosted path, training, test: {_curve(table['boosted_curve'])}.",
        "",
        "| claim | verdict | figures |",
        "|---|---|---|",
        *(f"| {each['claim']} | **{each['verdict']}** | {each['figures']} |" for each in table["claims"]),
        "",
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
        "part of the MSE (DeGroot and Fienberg). Ten equal-frequency intervals keep all columns, as in the paper; MODL "
        "drops those that it leaves in one bin."
    )


def _curve(points: list[Row]) -> str:
    return "; ".join(f"{p['n_columns']:.0f}: {p['mse_train']:.5f}, {p['mse_test']:.5f}" for p in points)


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


def _verdict(verdict: Row) -> str:
    mean, rows = verdict["mean"], verdict["differences"]
    form = {"mse_test": "+.5f", "true_profit": "+,.0f", "gap_closed": "+.1%"}[rows[0]["quantity"]]
    error = "" if mean["standard_error"] is None else f" ± {mean['standard_error']:{form[1:]}}"
    fewest = min(rows, key=lambda row: row["n_positive"])
    return (
        f"- {verdict['claim']} **{verdict['verdict'].capitalize()}** (mean difference {mean['mean']:{form}}{error}; "
        f"positive in {fewest['n_positive']} of {fewest['n_seeds']} campaigns{' at least' if len(rows) > 1 else ''})."
    )
