# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve drift``: new rows compared with the training rows of a model."""

import json
from pathlib import Path

import typer

from bayesieve.cli.error_messages import print_errors
from bayesieve.cli.model_arguments import ModelFile, NewRows
from bayesieve.cli.table_file import TableOptions, reads_table

__all__ = ["drift"]


@reads_table
def drift(
    model: ModelFile,
    data: NewRows,
    *,
    target: str | None = typer.Option(
        None, help="Name of the target column; default: that of the training, if the file has it."
    ),
    report: Path | None = typer.Option(None, help="HTML file to write."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    reading: TableOptions,
) -> None:
    """Compare new rows with the training rows of a model: columns, predicted probabilities, and with labels the loss.

    The population stability index (PSI) of each column is computed from the counts of bins in the model file. Below 0.1
    a column is stable; from 0.25 on the drift is large.

    Example: bayesieve drift model.json december.csv --report drift.html
    """
    from bayesieve import drift as compare_rows, load
    from bayesieve.cli.drift_text import drift_notes, print_drift
    from bayesieve.cli.labeled_rows import read_labeled_rows, target_name
    from bayesieve.cli.new_rows import read_new_rows
    from bayesieve.cli.output_paths import check_output_paths
    from bayesieve.data import read_table, write_atomically
    from bayesieve.report import render_drift

    with print_errors():
        check_output_paths({"--report": report}, [model, data])
        fitted = load(model)
        name = target_name(fitted, target)
        frame, X = read_new_rows(fitted, data, reading)
        y, n_without = None, 0
        if target is not None or name in read_table(frame).names:
            _, X, y, n_without = read_labeled_rows(fitted, data, reading, name)
        found = compare_rows(fitted, X, y)
        if report is not None:
            page = render_drift(found, source=data.name, model=model.name)
            write_atomically(report, page.encode(), "The report")
    if as_json:
        document = {"model": model.name, "source": data.name, "target": name if y is not None else None}
        typer.echo(json.dumps({**document, "rows_without_target": n_without, **found.to_dict()}))
        return
    print_drift(found)
    if n_without:
        typer.echo(f"{n_without:,} rows have no {name!r} and are left out.")
    for note in drift_notes(found, data, y is not None):
        typer.echo(note)
    if report is not None:
        typer.echo(f"The report was written to {report}.")
