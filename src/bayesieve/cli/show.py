# SPDX-License-Identifier: BSD-3-Clause
"""``bayesieve show``: what is in a model file."""

import json
from pathlib import Path

import typer

from bayesieve.cli.terminal import print_errors

__all__ = ["show"]


def show(
    model: Path = typer.Argument(help="Model file written by fit, or by save in Python."),
    *,
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Show what is in a model file: when and on what it was trained, its scores, threshold, columns and pairs.

    Example: bayesieve show model.json
    """
    from bayesieve import load
    from bayesieve.cli.show_text import describe_model, print_model
    from bayesieve.models.number_scorecard import refuse_numbers
    from bayesieve.report.summary import plain

    with print_errors():
        fitted = load(model)
        refuse_numbers(fitted, "Descriptions by the command line")
        described = describe_model(fitted, json.loads(model.read_text(encoding="utf-8"))["written_by"])
        if as_json:
            typer.echo(json.dumps(plain(described)))
        else:
            print_model(described)
