"""``bayesieve rank``: the columns of a file, best first."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bayesieve import FilterSelector
from bayesieve.cli.failure import one_sentence
from bayesieve.cli.splitting import split_columns
from bayesieve.cli.watching import watched
from bayesieve.data import read_file, read_table
from bayesieve.training.filtering import FILTERS

__all__ = ["rank"]

_INTERRUPTED = 130  # what a shell makes of Ctrl-C
_MOST_ROWS = 50  # of a table to read
_Score = StrEnum("_Score", {name: name for name in FILTERS})  # type: ignore[misc]
_Discretizer = StrEnum("_Discretizer", ["modl", "mdlp", "equal_frequency", "equal_width", "none"])


def rank(
    data: Path = typer.Argument(help="A CSV, Parquet or ARFF file."),
    *,
    target: str = typer.Option(..., help="The column with the class."),
    score: _Score = typer.Option("mutual_info", help="What columns are ranked by."),
    features: int | None = typer.Option(None, min=0, help="How many to select; without it, all that are worth it."),
    column: list[str] = typer.Option([], help="Only this column; may be repeated."),
    discretizer: _Discretizer = typer.Option("modl", help="How columns become codes; none: each value is one."),
    as_json: bool = typer.Option(False, "--json", help="Print plain data for programs."),
) -> None:
    """Rank the columns by what they tell about a class, without a classifier.

    Example: bayesieve rank people.csv --target bought --score mrmr
    """
    with one_sentence():
        frame = read_file(data)
        X, y = split_columns(frame, read_table(frame).names, target, column)
        coding = None if discretizer == _Discretizer.none else discretizer.value
        wanted = "auto" if features is None else features
        selector = FilterSelector(score.value, n_features=wanted, discretizer=coding, n_jobs=-1)
        with watched("Ranking columns", None, lambda: 0):
            selector.fit(X, y)
    if n_dropped := len(frame) - len(y):
        typer.echo(f"{n_dropped} of {len(frame)} rows have no {target!r} and are left out.", err=True)
    complete = getattr(selector, "path_", None) is None or selector.path_.complete
    found = _entries(selector, read_table(X).names)
    if as_json:
        document = {
            "target": target,
            "score": score.value,
            "rows": len(y),
            "rows_without_target": n_dropped,
            "complete": complete,
            "columns": found,
        }
        typer.echo(json.dumps(document))
    else:
        _print(found, score.value)
    if not complete:
        typer.echo(f"Interrupted: {selector.n_features_} columns were selected.", err=True)
        raise typer.Exit(_INTERRUPTED)


def _entries(selector: FilterSelector, names: list[str]) -> list[dict[str, Any]]:
    """Return the columns, best first; a column that did not take part has no score."""
    entries = []
    for j in np.argsort(selector.ranking_).tolist():
        known = not np.isnan(selector.scores_[j])
        entries.append(
            {
                "rank": int(selector.ranking_[j]),
                "name": names[j],
                "score": float(selector.scores_[j]) if known else None,
                "selected": bool(selector.support_[j]),
            }
        )
    return entries


def _print(found: list[dict[str, Any]], score: str) -> None:
    table = Table()
    table.add_column("rank", justify="right")
    table.add_column("column", overflow="fold")
    table.add_column(Text(score), justify="right")
    table.add_column("selected")
    for entry in found[:_MOST_ROWS]:
        shown = "" if entry["score"] is None else f"{entry['score']:.6g}"
        # Names are the user's: as Text, their brackets are no markup.
        table.add_row(str(entry["rank"]), Text(entry["name"]), shown, "yes" if entry["selected"] else "")
    console = Console()
    console.print(table)
    if len(found) > _MOST_ROWS:
        console.print(f"... and {len(found) - _MOST_ROWS} more; --json prints all.")
