# SPDX-License-Identifier: BSD-3-Clause
"""The program and its commands."""

import re
from collections.abc import Callable
from inspect import cleandoc, signature
from pathlib import Path
from typing import Any, get_args

import typer
from typer.models import OptionInfo

from bayesieve.cli.check import check
from bayesieve.cli.demo import demo
from bayesieve.cli.discretize import discretize
from bayesieve.cli.drift import drift
from bayesieve.cli.evaluate import evaluate
from bayesieve.cli.explain import explain
from bayesieve.cli.export import export
from bayesieve.cli.fit import fit
from bayesieve.cli.predict import predict
from bayesieve.cli.rank import rank
from bayesieve.cli.reproduce import reproduce
from bayesieve.cli.show import show

__all__ = ["app"]

_METAVARS = {bool: "", str: "TEXT", Path: "PATH", int: "INTEGER", float: "NUMBER"}

app = typer.Typer(
    help="Feature selection for class probabilities: small, interpretable models from a table.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _add_metavars(command: Callable[..., Any]) -> Callable[..., Any]:
    """Name the values of options in the help; by default they are Python types, even those of flags."""
    for parameter in signature(command).parameters.values():
        if isinstance(parameter.default, OptionInfo):
            types = (parameter.annotation, *get_args(parameter.annotation))
            parameter.default.metavar = next((name for type_, name in _METAVARS.items() if type_ in types), None)
    return command


def _help_text(command: Callable[..., Any]) -> str:
    """Return a docstring with one line per paragraph, which the terminal wraps; indented lines stay as they are."""
    return re.sub(r"(?<=\S)\n(?=\S)", " ", cleandoc(command.__doc__ or ""))


for _command in (demo, check, fit, predict, explain, show, evaluate, drift, export, discretize, rank, reproduce):
    app.command(help=_help_text(_command))(_add_metavars(_command))


def _print_version(requested: bool) -> None:
    if requested:
        from bayesieve import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", metavar="", callback=_print_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """Feature selection for class probabilities: small, interpretable models from a table."""
