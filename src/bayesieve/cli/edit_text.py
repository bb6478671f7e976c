# SPDX-License-Identifier: BSD-3-Clause
"""What ``bayesieve edit`` prints: the bins of a model, what edits changed, and what could stand in for a column."""

import json
from math import isnan
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from bayesieve.bins.partition import short_description
from bayesieve.cli.terminal import VisibleText as Text
from bayesieve.data import frame_rows
from bayesieve.report import format_label

__all__ = ["print_alternatives", "print_bins", "print_changes"]


def print_bins(model: Any, *, as_json: bool) -> None:
    """Print the number, the values, the rows and the points of each bin of each column."""
    labels, columns = [format_label(each) for each in model.classes_.tolist()], []
    shown = [model.positive_index_] if len(labels) == 2 else list(range(len(labels)))
    for own in model.scorecard_.tables:
        points = [own.contributions(c).tolist() for c in shown]
        bins = [
            {
                "bin": b,
                "values": short_description(own.partition, b),
                "rows": float(own.bin_mass[b]),
                "points": dict(zip((labels[c] for c in shown), (round(each[b], 6) for each in points), strict=True)),
            }
            for b in range(own.partition.n_bins)
        ]
        columns.append({"column": own.name, "bins": bins})
    if as_json:
        typer.echo(json.dumps({"columns": columns, "pairs": [list(pair) for pair in model.pairs_]}))
        return
    console = Console()
    for each in columns:
        console.print(_bins(each, [labels[c] for c in shown]))
    for first, second in model.pairs_:
        console.print(Text(f"Pair: {first} × {second}"))
    for change in model.changes_:
        console.print(Text(f"Edit: {change.edit}" + (f" ({change.edit.why})" if change.edit.why else "")))


def _bins(column: dict[str, Any], labels: list[str]) -> Table:
    table = Table(title=Text(column["column"]), title_justify="left")
    table.add_column("bin", justify="right")
    table.add_column("values", overflow="fold")
    table.add_column("rows", justify="right")
    for label in labels:
        table.add_column(Text(f"points of {label}"), justify="right")
    for each in column["bins"]:
        points = [f"{each['points'][label]:+.2f}" for label in labels]
        table.add_row(str(each["bin"]), Text(each["values"]), f"{each['rows']:,.0f}", *points)
    return table


def print_changes(model: Any, out: Path | None, *, has_rows: bool) -> None:
    """Print what each edit of a model changed."""
    console = Console()
    if not model.changes_:
        console.print("The model has no edits left.")
    else:
        table = Table(title="Edits", title_justify="left")
        table.add_column("edit", overflow="fold")
        for heading in ("log loss", "change ± standard error", "other decisions"):
            table.add_column(heading, justify="right")
        for change in model.changes_:
            loss = ["", ""]
            if not isnan(change.log_loss):
                loss = [f"{change.log_loss:.5f}", f"{change.difference:+.5f} ± {change.error:.5f}"]
            table.add_row(Text(str(change.edit)), *loss, f"{change.decisions:,}" if has_rows else "")
        console.print(table)
        if model.is_refitted_:
            console.print(
                "Log loss per row, on rows that a fit has not seen; bins and edits were chosen by someone who saw all "
                "rows.",
                soft_wrap=True,
            )
        else:
            console.print("Points of edited bins changed and nothing else: what that costs is not known.")
    console.print(Text("Nothing was written; give --out FILE." if out is None else f"Model: {out}"), soft_wrap=True)


def print_alternatives(frame: Any, *, as_json: bool) -> None:
    """Print what columns cost that stand in for another one."""
    rows = frame_rows(frame)
    if as_json:
        typer.echo(json.dumps([{**row, "instead": _name(row["instead"])} for row in rows]))
        return
    table = Table()
    table.add_column("instead", overflow="fold")
    for heading in ("log loss", "change ± standard error"):
        table.add_column(heading, justify="right")
    for row in rows:
        cost = f"{row['difference']:+.5f} ± {row['error']:.5f}"
        table.add_row(Text(_name(row["instead"]) or "(none)"), f"{row['log_loss']:.5f}", cost)
    Console().print(table)


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) else None
