# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve evaluate``: the scores of a saved model on a labeled file."""

import shlex
from pathlib import Path

import typer

from bayesieve.cli.config_file import command_line
from bayesieve.cli.error_messages import print_errors
from bayesieve.cli.model_arguments import ModelFile
from bayesieve.cli.table_file import TABLE, TableOptions, reads_table
from bayesieve.exceptions import ParameterError

__all__ = ["evaluate"]


@reads_table
def evaluate(
    context: typer.Context,
    model: ModelFile,
    data: Path = typer.Argument(help=f"{TABLE[:-1]}, with the columns of the model and the target."),
    *,
    target: str | None = typer.Option(None, help="Name of the target column; default: that of the training."),
    report: Path | None = typer.Option(
        None, help="HTML file to write; its numbers go to a .report.json file next to it."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    reading: TableOptions,
) -> None:
    """Evaluate a saved model on rows whose classes are known: scores, decisions, calibration.

    Example: bayesieve evaluate model.json labeled.csv --report test.html
    """
    from bayesieve import load
    from bayesieve.cli.fit_on_test_file import TestFile, predict_file
    from bayesieve.cli.fit_outputs import FitOutputs
    from bayesieve.cli.input_files import fingerprint
    from bayesieve.cli.labeled_rows import target_name
    from bayesieve.report import held_out_context

    outputs = FitOutputs(report, None, as_json, advice="--report FILE")
    with print_errors():
        outputs.check([model, data])
        fitted = load(model)
        name = target_name(fitted, target)
        if not name:
            raise ParameterError("The model file does not name its target column; add --target.")
        of_data = fingerprint([data])
        rows, predictions = predict_file(fitted, TestFile(data, reading), name, of_data)
        described = held_out_context(
            fitted, name, source=data.name, fingerprint=of_data, command=shlex.join(command_line(context)),
            n_without_target=rows.n_without_target,
        )  # fmt: skip
        outputs.write(fitted, rows.X, predictions, described)
