# SPDX-License-Identifier: BSD-3-Clause
"""Where the time of a command went, as a table on the error stream."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from bayesieve.search import stage_times

__all__ = ["print_stages"]


@contextmanager
def print_stages(wanted: bool) -> Iterator[None]:
    """Print the seconds and the share of each stage at the end, if this is wanted."""
    if not wanted:
        yield
        return
    with stage_times() as times:
        yield
    seconds = times.seconds
    total = sum(seconds.values())
    for name, each in {**seconds, "in all": total}.items():
        typer.echo(f"{name:<12} {each:8.2f} s {each / total:6.1%}", err=True)
