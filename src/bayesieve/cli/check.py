# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve check``: what spoils a fit, found in a file before the fit."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer
from rich.console import Console
from rich.table import Table

from bayesieve.cli.files import TABLE, TableOptions, reads_table
from bayesieve.cli.terminal import VisibleText as Text, print_errors
from bayesieve.data import read_table

if TYPE_CHECKING:
    from bayesieve.quality import DataCheck, Finding

__all__ = ["MOST_FINDINGS", "check", "print_findings"]

MOST_FINDINGS: Final = 10
"""The number of findings that are printed before a fit."""

_MOST_LETTERS: Final = 14  # of an example
_OTHERS_WIDTH: Final = 64  # of the other fields and the lines between them, folded as they can be


@reads_table
def check(
    data: Path = typer.Argument(help=TABLE),
    *,
    target: str | None = typer.Option(None, help="Name of the target column; without it, only the others are checked."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    reading: TableOptions,
) -> None:
    """List the type of every column, and what would spoil a fit.

    Found are nearly numeric columns, numbers and dates read as text, constant, empty and duplicated columns,
    identifiers, columns that leak the target, one fact in several columns, rare classes, copied rows and files without
    a line of names.

    Example: bayesieve check people.csv --target bought
    """
    from bayesieve import check_data
    from bayesieve.cli.column_roles import split_target_column

    with print_errors():
        table = reading.read(data)
        names = read_table(table.frame).names
        X, y = (table.frame, None) if target is None else split_target_column(table.frame, names, target, [])
        checked = check_data(X, y, conversions=table.conversions, target_name=target)
        n_without = 0 if y is None else len(table.frame) - len(y)
        if as_json:
            document = {"source": data.name, "target": target, "rows_without_target": n_without, **checked.to_dict()}
            typer.echo(json.dumps(document))
        else:
            _print(checked, data.name, target, n_without)


def _print(checked: "DataCheck", source: str, target: str | None, n_without: int) -> None:
    from bayesieve.report import format_counts, format_label
    from bayesieve.report.formats import plural, rows_left_out

    console = Console()
    console.print(Text(f"{source}: {plural(checked.n_rows, 'row')}, {plural(len(checked.columns), 'column')}."))
    if checked.classes:
        classes = format_counts((format_label(label), n) for label, n in checked.classes.items())
        console.print(Text(f"Target {target}: {classes}."))
    if n_without:
        console.print(Text(rows_left_out(n_without, target or "")))
    console.print(_column_table(checked, console))
    if checked.findings:
        print_findings(checked.findings, console)
    else:
        console.print("Nothing was found that would spoil a fit.")


def print_findings(findings: Sequence["Finding"], console: Console, most: int | None = None) -> None:
    """Print one line per finding, with what to do about it; the rest is counted."""
    for finding in findings[:most]:
        advice = f" ({finding.advice}.)" if finding.advice else ""
        style = "" if finding.kind == "converted" else "yellow"
        console.print(Text(f"{finding}{advice}", style=style), soft_wrap=True)
    if most is not None and len(findings) > most:
        n_more = len(findings) - most
        noun = "finding" if n_more == 1 else "findings"
        console.print(f"... and {n_more} more {noun}; bayesieve check prints all.")


def _column_table(checked: "DataCheck", console: Console) -> Table:
    """Return a table with one row per column of the file: type, values, and what was found."""
    table = Table()
    longest = max(len(each.name) for each in checked.columns)
    # With wider minima, the table would be too wide for the terminal, and be cut.
    table.add_column("column", overflow="fold", min_width=min(max(console.width - _OTHERS_WIDTH, 10), longest))
    table.add_column("type")
    for heading in ("missing", "distinct"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("examples", overflow="fold")
    table.add_column("check", overflow="fold")
    for each in checked.columns:
        missing = f"{each.n_missing / checked.n_rows:.1%}" if each.n_missing else ""
        kinds = ", ".join(dict.fromkeys(each.findings))
        # Names and values are the user's: as Text, their brackets are not markup.
        examples = Text(", ".join(_in_short(each.examples)))
        table.add_row(Text(each.name), each.type, missing, f"{each.n_distinct:,}", examples, kinds)
    return table


def _in_short(values: Sequence[str]) -> list[str]:
    """Return values in one line each, long ones cut to where they differ."""
    from bayesieve.quality import cut_texts

    lines = [" ".join(value.split()) for value in values]
    whole = all(len(line) <= _MOST_LETTERS for line in lines)
    return lines if whole else [cut.rstrip() for cut in cut_texts(lines, _MOST_LETTERS - 1)]
