"""``bayesieve explain``: why a row is judged as it is."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bayesieve import load
from bayesieve.cli.bin_table import show_label
from bayesieve.cli.failure import one_sentence
from bayesieve.cli.new_rows import read_new_rows
from bayesieve.data import pick_rows
from bayesieve.exceptions import ParameterError

__all__ = ["explain"]


def explain(
    model: Path = typer.Argument(help="A model file, which fit wrote."),
    data: Path = typer.Argument(help="A CSV, Parquet or ARFF file with the columns of the training table."),
    *,
    row: int = typer.Option(1, min=1, help="Which row of the file, counted from 1 without the header."),
    as_json: bool = typer.Option(False, "--json", help="Print plain data for programs."),
) -> None:
    """Tell what each column adds to the log-odds of a row, the largest first.

    Example: bayesieve explain model.json new.csv --row 3
    """
    with one_sentence():
        fitted = load(model)
        frame, X = read_new_rows(fitted, data)
        if row > len(frame):
            raise ParameterError(f"--row is {row}; {data} has {len(frame)} rows.")
        chosen = pick_rows(X, [row - 1])
        decision = fitted.explain(chosen)[0]
        chances = fitted.predict_proba(chosen)[0].tolist()
    labels = [show_label(label) for label in fitted.classes_.tolist()]
    if as_json:
        told = {"row": row, "probabilities": dict(zip(labels, chances, strict=True)), **asdict(decision)}
        typer.echo(json.dumps(told, default=str))
        return
    console = Console()
    favored = labels.index(show_label(decision.favored))
    console.print(Text(f"Row {row} is {labels[favored]!r} with probability {chances[favored]:.1%}."))
    console.print(_contributions(decision))


def _contributions(decision: Any) -> Table:
    # Names and values are the user's: as Text, their brackets are no markup.
    title = f"Log-odds of {show_label(decision.favored)!r} against {show_label(decision.other)!r}"
    table = Table(title=Text(title), title_justify="left")
    table.add_column("adds", justify="right")
    for heading in ("column", "value", "bin"):
        table.add_column(heading, overflow="fold")
    table.add_row(f"{decision.prior:+.3f}", "", "", "class frequencies")
    for each in decision.contributions:
        value = "missing" if each.value is None else show_label(each.value)
        table.add_row(f"{each.log_odds:+.3f}", Text(each.column), Text(value), Text(each.part))
    table.add_section()
    table.add_row(f"{decision.log_odds:+.3f}", "", "", "together")
    return table
