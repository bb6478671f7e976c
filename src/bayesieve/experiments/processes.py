"""Jobs share nothing: processes serve them better than threads, of which one at a time runs Python's part."""

import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from typing import TypeVar

__all__ = ["run_jobs"]

Name = TypeVar("Name")
Record = TypeVar("Record")


def run_jobs(task: Callable[[Name], Record], jobs: Sequence[Name], n_processes: int) -> Iterator[Record]:
    """Yield the records of the jobs as they are done; whoever stops asking ends the processes.

    ``task`` must be importable if there are several processes: each of them begins anew, since a fork of threads that
    work is not safe.
    """
    if n_processes <= 1:
        yield from map(task, jobs)
        return
    with get_context("spawn").Pool(n_processes, _leave_interrupts) as pool:
        yield from pool.imap_unordered(task, jobs)


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of a terminal; the first one ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
