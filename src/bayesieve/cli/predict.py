"""``bayesieve predict``: the class probabilities of new rows."""

import json
from pathlib import Path

import typer

from bayesieve import load
from bayesieve.cli.failure import one_sentence
from bayesieve.cli.large_predict import predict_large, predicted_columns
from bayesieve.cli.new_rows import read_new_rows
from bayesieve.cli.places import check_places
from bayesieve.data import table_bytes, write_table

__all__ = ["predict"]


def predict(
    model: Path = typer.Argument(help="A model file, which fit wrote."),
    data: Path = typer.Argument(help="A CSV, Parquet or ARFF file with the columns of the training table."),
    *,
    out: Path | None = typer.Option(None, help="A .csv or .parquet file; without it, CSV is printed."),
    key: list[str] = typer.Option([], help="A column to write beside each prediction; may be repeated."),
    memory: str | None = typer.Option(
        None, help="Read a Parquet file in blocks and write CSV, in about so much memory: 2GB for instance."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print plain data for programs."),
) -> None:
    """Predict the class of each row, and its probabilities.

    Example: bayesieve predict model.json new.csv --key id --out scores.csv
    """
    with one_sentence():
        check_places({"--out": out}, [model, data])
        fitted = load(model)
        if memory is not None:
            predict_large(fitted, data, out, key, memory, as_json=as_json)
            return
        frame, X = read_new_rows(fitted, data)
        columns = predicted_columns(fitted, frame, X, key)
        labels, n_rows = [str(label) for label in fitted.classes_.tolist()], len(columns["predicted"])
        if out is not None:
            write_table(columns, out)
            shown = {"rows": n_rows, "classes": labels, "file": str(out)}
        else:
            shown = {"rows": n_rows, "classes": labels, "columns": columns}
        if as_json:
            typer.echo(json.dumps(shown, default=str))
        elif out is None:
            typer.echo(table_bytes(columns).decode(), nl=False)
        else:
            typer.echo(f"{n_rows} predictions are in {out}.", err=True)
