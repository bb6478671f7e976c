"""``bayesieve discretize``: the optimal bins of each column of a file."""

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from bayesieve import MODLDiscretizer
from bayesieve.cli.bin_document import column_document
from bayesieve.cli.bin_table import bin_table
from bayesieve.cli.classes import find_positive
from bayesieve.cli.failure import one_sentence
from bayesieve.cli.splitting import split_columns
from bayesieve.cli.watching import watched
from bayesieve.data import read_file, read_table, resolve_columns

__all__ = ["discretize"]

_INTERRUPTED = 130  # what a shell makes of Ctrl-C


class _Prior(StrEnum):
    khiops = "khiops"
    paper = "2006"


class _Missing(StrEnum):
    own_bin = "own_bin"
    lowest = "lowest"


def discretize(
    data: Path = typer.Argument(help="A CSV, Parquet or ARFF file."),
    *,
    target: str = typer.Option(..., help="The column with the class."),
    column: list[str] = typer.Option([], help="Only this column; may be repeated."),
    prior: _Prior = typer.Option(_Prior.khiops, help="The criterion: that of Khiops, or that of the paper of 2006."),
    max_bins: int | None = typer.Option(None, min=1, help="The most bins of a column."),
    missing: _Missing = typer.Option(_Missing.own_bin, help="Missing values: a bin of their own, or the lowest value."),
    categorical: list[str] = typer.Option([], help="A column of numbers without an order; may be repeated."),
    positive: str | None = typer.Option(None, help="The class whose rate is shown; of two classes the rarer."),
    as_json: bool = typer.Option(False, "--json", help="Print plain data for programs."),
) -> None:
    """Find the optimal bins of each column, given a class: intervals of numbers, groups of categories.

    Example: bayesieve discretize people.csv --target bought
    """
    with one_sentence():
        frame = read_file(data)
        names = read_table(frame).names
        X, y = split_columns(frame, names, target, column)
        nominal = {names[j] for j in resolve_columns(categorical, names, "--categorical")} & set(X.columns)
        model = MODLDiscretizer(
            prior.value, missing=missing.value, max_bins=max_bins, categorical=sorted(nominal) or "auto", n_jobs=-1
        )
        complete = _fit(model, X, y)
        classes = model.classes_.tolist()
        shown = find_positive(positive, classes, [int((y == label).sum()) for label in classes])
    if n_dropped := len(frame) - len(y):
        typer.echo(f"{n_dropped} of {len(frame)} rows have no {target!r} and are left out.", err=True)
    # Of equal levels, the table's order stays.
    found = sorted(model.partitions_.items(), key=lambda item: -(item[1].level or 0.0))
    if as_json:
        document = {
            "target": target,
            "classes": [label if isinstance(label, int | float) else str(label) for label in classes],
            "rows": len(y),
            "rows_without_target": n_dropped,
            "complete": complete,
            "columns": [column_document(*item) for item in found],
        }
        typer.echo(json.dumps(document))
    else:
        _print(found, classes, shown)
    if not complete:
        typer.echo(f"Interrupted: {len(found)} of {len(X.columns)} columns were done.", err=True)
        raise typer.Exit(_INTERRUPTED)


def _fit(model: MODLDiscretizer, X: Any, y: NDArray[Any]) -> bool:
    """Find the bins, and tell whether all were found; Ctrl-C keeps those of the columns that were done."""
    try:
        with watched("Finding bins", len(X.columns), lambda: len(getattr(model, "partitions_", ()))):
            model.fit(X, y)
    except KeyboardInterrupt:
        if not getattr(model, "partitions_", None):
            raise
        return False
    return True


def _print(found: Sequence[tuple[str, Any]], classes: Sequence[Any], positive: int | None) -> None:
    console = Console()
    silent = [name for name, partition in found if not partition.level]
    for name, partition in found:
        if partition.level:
            console.print(bin_table(name, partition, classes, positive))
            console.print()
    if silent:
        console.print(Text(f"{len(silent)} of {len(found)} columns say nothing about the class: {', '.join(silent)}."))
