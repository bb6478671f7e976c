"""What a command says on the error stream: one sentence for bad input, with exit code 2, and one for each warning."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from bayesieve.exceptions import BayesieveError, BayesieveWarning

__all__ = ["one_sentence"]


@contextmanager
def one_sentence() -> Iterator[None]:
    """Turn errors about what the user gave into a sentence and exit code 2, and warnings into sentences."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", BayesieveWarning)
        warnings.showwarning = _show
        try:
            yield
        except (BayesieveError, OSError) as error:
            typer.echo(f"Error: {error}", err=True)
            raise typer.Exit(2) from None


def _show(message: Warning | str, *_: Any, **__: Any) -> None:
    typer.echo(f"Warning: {message}", err=True)
