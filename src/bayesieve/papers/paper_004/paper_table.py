# SPDX-License-Identifier: BSD-3-Clause
"""The table as Markdown."""

from typing import Any

__all__ = ["markdown"]


def markdown(summary: dict[str, Any]) -> str:
    """Return the table and the verdicts as Markdown."""
    n_seeds = len(summary["seeds"])
    lines = [
        "# Paper 004, table 1",
        "",
        f"Means over {n_seeds} seed{'s' * (n_seeds > 1)} of {summary['n_series']} training and as many test series "
        "(± standard error). *Paper*: as printed, one data set. The paper does not list its 814 indicators: windows, "
        "levels, shares and the tests on entire series are ours, of 27 constructions the nearest to the printed table.",
        "",
        "| method | paper: size, error | size | error |",
        "|---|---|---|---|",
        *(_line(row) for row in summary["rows"]),
        f"| all indicators | | | {summary['all_indicators']:.4f} |",
        "",
        "## The paper's conclusions",
        "",
        "*Holds*: each difference is positive by more than two standard errors. *Holds on average*: their mean is.",
        "",
        *(_verdict(verdict) for verdict in summary["verdicts"]),
        "",
        f"A seed, with its simulation and all rows of the table, took {summary['processor_seconds']:.1f} seconds of "
        "one processor.",
        "",
    ]
    return "\n".join(lines)


def _line(row: dict[str, Any]) -> str:
    printed = f"{row['printed_size']}, {row['printed_error']:.4f}" if row["printed_size"] else ""
    size = _with_error(row["size"], row["size_standard_error"], 0)
    error = _with_error(row["error"], row["error_standard_error"], 4)
    return f"| {row['method']} | {printed} | {size} | {error} |"


def _with_error(value: float, error: float | None, digits: int) -> str:
    return f"{value:.{digits}f}" + ("" if error is None else f" ± {error:.{digits}f}")


def _verdict(verdict: dict[str, Any]) -> str:
    mean, rows = verdict["mean"], verdict["differences"]
    digits = 0 if rows[0]["quantity"] == "size" else 4
    positive, n_seeds = [row["n_positive"] for row in rows], rows[0]["n_seeds"]
    shown = ", ".join(map(str, positive)) if len(positive) <= 4 else f"at least {min(positive)}"
    difference = _with_error(mean["mean"], mean["standard_error"], digits)
    p = "" if mean["p_value"] is None else f", p = {mean['p_value']:.2g}"
    return (
        f"- {verdict['claim']} **{verdict['verdict'].capitalize()}** (mean {rows[0]['quantity']} difference "
        f"{difference}{p}; positive in {shown} of {n_seeds} seeds)."
    )
