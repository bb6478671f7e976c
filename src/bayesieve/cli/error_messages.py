# SPDX-License-Identifier: BSD-3-Clause
"""Errors and warnings of a command on the error stream: one sentence each."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

from bayesieve.cli.early_interrupt import INTERRUPTED, end_early_exit
from bayesieve.cli.visible_text import visible
from bayesieve.exceptions import BayesieveError, BayesieveWarning

__all__ = ["print_errors"]


@contextmanager
def print_errors() -> Iterator[None]:
    """Print errors about the input as one sentence and exit with code 2; print warnings and Ctrl-C as sentences."""
    end_early_exit()
    with warnings.catch_warnings():
        warnings.simplefilter("always", BayesieveWarning)
        warnings.showwarning = _print_once()
        try:
            yield
        except (BayesieveError, OSError) as error:
            typer.echo(visible(f"Error: {error}"), err=True)
            raise typer.Exit(2) from None
        except KeyboardInterrupt as error:
            typer.echo(str(error) or "Interrupted.", err=True)
            raise typer.Exit(INTERRUPTED) from None


def _print_once() -> Callable[..., None]:
    """Return a function that prints each warning once: every fold, and every number of columns, may have the same."""
    printed: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if str(message) not in printed:
            printed.add(str(message))
            typer.echo(visible(f"Warning: {message}"), err=True)

    return show
