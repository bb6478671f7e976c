"""``bayesieve predict``: the class probabilities of new rows."""

import json
from pathlib import Path
from typing import Any

import typer

from bayesieve import load
from bayesieve.cli.failure import one_sentence
from bayesieve.cli.new_rows import read_new_rows
from bayesieve.cli.places import check_places
from bayesieve.data import list_values, read_table, resolve_columns, table_bytes, write_table

__all__ = ["predict"]


def predict(
    model: Path = typer.Argument(help="A model file, which fit wrote."),
    data: Path = typer.Argument(help="A CSV, Parquet or ARFF file with the columns of the training table."),
    *,
    out: Path | None = typer.Option(None, help="A .csv or .parquet file; without it, CSV is printed."),
    key: list[str] = typer.Option([], help="A column to write beside each prediction; may be repeated."),
    as_json: bool = typer.Option(False, "--json", help="Print plain data for programs."),
) -> None:
    """Predict the class of each row, and its probabilities.

    Example: bayesieve predict model.json new.csv --key id --out scores.csv
    """
    with one_sentence():
        check_places({"--out": out}, [model, data])
        fitted = load(model)
        frame, X = read_new_rows(fitted, data)
        probabilities = fitted.predict_proba(X)
        labels = [str(label) for label in fitted.classes_.tolist()]
        table = read_table(frame)
        kept = resolve_columns(key, table.names, "--key")
        columns: dict[str, Any] = {table.names[j]: list_values(frame, j) for j in kept}
        columns["predicted"] = fitted.predict(X).tolist()
        columns |= {f"probability {label}": probabilities[:, c].tolist() for c, label in enumerate(labels)}
        if out is not None:
            write_table(columns, out)
            shown = {"rows": len(probabilities), "classes": labels, "file": str(out)}
        else:
            shown = {"rows": len(probabilities), "classes": labels, "columns": columns}
        if as_json:
            typer.echo(json.dumps(shown, default=str))
        elif out is None:
            typer.echo(table_bytes(columns).decode(), nl=False)
        else:
            typer.echo(f"{len(probabilities)} predictions are in {out}.", err=True)
