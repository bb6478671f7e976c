# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve evaluate``: the scores of a saved model on a labeled file."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from bayesieve.cli.files import TABLE, ModelFile, TableOptions, fingerprint, reads_table
from bayesieve.cli.fit_options import command_line
from bayesieve.cli.terminal import print_errors
from bayesieve.exceptions import ParameterError

if TYPE_CHECKING:
    from bayesieve.cli.new_rows import LabeledFile
    from bayesieve.report import HeldOutPredictions

__all__ = ["evaluate", "predict_file"]


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
    from bayesieve.cli.fit_outputs import FitOutputs
    from bayesieve.cli.new_rows import target_name
    from bayesieve.models.number_scorecard import refuse_numbers
    from bayesieve.report import held_out_context

    outputs = FitOutputs(report, None, as_json, advice="--report FILE")
    with print_errors():
        outputs.check([model, data])
        fitted = load(model)
        refuse_numbers(fitted, "Evaluations by the command line")
        name = target_name(fitted, target)
        if not name:
            raise ParameterError("The model file does not name its target column; add --target.")
        of_data = fingerprint([data])
        rows, predictions = predict_file(fitted, data, reading, name, of_data)
        described = held_out_context(
            fitted, name, rows.frame, source=data.name, fingerprint=of_data, command=shlex.join(command_line(context)),
            n_without_target=rows.n_without_target,
        )  # fmt: skip
        outputs.write(fitted, rows.X, predictions, described)
        if described.amount_column and described.amounts is None and not as_json:
            typer.echo(
                f"{data.name} has no column {described.amount_column!r}, the amounts of the training, so that the "
                "profit is not known."
            )


def predict_file(
    model: Any, path: Path, reading: TableOptions, target: str, of_file: str = ""
) -> "tuple[LabeledFile, HeldOutPredictions]":
    """Return the rows of a file with their classes, and the model's predictions; ``of_file`` is its fingerprint.

    With the fingerprint of the training file, the rows are the training rows.
    """
    from bayesieve.cli.new_rows import read_labeled_file
    from bayesieve.report import predict_test_rows, probability_model

    rows = read_labeled_file(model, path, reading, target)
    record = getattr(probability_model(model), "training_record_", None)
    in_sample = record is not None and record.fingerprint == of_file != ""
    return rows, predict_test_rows(model, rows.X, rows.y, path.name, in_sample)
