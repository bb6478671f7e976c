# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve explain``: the contribution of each column to the prediction of one row."""

import json
from dataclasses import asdict
from pathlib import Path

import typer

from bayesieve.cli.error_messages import print_errors
from bayesieve.cli.model_arguments import Budget, Key, ModelFile, NewRows
from bayesieve.cli.table_file import TableOptions, reads_table
from bayesieve.exceptions import ParameterError

__all__ = ["explain"]


@reads_table
def explain(
    model: ModelFile,
    data: NewRows,
    *,
    row: int = typer.Option(1, min=1, help="Row of the file, counted from 1 without the header."),
    out: Path | None = typer.Option(
        None, help="A .csv or .parquet file to write: prediction, probability and largest contributions of every row."
    ),
    key: Key = [],  # noqa: B006 - typer makes a list of its own
    budget: Budget = None,
    top: int = typer.Option(3, min=1, help="With --out: number of contributions per row."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    reading: TableOptions,
) -> None:
    """Show the contributions of the columns to the log-odds for one row (for vote models: each column's vote).

    The log-odds are those of the positive class (of more than two classes: of the predicted one against the next
    probable); the largest contributions come first.

    Example: bayesieve explain model.json new.csv --row 3

    Example: bayesieve explain model.json new.csv --key id --budget 1000 --out reasons.csv
    """
    import numpy as np

    from bayesieve import load
    from bayesieve.cli.explain_text import print_explanation, reason_columns
    from bayesieve.cli.new_rows import read_new_rows
    from bayesieve.cli.output_paths import check_output_paths
    from bayesieve.cli.ranked_rows import rank_rows
    from bayesieve.data import pick_rows, write_table
    from bayesieve.report import format_label

    with print_errors():
        check_output_paths({"--out": out}, [model, data])
        fitted = load(model)
        frame, X = read_new_rows(fitted, data, reading)
        if out is not None:
            rows = np.arange(len(frame)) if budget is None else rank_rows(fitted, [X], budget)
            write_table(
                reason_columns(fitted, pick_rows(frame, rows), pick_rows(X, rows), rows.tolist(), key, top), out
            )
            typer.echo(f"The reasons of {len(rows):,} rows were written to {out}.", err=True)
            return
        if key or budget is not None:
            raise ParameterError(f"--{'key' if key else 'budget'} is for the table of --out; --row chooses one row.")
        if row > len(frame):
            raise ParameterError(f"--row is {row}; {data} has {len(frame)} rows.")
        one_row = pick_rows(X, [row - 1])
        explanation = fitted.explain(one_row)[0]
        probabilities = fitted.predict_proba(one_row)[0].tolist()
    labels = [format_label(label) for label in fitted.classes_.tolist()]
    if as_json:
        document = {"row": row, "probabilities": dict(zip(labels, probabilities, strict=True)), **asdict(explanation)}
        typer.echo(json.dumps(document, default=str))
        return
    print_explanation(row, explanation, fitted, one_row)
