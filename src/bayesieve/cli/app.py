# SPDX-License-Identifier: BSD-3-Clause
"""The program and its commands."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from inspect import cleandoc, signature
from pathlib import Path
from typing import Any, get_args

import typer
from typer.core import TyperGroup
from typer.models import OptionInfo

from bayesieve.cli import INTERRUPTED, NOT_BEGUN
from bayesieve.cli.check import check
from bayesieve.cli.demo import demo
from bayesieve.cli.discretize import discretize
from bayesieve.cli.drift import drift
from bayesieve.cli.edit import edit
from bayesieve.cli.evaluate import evaluate
from bayesieve.cli.explain import explain
from bayesieve.cli.export import export
from bayesieve.cli.fit import fit
from bayesieve.cli.predict import predict
from bayesieve.cli.rank import rank
from bayesieve.cli.reproduce import reproduce
from bayesieve.cli.show import show

__all__ = ["app"]

_NEAR = 0.8  # similarity of a misspelled name, below which another word is not suggested
_METAVARS = {bool: "", str: "TEXT", Path: "PATH", int: "INTEGER", float: "NUMBER"}


class _Program(TyperGroup):
    """The program, which Ctrl-C ends with a sentence also while options are read and libraries are loaded."""

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Read the options before the name of a command."""
        with _not_begun():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        """Read the options of a command, and run it."""
        with _not_begun(), _near_options_only():
            return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command of a name; a name that is near one is a question, and others have a list of all."""
        self.suggest_commands = False
        try:
            return super().resolve_command(ctx, args)
        except Exception as error:
            if hasattr(error, "message"):  # of the parser, whose classes are not public
                near = get_close_matches(args[0], self.commands, cutoff=_NEAR)
                names = ", ".join(self.commands)
                error.message += f" Did you mean {near[0]!r}?" if near else f" The commands are {names}."
            raise


@contextmanager
def _near_options_only() -> Iterator[None]:
    """Let an unknown option be compared with options that are spelled nearly so."""
    try:
        yield
    except Exception as error:
        if found := getattr(error, "possibilities", None):
            error.possibilities = get_close_matches(error.option_name, found, cutoff=_NEAR)  # type: ignore[attr-defined]
        raise


@contextmanager
def _not_begun() -> Iterator[None]:
    """Print that a command has not begun: once it has, it ends itself after Ctrl-C."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(NOT_BEGUN, err=True)
        raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    cls=_Program,
    help="Feature selection for class probabilities: small, interpretable models from a table.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    rich_markup_mode=None,
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


for _command in (demo, check, fit, predict, explain, show, edit, evaluate, drift, export, discretize, rank, reproduce):
    _help = _help_text(_command)
    app.command(help=_help, short_help=_help.partition("\n\n")[0])(_add_metavars(_command))


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
