# SPDX-License-Identifier: BSD-3-Clause
"""What a command prints: text that cannot command a terminal, errors and warnings, progress and the times of stages."""

import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import typer
from rich.console import Console, RenderableType
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from bayesieve.cli import INTERRUPTED
from bayesieve.exceptions import BayesieveError, BayesieveWarning

__all__ = ["VisibleText", "add_names", "print_data", "print_errors", "print_stages", "progress_bar", "visible"]

_NARROWEST: Final = 10  # characters of a name
# Control characters but the line feed and the tab; unpaired surrogates; marks that reverse the order of characters.
_COMMANDS = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\u202a-\\u202e\\u2066-\\u2069]")


def visible(text: str) -> str:
    r"""Return text with its control characters as escapes, such as ``\x1b``."""
    return _COMMANDS.sub(lambda match: ascii(match[0])[1:-1], text)


def print_data(text: str) -> None:
    """Print lines of CSV, SQL or JSON: as they are to a file or a pipe, without control characters to a terminal.

    A file or a pipe has UTF-8, as files that are written by name have: a replaced character would be another value.
    """
    if sys.stdout.isatty():
        typer.echo(visible(text), nl=False)
    elif (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8":
        typer.echo(text, nl=False)
    else:
        typer.echo(text.encode("utf-8", "replace"), nl=False)


class VisibleText(Text):
    """Text without markup and without control characters."""

    def __init__(self, text: str = "", *arguments: Any, **options: Any) -> None:
        super().__init__(visible(text), *arguments, **options)


def add_names(table: Table, heading: str, names: Iterable[str], others: int) -> None:
    """Add a column of whole names to a table, if the other columns, of this width when folded, leave the room."""
    room, longest = max(Console().width - others, _NARROWEST), max(map(len, names), default=0)
    table.add_column(heading, overflow="fold", width=max(len(heading), min(longest, room)))


@contextmanager
def print_errors() -> Iterator[None]:
    """Print errors about the input as one sentence and exit with code 2; print warnings and Ctrl-C as sentences."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", BayesieveWarning)
        warnings.showwarning = _print_once()
        try:
            yield
        except BrokenPipeError:
            raise  # whoever reads the output has seen enough
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


@contextmanager
def progress_bar(title: str, total: int | None, n_done: Callable[[], int]) -> Iterator[None]:
    """Show progress on the error stream if it is a terminal; without a total, show that the command is running."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with _PollingProgress(title, total, n_done, console):
        yield


class _PollingProgress(Progress):
    def __init__(self, title: str, total: int | None, n_done: Callable[[], int], console: Console) -> None:
        self._n_done = n_done
        super().__init__(console=console, transient=True)
        self.add_task(title, total=total)

    def get_renderables(self) -> Iterable[RenderableType]:
        """Poll, then draw: the thread of the bar calls this several times per second."""
        for task in self.tasks:
            self.update(task.id, completed=self._n_done())
        return super().get_renderables()


@contextmanager
def print_stages(wanted: bool) -> Iterator[None]:
    """Print the seconds of each stage, their share, and the seconds of processors at the end, if this is wanted."""
    if not wanted:
        yield
        return
    from bayesieve.search import stage_times

    with stage_times() as times:
        yield
    total = sum(times.seconds.values())
    of_processors = {**times.processor_seconds, "in all": sum(times.processor_seconds.values())}
    for name, seconds in {**times.seconds, "in all": total}.items():
        line = f"{name:<12} {seconds:8.2f} s {seconds / total:6.1%} {of_processors[name]:8.2f} s of processors"
        typer.echo(line, err=True)
