"""``bayesieve export``: a model as SQL, scorecard or JSON."""

import json
from enum import StrEnum
from pathlib import Path

import typer

from bayesieve import load
from bayesieve.cli.error_messages import print_errors
from bayesieve.cli.output_paths import check_output_paths
from bayesieve.cli.visible_text import print_data
from bayesieve.data import write_atomically
from bayesieve.export import export_sql, scorecard_csv

__all__ = ["export"]


class _Format(StrEnum):
    sql = "sql"
    scorecard = "scorecard"
    json = "json"


def export(
    model: Path = typer.Argument(help="Model file written by fit."),
    *,
    to: _Format = typer.Option(..., help="Format: SQL query, scorecard as CSV, or the model as indented JSON."),
    out: Path | None = typer.Option(None, help="File to write; default: print."),
    table: str = typer.Option("data", help="sql: name of the table."),
    key: list[str] = typer.Option([], help="sql: column to return with each prediction; can be repeated."),
    with_exp: bool = typer.Option(False, help="sql: use the function EXP; shorter, but some builds of SQLite lack it."),
    max_bins: int | None = typer.Option(
        None,
        min=2,
        help="Merge bins until each column has at most this many (approximate); default: no merging, except 12 for "
        "the scorecard of a method other than scorecard.",
    ),
) -> None:
    """Export a model as an SQL query, a scorecard or JSON.

    Example: bayesieve export model.json --to sql --table customers --key id --out score.sql
    """
    with print_errors():
        check_output_paths({"--out": out}, [model])
        fitted = load(model)
        if to is _Format.sql:
            text = export_sql(fitted, table=table, keys=key, with_exp=with_exp, max_bins=max_bins)
        elif to is _Format.scorecard:
            text = scorecard_csv(fitted, max_bins=max_bins or "auto")
        else:
            text = json.dumps(json.loads(model.read_text(encoding="utf-8")), indent=1, ensure_ascii=False) + "\n"
        if out is None:
            print_data(text)
        else:
            write_atomically(out, text.encode())
