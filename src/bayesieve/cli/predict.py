# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve predict``: classes and probabilities of new rows."""

import json
from pathlib import Path

import typer

from bayesieve.cli.error_messages import print_errors
from bayesieve.cli.model_arguments import Budget, FilesOfNewRows, Key, ModelFile
from bayesieve.cli.table_file import TableOptions, reads_table, refuse_options
from bayesieve.cli.visible_text import print_data
from bayesieve.exceptions import ParameterError

__all__ = ["predict"]


@reads_table
def predict(
    model: ModelFile,
    data: FilesOfNewRows,
    *,
    out: Path | None = typer.Option(None, help="A .csv or .parquet file to write; default: print CSV."),
    key: Key = [],  # noqa: B006 - typer makes a list of its own
    budget: Budget = None,
    memory: str | None = typer.Option(
        None, help="Read a Parquet file in blocks, within about this much memory, such as 2GB; the output is CSV."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    reading: TableOptions,
) -> None:
    """Predict the class and the class probabilities of each row.

    Example: bayesieve predict model.json new.csv --key id --out scores.csv

    Example: bayesieve predict model.json new.csv --key id --budget 1000 --out calls.csv

    Of several files, each row has the name of its file; --budget holds for all of them together.
    """
    from bayesieve import load
    from bayesieve.cli.input_files import list_files
    from bayesieve.cli.output_paths import check_output_paths
    from bayesieve.cli.predict_in_blocks import predict_in_blocks
    from bayesieve.cli.predicted_files import PredictedFiles
    from bayesieve.data import table_bytes, write_table

    with print_errors():
        check_output_paths({"--out": out}, [model, *data])
        fitted = load(model)
        if memory is not None:
            refuse_options(reading.given, "--memory", "the Parquet file determines the types and values of columns")
            refuse_options({"budget": budget}, "--memory", "rows are written in the order of the file")
            if len(data) > 1:
                raise ParameterError(f"{len(data)} files are given; with --memory, one is read: run it for each.")
            predict_in_blocks(fitted, data[0], out, key, memory, as_json=as_json)
            return
        predicted = PredictedFiles(fitted, list_files(data), reading, key)
        if budget is not None:
            typer.echo(predicted.take(budget), err=True)
        columns = predicted.columns
        labels, n_rows = [str(label) for label in fitted.classes_.tolist()], len(columns["predicted"])
        if out is not None:
            write_table(columns, out)
            document = {"rows": n_rows, "classes": labels, "file": str(out)}
        else:
            document = {"rows": n_rows, "classes": labels, "columns": columns}
        if as_json:
            typer.echo(json.dumps(document, default=str))
        elif out is None:
            print_data(table_bytes(columns).decode())
        else:
            typer.echo(f"{n_rows:,} predictions were written to {out}.", err=True)
