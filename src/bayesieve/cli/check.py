# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve check``: what spoils a fit, found in a file before the fit."""

import json
from pathlib import Path

import typer

from bayesieve.cli.error_messages import print_errors
from bayesieve.cli.table_file import TABLE, TableOptions, reads_table

__all__ = ["check"]


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
    identifiers, columns that leak the target, rare classes, copied rows and files without a line of names.

    Example: bayesieve check people.csv --target bought
    """
    from rich.console import Console

    from bayesieve import check_data
    from bayesieve.cli.check_text import column_table, print_findings
    from bayesieve.cli.target_column import split_target_column
    from bayesieve.cli.terminal_text import VisibleText as Text
    from bayesieve.data import read_table
    from bayesieve.report import format_counts, format_label

    with print_errors():
        table = reading.read(data)
        names = read_table(table.frame).names
        X, y = (table.frame, None) if target is None else split_target_column(table.frame, names, target, [])
        checked = check_data(X, y, conversions=table.conversions, target_name=target)
    n_without = 0 if y is None else len(table.frame) - len(y)
    if as_json:
        document = {"source": data.name, "target": target, "rows_without_target": n_without, **checked.to_dict()}
        typer.echo(json.dumps(document))
        return
    console = Console()
    console.print(Text(f"{data.name}: {checked.n_rows:,} rows, {len(checked.columns):,} columns."))
    if checked.classes:
        classes = format_counts((format_label(label), n) for label, n in list(checked.classes.items())[:10])
        console.print(Text(f"Target {target}: {classes}{'; more classes' if len(checked.classes) > 10 else ''}."))
    if n_without:
        console.print(Text(f"{n_without:,} rows have no {target!r} and are left out."))
    console.print(column_table(checked))
    if checked.findings:
        print_findings(checked.findings, console)
    else:
        console.print("Nothing was found that would spoil a fit.")
