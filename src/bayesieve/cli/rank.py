# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve rank``: the columns of a file, ranked by a filter score."""

import json
from enum import StrEnum
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.table import Table

from bayesieve.cli import INTERRUPTED
from bayesieve.cli.files import TABLE, TableOptions, reads_table
from bayesieve.cli.terminal import VisibleText as Text, print_errors, progress_bar, visible
from bayesieve.data import read_table
from bayesieve.fit.filter import FILTERS

if TYPE_CHECKING:
    from bayesieve import FilterSelector

__all__ = ["rank"]

_MOST_ROWS = 50  # of a printed table
_Score = StrEnum("_Score", list(FILTERS))  # type: ignore[misc]
_Discretizer = StrEnum("_Discretizer", ["modl", "mdlp", "equal_frequency", "equal_width", "none"])


@reads_table
def rank(
    data: Path = typer.Argument(help=TABLE),
    *,
    target: str = typer.Option(..., help="Name of the target column."),
    score: _Score = typer.Option("mutual_info", help="Filter score that columns are ranked by."),
    features: int | None = typer.Option(
        None, min=0, help="Number of columns to select; default: chosen automatically."
    ),
    column: list[str] = typer.Option([], help="Rank only this column; can be repeated."),
    drop: list[str] = typer.Option([], help="Column that must not be used; can be repeated."),
    discretizer: _Discretizer = typer.Option("modl", help="How columns are binned; none: each value is a bin."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    reading: TableOptions,
) -> None:
    """Rank columns by a filter score, such as mutual information, without a classifier.

    Example: bayesieve rank people.csv --target bought --score mrmr
    """
    from bayesieve import FilterSelector
    from bayesieve.cli.column_roles import split_target_column

    with print_errors():
        frame = reading.read(data).frame
        X, y = split_target_column(frame, read_table(frame).names, target, column, drop)
        coding = None if discretizer == _Discretizer.none else discretizer.value
        n_features = "auto" if features is None else features
        selector = FilterSelector(score.value, n_features=n_features, discretizer=coding, n_jobs=-1)
        with progress_bar("Ranking columns", None, lambda: 0):
            selector.fit(X, y)
        if n_dropped := len(frame) - len(y):
            typer.echo(visible(f"{n_dropped} of {len(frame)} rows have no {target!r} and are left out."), err=True)
        complete = getattr(selector, "path_", None) is None or selector.path_.complete
        entries = _entries(selector, read_table(X).names)
        if as_json:
            document = {
                "target": target,
                "score": score.value,
                "rows": len(y),
                "rows_without_target": n_dropped,
                "complete": complete,
                "columns": entries,
            }
            typer.echo(json.dumps(document))
        else:
            _print(entries, score.value)
        if not complete:
            typer.echo(f"Interrupted: {selector.n_features_} columns were selected.", err=True)
            raise typer.Exit(INTERRUPTED)


def _entries(selector: "FilterSelector", names: list[str]) -> list[dict[str, Any]]:
    """Return the columns, best first; a column that was not scored has the score None."""
    entries = []
    for j in selector.ranking_.argsort().tolist():
        scored = not isnan(selector.scores_[j])
        entries.append(
            {
                "rank": int(selector.ranking_[j]),
                "name": names[j],
                "score": float(selector.scores_[j]) if scored else None,
                "selected": bool(selector.support_[j]),
            }
        )
    return entries


def _print(entries: list[dict[str, Any]], score: str) -> None:
    table = Table()
    table.add_column("rank", justify="right")
    table.add_column("column", overflow="fold")
    table.add_column(Text(score), justify="right")
    table.add_column("selected")
    for entry in entries[:_MOST_ROWS]:
        shown = "" if entry["score"] is None else f"{entry['score']:.6g}"
        # Names are the user's: as Text, their brackets are not markup.
        table.add_row(str(entry["rank"]), Text(entry["name"]), shown, "yes" if entry["selected"] else "")
    console = Console()
    console.print(table)
    if len(entries) > _MOST_ROWS:
        console.print(f"... and {len(entries) - _MOST_ROWS} more; --json prints all.")
