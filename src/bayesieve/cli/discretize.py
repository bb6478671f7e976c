# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve discretize``: optimal bins for each column of a file."""

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from bayesieve.cli.early_interrupt import INTERRUPTED
from bayesieve.cli.error_messages import print_errors
from bayesieve.cli.table_file import TABLE, TableOptions, reads_table
from bayesieve.cli.visible_text import visible

__all__ = ["discretize"]


class _Prior(StrEnum):
    khiops = "khiops"
    paper = "2006"


class _Missing(StrEnum):
    own_bin = "own_bin"
    lowest = "lowest"


@reads_table
def discretize(
    data: Path = typer.Argument(help=TABLE),
    *,
    target: str = typer.Option(..., help="Name of the target column."),
    column: list[str] = typer.Option([], help="Discretize only this column; can be repeated."),
    drop: list[str] = typer.Option([], help="Column that must not be used; can be repeated."),
    prior: _Prior = typer.Option(
        _Prior.khiops, help="Prior of the MODL criterion: as in Khiops, or as published in 2006."
    ),
    max_bins: int | None = typer.Option(None, min=1, help="Maximum number of bins per column."),
    missing: _Missing = typer.Option(
        _Missing.own_bin, help="Treat missing values as a bin of their own, or as the lowest value."
    ),
    categorical: list[str] = typer.Option([], help="Treat this column of numbers as categories; can be repeated."),
    positive: str | None = typer.Option(None, help="Positive class; default: the less frequent of two."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    reading: TableOptions,
) -> None:
    """Find optimal bins of each column for predicting a class: intervals of numbers, groups of categories.

    Columns are sorted by level: the share of the description length that their bins save, 0 for a single bin.

    Example: bayesieve discretize people.csv --target bought
    """
    from bayesieve import MODLDiscretizer
    from bayesieve.cli.discretize_json import column_document
    from bayesieve.cli.target_classes import find_positive
    from bayesieve.cli.target_column import split_target_column
    from bayesieve.data import read_table, resolve_columns

    with print_errors():
        frame = reading.read(data).frame
        names = read_table(frame).names
        X, y = split_target_column(frame, names, target, column, drop)
        categories = {names[j] for j in resolve_columns(categorical, names, "--categorical")} & set(X.columns)
        model = MODLDiscretizer(
            prior.value, missing=missing.value, max_bins=max_bins, categorical=sorted(categories) or "auto", n_jobs=-1
        )
        complete = _fit(model, X, y)
        classes = model.classes_.tolist()
        positive_class = find_positive(positive, classes, [int((y == label).sum()) for label in classes])
    if n_dropped := len(frame) - len(y):
        typer.echo(visible(f"{n_dropped} of {len(frame)} rows have no {target!r} and are left out."), err=True)
    # Columns of equal level stay in the order of the table.
    partitions = sorted(model.partitions_.items(), key=lambda item: -(item[1].level or 0.0))
    if as_json:
        document = {
            "target": target,
            "classes": [label if isinstance(label, int | float) else str(label) for label in classes],
            "rows": len(y),
            "rows_without_target": n_dropped,
            "complete": complete,
            "columns": [column_document(*item) for item in partitions],
        }
        typer.echo(json.dumps(document))
    else:
        _print(partitions, classes, positive_class)
    if not complete:
        typer.echo(f"Interrupted: {len(partitions)} of {len(X.columns)} columns were finished.", err=True)
        raise typer.Exit(INTERRUPTED)


def _fit(model: Any, X: Any, y: Any) -> bool:
    """Find the bins, and return whether all columns were finished; Ctrl-C keeps those that were."""
    from bayesieve.cli.progress_bar import progress_bar

    try:
        with progress_bar("Finding bins", len(X.columns), lambda: len(getattr(model, "partitions_", ()))):
            model.fit(X, y)
    except KeyboardInterrupt:
        if not getattr(model, "partitions_", None):
            raise
        return False
    return True


def _print(partitions: Sequence[tuple[str, Any]], classes: Sequence[Any], positive: int | None) -> None:
    from rich.console import Console

    from bayesieve.cli.discretize_text import bin_table
    from bayesieve.cli.terminal_text import VisibleText as Text

    console = Console()
    uninformative = [name for name, partition in partitions if not partition.level]
    for name, partition in partitions:
        if partition.level:
            console.print(bin_table(name, partition, classes, positive))
            console.print()
    if uninformative:
        names = ", ".join(uninformative)
        console.print(Text(f"{len(uninformative)} of {len(partitions)} columns are not informative: {names}."))
