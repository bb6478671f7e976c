"""``bayesieve export``: a model for another program."""

import json
from enum import StrEnum
from pathlib import Path

import typer

from bayesieve import load
from bayesieve.cli.failure import one_sentence
from bayesieve.cli.places import check_places
from bayesieve.data import write_atomically
from bayesieve.export import export_sql, scorecard_csv

__all__ = ["export"]


class _Form(StrEnum):
    sql = "sql"
    scorecard = "scorecard"
    json = "json"


def export(
    model: Path = typer.Argument(help="A model file, which fit wrote."),
    *,
    to: _Form = typer.Option(..., help="A query, a table of points as CSV, or the model as indented JSON."),
    out: Path | None = typer.Option(None, help="The file to write; without it, the text is printed."),
    table: str = typer.Option("data", help="sql: the name of the table."),
    key: list[str] = typer.Option([], help="sql: a column to show beside each prediction; may be repeated."),
    with_exp: bool = typer.Option(False, help="sql: use EXP, which some builds of SQLite lack; shorter."),
    max_bins: int | None = typer.Option(
        None, min=2, help="The most bins of a column: fewer are shorter and a little less exact; 12 for a scorecard."
    ),
) -> None:
    """Write a model as SQL, as a scorecard or as JSON, to run it elsewhere.

    Example: bayesieve export model.json --to sql --table customers --key id --out score.sql
    """
    with one_sentence():
        check_places({"--out": out}, [model])
        fitted = load(model)
        if to is _Form.sql:
            shown = fitted if max_bins is None else fitted.simplify(max_bins)
            text = export_sql(shown, table=table, keys=key, with_exp=with_exp)
        elif to is _Form.scorecard:
            text = scorecard_csv(fitted, max_bins=max_bins or 12)
        else:
            text = json.dumps(json.loads(model.read_text(encoding="utf-8")), indent=1, ensure_ascii=False) + "\n"
        if out is None:
            typer.echo(text, nl=False)
        else:
            write_atomically(out, text.encode())
