# SPDX-License-Identifier: BSD-3-Clause
"""Where the time of a command went, as a table on the error stream."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from bayesieve.search import stage_times

__all__ = ["print_stages"]


@contextmanager
def print_stages(wanted: bool) -> Iterator[None]:
    """Print the seconds of each stage, their share, and the seconds of processors at the end, if this is wanted."""
    if not wanted:
        yield
        return
    with stage_times() as times:
        yield
    seconds, of_processors = times.seconds, times.processor_seconds
    total = sum(seconds.values())
    of_processors["in all"] = sum(of_processors.values())
    for name, each in {**seconds, "in all": total}.items():
        line = f"{name:<12} {each:8.2f} s {each / total:6.1%} {of_processors[name]:8.2f} s of processors"
        typer.echo(line, err=True)
